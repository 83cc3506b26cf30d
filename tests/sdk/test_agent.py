"""An agent written once, driven over the wire of both versions by a raw client."""

import asyncio
from typing import Any

import pytest

from parley.errors import LocalProtocolError, ResourceNotFound
from parley.sdk.agent import Agent
from parley.sdk.turn import Session, Turn
from parley.session.option import Choice, Command, OptionValue, Select
from parley.session.role import SessionInfo
from parley.transport.memory import memory_pair
from tests.sdk.stage import (
    VERSIONS,
    end_of_turn,
    new_session,
    prompt_params,
    run,
    served,
)

both = pytest.mark.parametrize("version", VERSIONS)


def _agent() -> Agent:
    """An agent that only answers prompts."""
    agent = Agent("test", "1.0", title="Test")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        await turn.say(turn.text)

    return agent


def _texts(updates: list[dict[str, Any]]) -> list[str]:
    return [u["content"]["text"] for u in updates if u["sessionUpdate"] == "agent_message_chunk"]


@both
def test_a_prompt_is_answered_in_the_words_of_the_client_s_version(version: int) -> None:
    async def scenario() -> None:
        async with served(_agent(), version) as peer:
            session_id = await new_session(peer)
            asked = peer.ask("session/prompt", prompt_params(session_id, "hello"))
            assert await end_of_turn(peer, version, asked) == "end_turn"
            assert _texts(peer.updates()) == ["hello"]

    run(scenario())


def test_an_agent_without_a_prompt_handler_does_not_start() -> None:
    async def scenario() -> None:
        with pytest.raises(LocalProtocolError, match=r"`x` answers no prompts\nhint: .*@agent.pro"):
            await Agent("x").serve(memory_pair()[0])

    run(scenario())
    with pytest.raises(LocalProtocolError, match="`x` answers no prompts"):
        Agent("x").run()


def test_a_plain_function_is_refused_when_it_is_registered() -> None:
    agent = Agent("x")
    with pytest.raises(TypeError, match="`answer` must be an `async def`"):

        @agent.prompt  # pyright: ignore
        def answer(turn: Turn) -> None: ...

    with pytest.raises(TypeError, match="`enter` must be an `async def`"):

        @agent.login("key", "Key")  # pyright: ignore
        def enter() -> None: ...

    with pytest.raises(TypeError, match="`hear` is called inline"):

        @agent.notification("_x")
        async def hear(params: Any) -> None: ...

    assert agent.registry.logins == []


UNREGISTERED = {
    1: [
        ("session/load", {"sessionId": "s", "cwd": "/", "mcpServers": []}),
        ("session/resume", {"sessionId": "s", "cwd": "/", "mcpServers": []}),
        ("session/list", {}),
        ("session/delete", {"sessionId": "s"}),
        ("logout", {}),
        ("_x/y", {}),
        ("no/such", {}),
    ],
    2: [
        ("session/delete", {"sessionId": "s"}),
        ("auth/login", {"methodId": "x"}),
        ("_x/y", {}),
        ("no/such", {}),
    ],
}


@both
def test_w2_a_method_that_nobody_registered_is_not_found(version: int) -> None:
    async def scenario() -> None:
        async with served(_agent(), version) as peer:
            for method, params in UNREGISTERED[version]:
                error = await peer.error(method, params)
                assert (method, error["code"]) == (method, -32601)

    run(scenario())


@both
def test_stored_sessions_are_listed_loaded_and_deleted(version: int) -> None:
    agent = _agent()
    stored = {"old": ["hello", "hi there"]}

    @agent.load_session
    async def load(session: Session) -> None:
        if session.id not in stored:
            raise ResourceNotFound
        question, answer = stored[session.id]
        await session.replay_user(question)
        await session.say(answer)

    @agent.list_sessions
    async def listed(*, cwd: str | None, cursor: str | None) -> list[SessionInfo]:
        return [SessionInfo(id, cwd or "/") for id in stored]

    @agent.delete_session
    async def delete(session_id: str) -> None:
        stored.pop(session_id, None)

    async def scenario() -> None:
        async with served(agent, version) as peer:
            page = await peer.result("session/list", {})
            assert [info["sessionId"] for info in page["sessions"]] == ["old"]
            where = {"cwd": "/", "mcpServers": []}
            if version == 2:
                method, where = "session/resume", {**where, "replayFrom": {"type": "start"}}
            else:
                method = "session/load"
            assert (await peer.error(method, {"sessionId": "x", **where}))["code"] == -32002
            await peer.result(method, {"sessionId": "old", **where})
            # The history has left before the answer did.
            assert _texts(peer.updates()) == ["hi there"]
            asked = peer.ask("session/prompt", prompt_params("old"))
            assert await end_of_turn(peer, version, asked) == "end_turn"
            await peer.result("session/delete", {"sessionId": "old"})
            assert stored == {}

    run(scenario())


@both
def test_nothing_about_a_session_leaves_before_the_answer_that_creates_it(version: int) -> None:
    agent = _agent()

    @agent.new_session
    async def prepare(session: Session) -> None:
        await session.notice("early")
        await session.title("A name")
        await session.set_commands([Command("help", "Helps")])

    async def scenario() -> None:
        async with served(agent, version) as peer:
            answer = await peer.result("session/new", {"cwd": "/", "mcpServers": []})
            assert peer.updates() == []
            await peer.until(lambda m: "session_info" in str(m))
            assert {m["params"]["sessionId"] for m in peer.seen if "params" in m} == {
                answer["sessionId"]
            }

    run(scenario())


