"""Cases that take more than one step, against an agent of their own and against a shared one."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.case import Cost
from tests.hostile.ledger import Ledger, Shared
from tests.hostile.raw_client import (
    NEW_SESSION,
    RawAgent,
    initialize_params,
    line,
    note,
    prompt_params,
)


@pytest.fixture(params=["fresh-1", "fresh-2", "shared-1", "shared-2"])
def agent(request: pytest.FixtureRequest, shared: Shared, ledger: Ledger) -> Iterator[RawAgent]:
    """An agent that is checked at the end: alive, nothing left over, and not grown."""
    kind, _, version = str(request.param).partition("-")
    with ExitStack() as stack:
        if kind == "fresh":
            agent = stack.enter_context(RawAgent(int(version)))
            agent.initialize()
        else:
            agent = shared.agent(int(version))
        before, started, lines = agent.gauge.forget_peak(), time.monotonic(), agent.lines_sent
        yield agent
        agent.answers.clear()
        agent.fence()
        agent.forget()
        assert agent.gauge.peak() - before <= 32
        cost = Cost(agent.lines_sent - lines, time.monotonic() - started, agent.gauge.peak())
        ledger.enter(request.node.originalname.removeprefix("test_"), cost)


def test_an_id_may_be_used_again_after_its_answer(agent: RawAgent) -> None:
    for _ in range(100):
        agent.send([line(1, "session/new", NEW_SESSION)])
        agent.pump(lambda: bool(agent.answers))
        assert [each["id"] for each in agent.answers] == [1]
        assert "result" in agent.answers[0]
        agent.answers.clear()


def test_a_second_request_with_the_id_of_a_running_turn(agent: RawAgent) -> None:
    session = agent.new_session()
    agent.send([line(1, "session/prompt", prompt_params(session, "stream 20000"))])
    agent.pump(lambda: bool(agent.told))
    agent.send([line(1, "session/prompt", prompt_params(session, "noop"))])
    agent.pump(lambda: len(agent.answers) == 2 and agent.chunks_told >= 20_000)
    codes = [each.get("error", {}).get("code") for each in agent.answers]
    # In version 2 the first was answered before its turn began, so its id is free again.
    assert codes == ([-32600, None] if agent.version == 1 else [None, None])
    assert len(agent.chunks()) == 20_000


def test_initializing_twice(agent: RawAgent) -> None:
    first, second = (agent.request("initialize", initialize_params(agent.version)) for _ in "12")
    assert first == second


def test_many_concurrent_sessions_have_different_ids(agent: RawAgent) -> None:
    agent.send([b"".join(line(n, "session/new", NEW_SESSION) for n in range(1000))])
    started = time.monotonic()
    agent.pump(lambda: len(agent.answers) >= 1000)
    assert time.monotonic() - started <= 2  # R9
    assert {each["id"] for each in agent.answers} == set(range(1000))
    assert len({each["result"]["sessionId"] for each in agent.answers}) == 1000


def test_two_hundred_sessions_at_once_keep_to_themselves(agent: RawAgent) -> None:
    sessions = [agent.new_session() for _ in range(200)]
    agent.send([
        line(session, "session/prompt", prompt_params(session, f"echo this is {session}"))
        for session in sessions
    ])  # fmt: skip
    agent.pump(lambda: len(agent.answers) >= 200 and len(agent.told) >= _updates(agent, 200))
    assert {each["id"] for each in agent.answers} == set(sessions)
    assert all(agent.chunks(session) == [f"this is {session}"] for session in sessions)


def test_many_turns_at_once_in_one_session(agent: RawAgent) -> None:
    asked = prompt_params(agent.new_session(), "stream 2000")
    agent.send([b"".join(line(n, "session/prompt", asked) for n in range(20))])
    agent.pump(lambda: len(agent.answers) >= 20 and agent.chunks_told >= 40_000)
    assert sorted(each["id"] for each in agent.answers) == list(range(20))
    assert all("result" in each for each in agent.answers)
    assert agent.chunks_told == 40_000


def test_cancel_ends_a_running_turn(agent: RawAgent) -> None:
    session, other = agent.new_session(), agent.new_session()
    agent.send([line(1, "session/prompt", prompt_params(session, "stream 1000000"))])
    agent.send([line(2, "session/prompt", prompt_params(other, "echo still here"))])
    agent.pump(lambda: len(agent.told) > 100)
    agent.send([note("session/cancel", {"sessionId": session})])
    started = time.monotonic()
    agent.pump(lambda: _stop_reason(agent, session, 1) is not None)
    assert time.monotonic() - started <= 1
    assert _stop_reason(agent, session, 1) == "cancelled"
    said = len(agent.chunks(session))
    agent.fence()
    assert len(agent.chunks(session)) == said < 1_000_000
    assert agent.chunks(other) == ["still here"]


def test_cancelling_the_request_of_a_running_turn(agent: RawAgent) -> None:
    session = agent.new_session()
    count = 1_000_000 if agent.version == 1 else 10_000
    agent.send([line(1, "session/prompt", prompt_params(session, f"stream {count}"))])
    agent.pump(lambda: len(agent.told) > 100)
    agent.send([note("$/cancel_request", {"requestId": 1})] * 10)
    agent.pump(lambda: bool(agent.answers) and _ended(agent, count))
    # In version 2 the request was answered before, and the turn is not part of it (CAN-12).
    assert [each.get("error", {}).get("code") for each in agent.answers] == [
        -32800 if agent.version == 1 else None
    ]
    said = len(agent.chunks())
    agent.fence()
    assert len(agent.chunks()) == said


def test_cancel_storm_over_running_turns(agent: RawAgent) -> None:
    sessions = [agent.new_session() for _ in range(20)]
    agent.send([
        line(each, "session/prompt", prompt_params(each, "stream 200000")) for each in sessions
    ])  # fmt: skip
    agent.send([b"".join(note("session/cancel", {"sessionId": s}) for s in sessions)] * 500)
    agent.pump(lambda: all(_stop_reason(agent, each, each) for each in sessions))
    assert {_stop_reason(agent, each, each) for each in sessions} == {"cancelled"}
    assert sorted(each["id"] for each in agent.answers) == sorted(sessions)


def test_requests_that_are_cancelled_at_once_get_one_answer_each(agent: RawAgent) -> None:
    asked = prompt_params("s", "stream 3")
    agent.send(
        line(n, "session/prompt", asked) + note("$/cancel_request", {"requestId": n})
        for n in range(1000)
    )
    agent.pump(lambda: len(agent.answers) >= 1000)
    agent.fence()
    assert sorted(each["id"] for each in agent.answers) == list(range(1000))
    codes = {each.get("error", {}).get("code") for each in agent.answers}
    assert codes <= {None, -32800}


def test_mcp_servers_of_a_client_are_not_started_by_an_agent_without_tools(agent: RawAgent) -> None:
    server = {"type": "stdio", "name": "n", "command": "/usr/bin/yes", "args": [], "env": []}
    for _ in range(10):
        agent.request("session/new", NEW_SESSION | {"mcpServers": [server]})
    assert agent.gauge.children() == []


def test_session_ids_that_look_like_paths(agent: RawAgent) -> None:
    odd = [
        "../../etc/passwd",
        "/etc/passwd",
        "..",
        ".",
        "",
        "\0",
        "a/b",
        "C:\\x",
        "%2e%2e",
        "~",
        "\n",
    ]
    agent.send(line(n, "session/prompt", prompt_params(id_, "noop")) for n, id_ in enumerate(odd))
    agent.pump(lambda: len(agent.answers) >= len(odd))
    assert sorted(each["id"] for each in agent.answers) == list(range(len(odd)))


def test_depths_around_the_edge_get_one_answer_each(agent: RawAgent) -> None:
    depths = range(900, 1020)
    deep = [line(n, "session/prompt", prompt_params("s", "noop") | {"_meta": {}}) for n in depths]
    agent.send(
        each.replace(b'"_meta":{}', b'"_meta":{"x":%b%b}' % (b"[" * n, b"]" * n))
        for n, each in zip(depths, deep, strict=True)
    )
    agent.pump(lambda: len(agent.answers) >= len(depths))
    agent.fence()
    # Where exactly the edge is depends on the interpreter; on each side of it the answer is clear.
    codes = {each["id"]: each.get("error", {}).get("code") for each in agent.answers}
    assert len(agent.answers) == len(depths) == len(codes)
    assert set(codes.values()) <= {None, -32600, -32602}
    assert (codes[900], codes[1019]) == (None, -32600)


@pytest.mark.parametrize("version", [1, 2])
def test_a_session_before_initialize_gets_one_answer(version: int, ledger: Ledger) -> None:
    with RawAgent(version) as agent:
        agent.send([line(1, "session/new", NEW_SESSION)])
        agent.pump(lambda: bool(agent.answers))
        agent.initialize()
        assert [each["id"] for each in agent.answers] == [1]
        assert agent.leave() == 0
        ledger.enter("a_session_before_initialize", Cost(1, 0, 0))


@pytest.mark.parametrize("version", [1, 2])
def test_no_value_of_a_bad_message_is_repeated(
    version: int, tmp_path: Path, ledger: Ledger
) -> None:
    # RPC-29: parameters hold secrets of MCP servers, and logs are read by others.
    secret = "hunter2-hunter2"
    server = {
        "name": "n",
        "command": "/c",
        "args": [secret, 5],
        "env": [{"name": secret, "value": 5}],
    }
    hostile = [
        line(1, "session/new", {"cwd": {secret: secret}, "mcpServers": []}),
        line(2, "session/new", {"cwd": "/", "mcpServers": [server]}),
        line(3, "session/prompt", {"sessionId": [secret], "prompt": secret}),
        line(4, "initialize", {"protocolVersion": secret, "_meta": {"key": secret}}),
        b'{"jsonrpc":"2.0","id":5,"method":"x","params":{"cwd":"' + secret.encode() + b"\n",
        b'{"jsonrpc":"' + secret.encode() + b'","id":6,"method":"session/new"}\n',
        note("session/cancel", {"sessionId": {secret: secret}}),
        b'{"jsonrpc":"2.0","id":7,"result":"' + secret.encode() + b'"}\n',
        b"\xff" + secret.encode() + b"\n",
    ]  # fmt: skip
    log = tmp_path / "stderr"
    with log.open("wb") as stderr, RawAgent(version, stderr=stderr.fileno()) as agent:
        agent.initialize()
        agent.send(hostile)
        agent.fence()
        assert len(agent.answers) == 7
        assert secret not in repr(agent.answers)
        assert agent.leave() == 0
        ledger.enter("no_value_of_a_bad_message_is_repeated", Cost(len(hostile), 0, 0))
    assert secret not in log.read_text()


def _updates(agent: RawAgent, turns: int) -> int:
    """How many updates that many short turns consist of."""
    return turns if agent.version == 1 else 4 * turns


def _stop_reason(agent: RawAgent, session: str, id_: Any) -> str | None:
    """Why the turn ended: the answer says so in version 1, an update in version 2."""
    if agent.version == 1:
        answers = [each for each in agent.answers if each["id"] == id_]
        return str(answers[0]["result"]["stopReason"]) if answers else None
    for each in reversed(agent.told):
        if each["params"]["sessionId"] == session:
            return each["params"]["update"].get("stopReason")
    return None


def _ended(agent: RawAgent, count: int) -> bool:
    return agent.version == 1 or agent.chunks_told == count
