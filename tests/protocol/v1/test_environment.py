"""Files and terminals of a client that writes JSON by hand."""

import asyncio
from typing import Any

import pytest

from parley.errors import LocalProtocolError, RequestTimeout, RpcError
from parley.protocol.settings import Settings
from parley.session.content import TerminalItem
from parley.session.event import ExitStatus, ToolCallChanged
from parley.session.role import ClientRole, Ending, Prompt, TerminalOutput
from tests.protocol.v1.roles import HELLO, NEW, TestAgent, run_agent
from tests.protocol.wire import RawPeer


async def _while(peer: RawPeer, work: Any, *replies: tuple[str, Any]) -> tuple[Any, list[Any]]:
    """Run something of the agent's while the client answers what is asked, in this order."""
    asked: list[Any] = []
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)
        for method, result in replies:
            request = await peer.request(method)
            asked.append(request["params"])
            peer.reply(request, result)
    return task.result(), asked


def test_files_are_read_and_written_v1_fs() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        files = agent.client.files
        read = files.read("s1", "/a", line=2, limit=3)
        text, asked = await _while(peer, read, ("fs/read_text_file", {"content": "x\r\n"}))
        assert text == "x\r\n"  # V1-FS-09
        assert asked == [{"sessionId": "s1", "path": "/a", "line": 2, "limit": 3}]
        for empty in (None, {}):  # V1-FS-08
            written = files.write("s1", "/a", "y")
            _, asked = await _while(peer, written, ("fs/write_text_file", empty))
            assert asked == [{"sessionId": "s1", "path": "/a", "content": "y"}]

    run_agent(scenario, agent)


@pytest.mark.parametrize("arguments", [{"path": "a"}, {"line": 0}, {"limit": -1}])
def test_a_malformed_reading_is_not_sent_v1_fs_05(arguments: dict[str, Any]) -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        with pytest.raises(LocalProtocolError):
            await agent.client.files.read("s1", **{"path": "/a", **arguments})
        assert len(peer.seen) == 1

    run_agent(scenario, agent)


@pytest.mark.parametrize(("read", "write"), [(True, False), (False, True), (False, False)])
def test_files_are_there_as_far_as_they_were_advertised_v1_fs_01(read: bool, write: bool) -> None:
    agent = TestAgent()
    fs = {"readTextFile": read, "writeTextFile": write}

    async def scenario(peer: RawPeer) -> None:
        files = agent.client.files
        assert (files is not None) == (read or write)
        assert agent.client.terminals is None  # V1-TRM-01
        if files is not None and not read:
            with pytest.raises(LocalProtocolError):
                await files.read("s1", "/a")
        if files is not None and not write:
            with pytest.raises(LocalProtocolError):
                await files.write("s1", "/a", "x")
        assert len(peer.seen) == 1

    run_agent(scenario, agent, initialize={"protocolVersion": 1, "clientCapabilities": {"fs": fs}})


def test_a_file_that_is_missing_is_an_error_of_the_client() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(_caught(agent.client.files.read("s1", "/a")))
            peer.refuse(await peer.request("fs/read_text_file"), -32002)
        assert isinstance(task.result(), RpcError)
        assert task.result().code == -32002

    run_agent(scenario, agent)


async def _caught(work: Any) -> Any:
    try:
        return await work
    except Exception as error:
        return error


def test_a_client_that_does_not_answer_does_not_hold_the_agent_up() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        with pytest.raises(RequestTimeout):
            await agent.client.files.read("s1", "/a")

    run_agent(scenario, agent, Settings(deadline=0.01))