@both
def test_prompts_of_one_session_wait_for_each_other(version: int) -> None:
    agent = Agent("test")
    log: list[str] = []

    @agent.prompt
    async def answer(turn: Turn) -> None:
        log.append(f"begin {turn.text}")
        for _ in range(3):
            await asyncio.sleep(0)
        log.append(f"end {turn.text}")

    async def scenario() -> None:
        async with served(agent, version) as peer:
            session_id = await new_session(peer)
            asked = [peer.ask("session/prompt", prompt_params(session_id, t)) for t in "abc"]
            for each in asked:
                await end_of_turn(peer, version, each)
        assert log == [f"{word} {text}" for text in "abc" for word in ("begin", "end")]

    run(scenario())


@both
def test_after_a_cancel_everything_is_settled_before_the_turn_ends(version: int) -> None:
    agent = Agent("test")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        async with turn.tool("outer", id="outer"), turn.tool("inner", id="inner") as tool:
            await tool.ask()
            raise AssertionError("the question was cancelled")

    async def scenario() -> None:
        async with served(agent, version) as peer:
            session_id = await new_session(peer)
            asked = peer.ask("session/prompt", prompt_params(session_id))
            question = await peer.request("session/request_permission")
            peer.note("session/cancel", {"sessionId": session_id})
            peer.reply(question, {"outcome": {"outcome": "cancelled"}})
            assert await end_of_turn(peer, version, asked) == "cancelled"
            final = {
                update["toolCallId"]: update["status"]
                for update in peer.updates()
                if update.get("status") in ("failed", "completed", "cancelled")
            }
            assert final.keys() == {"outer", "inner"}
            assert set(final.values()) == {"failed" if version == 1 else "cancelled"}

    run(scenario())


@both
def test_options_are_offered_and_changed(version: int) -> None:
    agent = _agent()
    mode = Select(
        "mode", "Mode", "ask", (Choice("ask", "Ask"), Choice("code", "Code")), None, "mode"
    )
    agent.registry.options = (mode,)
    changes: list[tuple[str, OptionValue, OptionValue]] = []

    @agent.option_changed
    async def changed(session: Session, id: str, value: OptionValue) -> None:
        changes.append((id, value, session.option(id)))

    async def scenario() -> None:
        async with served(agent, version) as peer:
            session_id = await new_session(peer)
            choice: dict[str, Any] = {"sessionId": session_id, "configId": "mode"}
            answer = await peer.result("session/set_config_option", {**choice, "value": "code"})
            assert [each["currentValue"] for each in answer["configOptions"]] == ["code"]
            error = await peer.error("session/set_config_option", {**choice, "value": "fly"})
            assert error["code"] == -32602
        assert changes == [("mode", "code", "code")]

    run(scenario())


@both
def test_logins_and_extensions_reach_their_handlers(version: int) -> None:
    agent = _agent()
    log: list[Any] = []

    @agent.login("key", "A key", "Typed in")
    async def enter() -> None:
        log.append("login")

    @agent.logout
    async def leave() -> None:
        log.append("logout")

    @agent.method("_x/double")
    async def double(params: Any) -> Any:
        return params["n"] * 2

    @agent.notification("_x/note")
    def hear(params: Any) -> None:
        log.append(params)

    async def scenario() -> None:
        async with served(agent, version) as peer:
            login, logout = (
                ("auth/login", "auth/logout") if version == 2 else ("authenticate", "logout")
            )
            await peer.result(login, {"methodId": "key"})
            assert (await peer.error(login, {"methodId": "x"}))["code"] == -32602
            await peer.result(logout, {})
            peer.note("_x/unknown", {})
            peer.note("_x/note", {"a": 1})
            assert await peer.result("_x/double", {"n": 4}) == 8
        assert log == ["login", "logout", {"a": 1}]

    run(scenario())


@both
def test_sessions_are_closed_by_the_client_or_by_its_end(version: int) -> None:
    agent = _agent()
    closed: list[str] = []

    @agent.close_session
    async def close(session: Session) -> None:
        closed.append(session.id)

    async def scenario() -> None:
        async with served(agent, version) as peer:
            first, second = await new_session(peer), await new_session(peer)
            await peer.result("session/close", {"sessionId": first})
            assert closed == [first]
        assert closed == [first, second]

    run(scenario())


@both
def test_w1_meta_is_an_argument_of_its_own_and_changes_nothing(version: int) -> None:
    agent = Agent("test")
    seen: list[Any] = []

    @agent.new_session
    async def prepare(session: Session) -> None:
        seen.append((session.cwd, session.meta, session.request.meta))

    @agent.prompt
    async def answer(turn: Turn) -> None:
        seen.append((turn.session.id, turn.text, turn.meta))

    meta = {"session_id": "EVIL", "prompt": [], "self": 1, "traceparent": "00-1-2-01", "cwd": "/x"}

    async def scenario() -> None:
        async with served(agent, version) as peer:
            opened = await peer.result("session/new", {"cwd": "/", "mcpServers": [], "_meta": meta})
            params = {**prompt_params(opened["sessionId"]), "_meta": meta}
            await end_of_turn(peer, version, peer.ask("session/prompt", params))
            assert seen == [("/", meta, meta), (opened["sessionId"], "go", meta)]

    run(scenario())
