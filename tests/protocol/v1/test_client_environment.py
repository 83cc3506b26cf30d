"""Files and terminals of a client, as an agent that writes JSON by hand uses them."""

import asyncio
from typing import Any

import pytest

from parley.protocol.v1.client_side import ClientSide
from parley.session.profile import ClientCapabilities
from tests.protocol.v1.roles import TestClient, answering, both, opened, run_client
from tests.protocol.wire import RawPeer

METHODS = [
    ("fs/read_text_file", {"path": "/a"}),
    ("fs/write_text_file", {"path": "/a", "content": "x"}),
    ("terminal/create", {"command": "make"}),
    ("terminal/output", {"terminalId": "t1"}),
    ("terminal/wait_for_exit", {"terminalId": "t1"}),
    ("terminal/kill", {"terminalId": "t1"}),
    ("terminal/release", {"terminalId": "t1"}),
]


@pytest.mark.parametrize(("method", "params"), METHODS)
def test_what_was_not_advertised_does_not_exist(method: str, params: dict[str, Any]) -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        error = await agent.error(method, {"sessionId": "s1", **params})
        assert error["code"] == -32601

    run_client(scenario, TestClient(ClientCapabilities()))


def test_a_client_without_the_means_does_not_advertise_them() -> None:
    client = TestClient()
    client.files = client.terminals = None

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        can = agent.seen[0]["params"]["clientCapabilities"]
        assert can["fs"] == {"readTextFile": False, "writeTextFile": False}
        assert can["terminal"] is False

    run_client(scenario, client)


def test_files_are_served_v1_fs_02_04_07() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        there = {"sessionId": "s1", "path": "/a"}
        assert (await agent.error("fs/read_text_file", there))["code"] == -32002
        assert await agent.result("fs/write_text_file", {**there, "content": "1\n2\n3\n"}) == {}
        assert await agent.result("fs/read_text_file", there) == {"content": "1\n2\n3\n"}
        for line, limit, text in [(1, 1, "1\n"), (0, 1, "1\n"), (2, None, "2\n3\n"), (9, 1, "")]:
            part = {**there, "line": line, "limit": limit}
            assert await agent.result("fs/read_text_file", part) == {"content": text}

    run_client(scenario, client)


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("fs/read_text_file", {"sessionId": "s1", "path": "a"}, -32602),  # V1-FS-05
        ("fs/read_text_file", {"sessionId": "nope", "path": "/a"}, -32002),
        ("fs/write_text_file", {"sessionId": "s1", "path": "a", "content": ""}, -32602),
        ("terminal/create", {"sessionId": "s1", "command": "x", "cwd": "a"}, -32602),
        ("terminal/create", {"sessionId": "nope", "command": "x"}, -32002),
        ("terminal/output", {"sessionId": "s1", "terminalId": "nope"}, -32002),
    ],
)
def test_what_is_malformed_or_unknown_is_refused(method: str, params: Any, code: int) -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        assert (await agent.error(method, params))["code"] == code

    run_client(scenario)


def test_all_five_terminal_methods_work_v1_trm_02() -> None:
    client = TestClient()
    assert client.terminals is not None
    made, asked = client.terminals.made, client.terminals.asked

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        create = {
            "sessionId": "s1",
            "command": "make",
            "args": ["-j"],
            "env": [{"name": "A", "value": "1"}],
            "cwd": "/work",
            "outputByteLimit": 10,
        }
        assert await agent.result("terminal/create", create) == {"terminalId": "t1"}
        assert asked == [
            {
                "command": "make",
                "args": ("-j",),
                "env": {"A": "1"},
                "cwd": "/work",
                "output_limit": 10,
            }
        ]
        one = {"sessionId": "s1", "terminalId": "t1"}
        running = {"output": "out", "truncated": False}
        assert await agent.result("terminal/output", one) == running  # V1-TRM-07
        waiting = [agent.ask("terminal/wait_for_exit", one) for _ in range(3)]
        assert await agent.result("terminal/kill", one) == {}
        answers = [(await agent.answer(id_))["result"] for id_ in waiting]  # V1-TRM-08
        assert answers == [{"signal": "SIGKILL"}] * 3  # V1-TRM-13
        ended = {**running, "exitStatus": {"exitCode": 0}}
        assert await agent.result("terminal/output", one) == ended
        assert await agent.result("terminal/release", one) == {}
        assert (await agent.error("terminal/output", one))["code"] == -32002  # V1-TRM-10
        assert (await agent.error("terminal/release", one))["code"] == -32002
        assert made[0].released == 1

    run_client(scenario, client)


def test_a_terminal_belongs_to_its_session_v1_trm_14() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        await opened(side, agent, sessionId="s2")
        await agent.result("terminal/create", {"sessionId": "s1", "command": "make"})
        other = {"sessionId": "s2", "terminalId": "t1"}
        for method in ("output", "wait_for_exit", "kill", "release"):
            assert (await agent.error(f"terminal/{method}", other))["code"] == -32002

    run_client(scenario)


def test_terminals_go_with_their_session_and_with_the_connection() -> None:
    client = TestClient()
    assert client.terminals is not None

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        await opened(side, agent, sessionId="s2")
        for session_id in ("s1", "s2"):
            await agent.result("terminal/create", {"sessionId": session_id, "command": "make"})
        await both(side.close_session("s1"), answering(agent, "session/close", {}))
        assert client.terminals is not None
        assert [terminal.released for terminal in client.terminals.made] == [1, 0]

    run_client(scenario, client)
    assert [terminal.released for terminal in client.terminals.made] == [1, 1]


def test_a_command_may_end_after_its_waiter_was_cancelled() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        await agent.result("terminal/create", {"sessionId": "s1", "command": "make"})
        one = {"sessionId": "s1", "terminalId": "t1"}
        id_ = agent.ask("terminal/wait_for_exit", one)
        agent.note("$/cancel_request", {"requestId": id_})
        assert (await agent.answer(id_))["error"]["code"] == -32800
        assert client.terminals is not None
        client.terminals.made[0].ended.set()
        async with asyncio.timeout(1):
            assert await agent.result("terminal/wait_for_exit", one) == {"exitCode": 0}

    run_client(scenario, client)
