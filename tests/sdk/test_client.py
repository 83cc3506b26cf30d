"""A client that starts agents, connects to them, and answers their questions."""

import asyncio
import logging
import sys
from typing import Any

import pytest

from parley.errors import ConnectionLost, RequestTimeout
from parley.protocol.settings import Settings
from parley.sdk.agent import Agent
from parley.sdk.client import Client, connect
from parley.sdk.turn import Turn
from parley.session.question import PermissionQuestion
from parley.transport.memory import memory_pair
from tests.sdk.stage import VERSIONS, joined, run, settings_for

both = pytest.mark.parametrize("version", VERSIONS)
AGENT = """
import os, sys, parley
agent = parley.Agent("child")

@agent.prompt
async def answer(turn):
    if turn.text == "die":
        print("no more memory", file=sys.stderr, flush=True)
        os._exit(3)
    await turn.say(f"{turn.text} in {os.path.basename(os.getcwd())} {os.environ.get('WORD')}")

agent.run()
"""
COMMAND = [sys.executable, "-c", AGENT]


def _asking() -> Agent:
    agent = Agent("asking")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        async with turn.tool("Work") as tool:
            decision = await tool.ask("May I?")
            await turn.say("yes" if decision else "no answer" if decision.dismissed else "no")

    return agent


@both
def test_an_agent_is_started_by_its_command_line(version: int, tmp_path: Any) -> None:
    async def scenario() -> None:
        environment = {"WORD": "here"}
        async with connect(
            COMMAND, settings=settings_for(version), cwd=tmp_path, env=environment
        ) as agent:
            assert agent.profile.version == version
            session = await agent.new_session(tmp_path)
            assert await session.ask("hello") == f"hello in {tmp_path.name} here"

    run(scenario())


@both
def test_the_death_of_an_agent_names_status_last_words_and_request(version: int) -> None:
    async def scenario() -> None:
        async with connect(COMMAND, settings=settings_for(version)) as agent:
            session = await agent.new_session("/")
            with pytest.raises(ConnectionLost) as caught:
                await session.prompt("die")
        text = str(caught.value)
        assert "exited with status 3" in text
        assert "no more memory" in text
        assert ("`session/prompt`" if version == 1 else "the turn did not end") in text

    run(scenario())


def test_a_program_that_does_not_exist_is_named() -> None:
    async def scenario() -> None:
        with pytest.raises(ConnectionLost, match="no-such-agent"):
            async with connect(["no-such-agent"]):
                raise AssertionError

    run(scenario())


def test_a_command_line_in_one_string_is_a_mistake() -> None:
    async def scenario() -> None:
        with pytest.raises(TypeError, match="must be a list"):
            async with connect("agent --acp"):
                raise AssertionError

    run(scenario())


def test_an_agent_that_never_answers_is_given_up_and_the_request_named() -> None:
    async def scenario() -> None:
        near, _ = memory_pair()
        hurried = Settings(versions=(1,), deadline=0.01)
        with pytest.raises(RequestTimeout, match=r"no answer to `initialize` within 0\.01 s"):
            async with connect(near, settings=hurried):
                raise AssertionError

    run(scenario())


@both
def test_what_the_block_raises_comes_out_as_it_is(version: int) -> None:
    async def scenario() -> None:
        with pytest.raises(ZeroDivisionError):
            await _fail_inside(version)

    run(scenario())


async def _fail_inside(version: int) -> None:
    async with joined(_asking(), version) as agent:
        turn = (await agent.new_session("/")).prompt("go")
        aiter(turn)
        raise ZeroDivisionError


@both
@pytest.mark.parametrize(
    ("policy", "said"), [("allow", "yes"), ("reject", "no"), ("dismiss", "no answer")]
)
def test_a_policy_answers_questions(version: int, policy: Any, said: str) -> None:
    async def scenario() -> None:
        async with joined(_asking(), version, Client("c", permission=policy)) as agent:
            assert await (await agent.new_session("/")).ask("go") == said

    run(scenario())


@both
def test_a_handler_answers_questions_and_knows_the_session(version: int) -> None:
    asked: list[tuple[str, str]] = []

    async def answer(session: Any, question: PermissionQuestion) -> bool:
        asked.append((session.id, question.title))
        return True

    async def scenario() -> None:
        async with joined(_asking(), version, Client("c", permission=answer)) as agent:
            session = await agent.new_session("/")
            assert await session.ask("go") == "yes"
            assert asked == [(session.id, "May I?")]

    run(scenario())


@both
@pytest.mark.parametrize("given", ["no-such-option", 5, ZeroDivisionError("my mistake")])
def test_an_answer_that_is_none_is_a_refusal_and_is_logged(
    version: int, given: Any, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client("c")

    @client.permission
    async def answer(session: Any, question: PermissionQuestion) -> Any:
        if isinstance(given, Exception):
            raise given
        return given

    async def scenario() -> None:
        async with joined(_asking(), version, client) as agent:
            assert (await (await agent.new_session("/")).ask("go")).startswith("no")

    with caplog.at_level(logging.ERROR):
        run(scenario())
    assert caplog.text != ""


def test_handlers_of_the_wrong_kind_are_refused_when_they_are_registered() -> None:
    client = Client("c")

    def plain(*_: Any) -> None: ...

    async def work(*_: Any) -> None: ...

    for register in (client.permission, client.elicitation, client.method("_x")):
        with pytest.raises(TypeError, match="`plain` must be an `async def`"):
            register(plain)  # pyright: ignore
    for register in (client.event, client.elicitation_completed, client.notification("_x")):
        with pytest.raises(TypeError, match="`work` is called inline"):
            register(work)  # pyright: ignore
    with pytest.raises(TypeError, match="`plain` must be an `async def`"):
        Client("c", permission=plain)  # pyright: ignore
    with pytest.raises(ValueError, match="no policy 'yes'"):
        Client("c", permission="yes")  # pyright: ignore


@both
def test_cancelling_a_turn_withdraws_the_question_the_user_is_looking_at(version: int) -> None:
    looking = asyncio.Event()
    gone = asyncio.Event()
    client = Client("c")

    @client.permission
    async def answer(session: Any, question: PermissionQuestion) -> None:
        looking.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    async def scenario() -> None:
        async with joined(_asking(), version, client) as agent:
            session = await agent.new_session("/")
            async with session.prompt("go") as turn:
                await looking.wait()
                await session.cancel()
                await gone.wait()
                assert (await turn).stop_reason == "cancelled"

    run(scenario())
