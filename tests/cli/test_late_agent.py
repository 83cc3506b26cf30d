"""The agent that loads itself behind its first answer."""

import asyncio
import threading
from typing import Any, cast

import pytest

from parley.cli.late_agent import KeepingAgent, LateAgent
from parley.session.profile import AgentProfile, Implementation
from parley.session.role import ClientRole, Inserting, Prompt, SessionRequest

BOUND = 5
PROFILE = AgentProfile(Implementation("x", "1"))
CLIENT = cast("ClientRole", object())
REQUEST = SessionRequest("/")


class Recorder:
    """Takes every call and remembers it."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        def record(*arguments: Any, **named: Any) -> Any:
            self.calls.append((name, *arguments, *named.values()))
            done = asyncio.get_running_loop().create_future()
            done.set_result(name)
            return done

        return record


def late(real: Recorder) -> LateAgent:
    return LateAgent(PROFILE, lambda: cast("KeepingAgent", real))


def test_it_keeps_prompts_as_the_real_agent_does() -> None:
    async def scenario() -> None:
        assert isinstance(late(Recorder()), Inserting)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("login", ("m",)),
        ("logout", ()),
        ("new_session", (REQUEST,)),
        ("load_session", ("s", REQUEST)),
        ("resume_session", ("s", REQUEST)),
        ("fork_session", ("s", REQUEST)),
        ("close_session", ("s",)),
        ("delete_session", ("s",)),
        ("insert", ("s", Prompt(()))),
        ("prompt", ("s", Prompt(()))),
        ("set_option", ("s", "o", "v")),
        ("cancel_tool_call", ("s", "t")),
        ("cancel_terminal", ("s", "t")),
        ("call", ("_x", None)),
    ],
)
def test_every_request_reaches_the_real_agent(method: str, arguments: tuple[Any, ...]) -> None:
    real = Recorder()

    async def scenario() -> None:
        agent = late(real)
        assert await agent.initialize(CLIENT) is PROFILE
        await getattr(agent, method)(*arguments)
        await agent.aclose()

    asyncio.run(scenario())
    assert real.calls == [("initialize", CLIENT), (method, *arguments)]


def test_sessions_are_listed_with_what_was_asked_for() -> None:
    real = Recorder()

    async def scenario() -> None:
        agent = late(real)
        await agent.initialize(CLIENT)
        await agent.list_sessions(cwd="/x", cursor="c", archived=None)
        await agent.aclose()

    asyncio.run(scenario())
    assert real.calls[1] == ("list_sessions", "/x", "c", None)


def test_the_first_answer_does_not_wait_and_loading_follows_by_itself() -> None:
    real, may_load, loaded = Recorder(), threading.Event(), threading.Event()

    def make() -> KeepingAgent:
        assert may_load.wait(BOUND)
        loaded.set()
        return cast("KeepingAgent", real)

    async def scenario() -> None:
        agent = LateAgent(PROFILE, make)
        async with asyncio.timeout(BOUND):
            await agent.initialize(CLIENT)
            assert not loaded.is_set()
            may_load.set()
            assert await asyncio.to_thread(loaded.wait, BOUND)
            await agent.close_session("s")
            await agent.aclose()

    asyncio.run(scenario())
    assert real.calls == [("initialize", CLIENT), ("close_session", "s")]


def test_a_client_that_initializes_twice_is_known_as_it_was_the_second_time() -> None:
    real, other = Recorder(), cast("ClientRole", object())

    async def scenario() -> None:
        agent = late(real)
        agent.tell("_early", {})
        await agent.initialize(CLIENT)
        await agent.logout()
        await agent.initialize(other)
        agent.tell("_late", {})
        await agent.aclose()

    asyncio.run(scenario())
    assert real.calls == [
        ("initialize", CLIENT),
        ("logout",),
        ("initialize", other),
        ("tell", "_late", {}),
    ]