def test_a_terminal_runs_and_releases_itself_v1_trm_11() -> None:
    async def turn(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        assert client.terminals is not None
        created = await client.terminals.create(
            session_id, "make", ("-j",), env={"A": "1"}, cwd="/work", output_limit=10
        )
        async with created as terminal:
            item = TerminalItem(terminal.id)
            client.emit(session_id, ToolCallChanged("t1", title="Run", content=(item,)))
            assert await terminal.output() == TerminalOutput("o", False, None)
            await terminal.kill()
            assert await terminal.wait() == ExitStatus(signal="SIGKILL")
            assert await terminal.output() == TerminalOutput("o", True, ExitStatus(1))
        await terminal.release()
        with pytest.raises(LocalProtocolError):
            await terminal.output()
        return Ending()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        id_ = peer.ask("session/prompt", HELLO)
        create = await peer.request("terminal/create")
        assert create["params"] == {
            "sessionId": "s1",
            "command": "make",
            "args": ["-j"],
            "env": [{"name": "A", "value": "1"}],
            "cwd": "/work",
            "outputByteLimit": 10,
        }
        peer.reply(create, {"terminalId": "term"})
        peer.reply(await peer.request("terminal/output"), {"output": "o", "truncated": False})
        # V1-TC-08: only a terminal of the client is shown as one, and before its release.
        assert peer.updates()[0]["content"] == [{"type": "terminal", "terminalId": "term"}]
        peer.reply(await peer.request("terminal/kill"), None)
        waiting = await peer.request("terminal/wait_for_exit")
        peer.reply(waiting, {"exitCode": None, "signal": "SIGKILL"})  # V1-TRM-13
        ended = {"output": "o", "truncated": True, "exitStatus": {"exitCode": 1}}
        peer.reply(await peer.request("terminal/output"), ended)
        release = await peer.request("terminal/release")
        assert release["params"] == {"sessionId": "s1", "terminalId": "term"}
        peer.reply(release, {})
        await peer.answer(id_)
        methods = [message.get("method") for message in peer.seen]
        assert methods.count("terminal/release") == 1

    run_agent(scenario, TestAgent(turn))


def test_a_cancelled_turn_releases_its_terminal_once() -> None:
    async def turn(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        assert client.terminals is not None
        async with await client.terminals.create(session_id, "sleep") as terminal:
            await terminal.wait()
        return Ending()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        id_ = peer.ask("session/prompt", HELLO)
        peer.reply(await peer.request("terminal/create"), {"terminalId": "term"})
        await peer.request("terminal/wait_for_exit")
        peer.note("session/cancel", {"sessionId": "s1"})
        peer.refuse(await peer.request("terminal/release"), -32002)
        assert (await peer.answer(id_))["result"] == {"stopReason": "cancelled"}
        methods = [message.get("method") for message in peer.seen]
        assert methods.count("terminal/release") == 1

    run_agent(scenario, TestAgent(turn))


def test_a_terminal_that_was_cancelled_while_it_was_made_is_released() -> None:
    async def turn(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        assert client.terminals is not None
        await client.terminals.create(session_id, "sleep")
        return Ending()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        id_ = peer.ask("session/prompt", HELLO)
        create = await peer.request("terminal/create")
        peer.note("session/cancel", {"sessionId": "s1"})
        await peer.error("_alive")
        peer.reply(create, {"terminalId": "late"})
        release = await peer.request("terminal/release")
        assert release["params"]["terminalId"] == "late"
        peer.reply(release, {})
        assert (await peer.answer(id_))["result"] == {"stopReason": "cancelled"}

    run_agent(scenario, TestAgent(turn))


def test_a_client_that_refuses_a_terminal_after_a_cancel_is_left_in_peace() -> None:
    async def turn(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        assert client.terminals is not None
        await client.terminals.create(session_id, "sleep")
        return Ending()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        id_ = peer.ask("session/prompt", HELLO)
        create = await peer.request("terminal/create")
        peer.note("session/cancel", {"sessionId": "s1"})
        await peer.error("_alive")
        peer.refuse(create)
        assert (await peer.answer(id_))["result"] == {"stopReason": "cancelled"}

    run_agent(scenario, TestAgent(turn))


def test_a_terminal_that_nobody_released_goes_with_its_session() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        made = agent.client.terminals.create("s1", "sleep")
        await _while(peer, made, ("terminal/create", {"terminalId": "term"}))
        id_ = peer.ask("session/close", {"sessionId": "s1"})
        peer.reply(await peer.request("terminal/release"), {})
        assert (await peer.answer(id_))["result"] == {}

    run_agent(scenario, agent)


def test_a_relative_working_directory_is_not_sent() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        with pytest.raises(LocalProtocolError):
            await agent.client.terminals.create("s1", "make", cwd="work")
        assert len(peer.seen) == 1

    run_agent(scenario, agent)
