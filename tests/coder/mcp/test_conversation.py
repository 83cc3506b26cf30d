"""Conversations with servers: honest ones, slow ones and liars."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.tools.tool import Outcome
from parley.session.role import AcpServer
from tests.coder.mcp.peers import BOUND, SLOW, Stand, by_hand, honest, shell, standing, until
from tests.coder.tools.file_desk import desk_on
from tests.coder.tools.witness import Witness


async def called(
    stand: Stand, name: str, folder: Path, arguments: Mapping[str, Any] | None = None
) -> Outcome:
    ready = await stand.servers.tools[name].prepare(arguments or {}, desk_on(folder))
    return await ready.run(Witness())


async def refused(stand: Stand, folder: Path, name: str = "odd__work") -> str:
    with pytest.raises(ToolError) as caught:
        await called(stand, name, folder)
    return str(caught.value)


def test_a_server_of_the_official_package_works(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path, honest(tmp_path), start=SLOW, call=SLOW) as stand:
            await stand.ready(SLOW)
            assert list(stand.servers.tools) == ["honest__add", "honest__fail", "honest__where"]
            found = await called(stand, "honest__add", tmp_path, {"a": 2, "b": 3})
            assert (found.text, found.failed) == ("5", False)
            assert (await called(stand, "honest__fail", tmp_path)).failed
            wrong = await called(stand, "honest__add", tmp_path, {"a": "x"})
            assert wrong.failed
            assert stand.notices == []

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ("answer = lambda m, p: None", "it did not answer within 0.3 seconds"),
        ("answer = lambda m, p: {}", "it speaks no version of the protocol that is known here"),
        (
            "answer = lambda m, p: {**usual(m, p), 'protocolVersion': '1999-01-01'}",
            "it speaks no version of the protocol that is known here",
        ),
        (
            "answer = lambda m, p: {'tools': 5} if m == 'tools/list' else usual(m, p)",
            "its list of tools cannot be understood",
        ),
        (
            "def usual_error(m, p):\n"
            "    say({'id': 1, 'error': {'code': -32000, 'message': 'no\\x1b key'}})\n"
            "answer = usual_error",
            "it refused: no\\u001b key",
        ),
        (
            "def both(m, p):\n"
            "    say({'id': 1, 'error': {'code': -32022, 'message': 'no', 'data': {}}})\n"
            "    say({'id': 2, 'error': {'code': -32601, 'message': 'neither'}})\n"
            "answer = both",
            "it refused: neither",
        ),
        ("answer = lambda m, p: sys.exit(5)", "it ended with status 5"),
        (
            "answer = lambda m, p: say({'id': 99, 'result': usual(m, p)})",
            "it did not answer within 0.3 seconds",
        ),
    ],
)
def test_a_server_that_does_not_begin_well_is_given_up(
    tmp_path: Path, changes: str, problem: str
) -> None:
    async def scenario() -> None:
        start = 0.3 if "0.3" in problem else BOUND
        async with standing(tmp_path, by_hand(tmp_path, changes), start=start) as stand:
            said = await stand.notice()
            assert said == f"The MCP server `odd` could not be started: {problem}."
            assert stand.servers.tools == {}

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ("answer = lambda m, p: os._exit(3) if 'call' in m else usual(m, p)", "ended before"),
        ("answer = lambda m, p: None if 'call' in m else usual(m, p)", "within 0.3 seconds"),
        ("answer = lambda m, p: {'content': 5} if 'call' in m else usual(m, p)", "not a result"),
        (
            "answer = lambda m, p: say({'id': 3, 'error': {'code': 1, 'message': 'busy'}})"
            " if 'call' in m else usual(m, p)",
            "the server refused the call: busy",
        ),
    ],
)
def test_a_call_that_fails_is_told_to_the_model(tmp_path: Path, changes: str, problem: str) -> None:
    async def scenario() -> None:
        call = 0.3 if "0.3" in problem else BOUND
        async with standing(tmp_path, by_hand(tmp_path, changes), call=call) as stand:
            await stand.ready()
            assert problem in await refused(stand, tmp_path)

    asyncio.run(scenario())


def test_a_server_that_reads_nothing_cannot_hold_a_call(tmp_path: Path) -> None:
    async def scenario() -> None:
        listed = '{"id":2,"result":{"tools":[{"name":"work","inputSchema":{"type":"object"}}]}}'
        hello = (
            '{"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},'
            '"serverInfo":{"name":"x","version":"1"}}}'
        )
        script = f"read -r a; echo '{hello}'; read -r b; read -r c; echo '{listed}'; sleep 60"
        server = shell(script.replace('{"id"', '{"jsonrpc":"2.0","id"'))
        async with standing(tmp_path, server, call=0.1) as stand:
            await stand.ready()
            tool = stand.servers.tools["odd__work"]
            ready = await tool.prepare({"large": "x" * 300_000}, desk_on(tmp_path))
            with pytest.raises(ToolError, match=r"did not answer within 0.1 seconds"):
                await ready.run(Witness())

    asyncio.run(scenario())


def test_a_call_that_is_cancelled_is_cancelled_at_the_server(tmp_path: Path) -> None:
    changes = f"""
        def answer(method, params):
            if method != "tools/call":
                return usual(method, params)
            open({str(tmp_path / "called")!r}, "w").close()

        def heard(message):
            with open({str(tmp_path / "heard")!r}, "a") as file:
                file.write(json.dumps(message) + "\\n")
    """

    async def scenario() -> None:
        async with standing(tmp_path, by_hand(tmp_path, changes)) as stand:
            await stand.ready()
            async with asyncio.TaskGroup() as group:
                task = group.create_task(called(stand, "odd__work", tmp_path))
                await until((tmp_path / "called").exists)
                task.cancel()
            heard = tmp_path / "heard"
            await until(lambda: heard.exists() and "notifications/cancelled" in heard.read_text())
            assert '"requestId": 3' in heard.read_text()
            # The next call is not disturbed by it.
            assert stand.servers.reports[0].state == "ready"

    asyncio.run(scenario())


def test_tools_that_change_are_listed_again(tmp_path: Path) -> None:
    changes = """
        def answer(method, params):
            if method == "tools/call":
                TOOLS[0]["name"] = "rest"
                say({"method": "notifications/tools/list_changed"})
            return usual(method, params)
    """

    async def scenario() -> None:
        async with standing(tmp_path, by_hand(tmp_path, changes)) as stand:
            await stand.ready()
            await called(stand, "odd__work", tmp_path)
            await until(lambda: list(stand.servers.tools) == ["odd__rest"])

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("then", "problem"),
    [("None", "it did not answer when it was asked"), ("{'tools': 1}", "cannot be understood")],
)
def test_a_server_that_does_not_list_again_is_given_up(
    tmp_path: Path, then: str, problem: str
) -> None:
    changes = f"""
        def answer(method, params):
            global answer
            if method == "tools/list":
                answer = lambda m, p: {then}
                say({{"method": "notifications/tools/list_changed"}})
            return usual(method, params)
    """

    async def scenario() -> None:
        start = 0.5 if then == "None" else BOUND
        async with standing(tmp_path, by_hand(tmp_path, changes), start=start) as stand:
            said = await stand.notice()
            assert "ended, and its tools are gone" in said
            assert problem in said

    asyncio.run(scenario())


def test_the_folders_of_the_session_are_told_and_long_lists_end(tmp_path: Path) -> None:
    changes = f"""
        pages = 0
        def answer(method, params):
            global pages
            if method == "tools/list":
                pages += 1
                if pages == 1:
                    say({{"id": "q", "method": "roots/list"}})
                tools = [{{**TOOLS[0], "name": f"t{{pages}}"}}]
                return {{"tools": tools, "nextCursor": f"c{{pages}}"}}
            return usual(method, params)

        def heard(message):
            if message.get("id") == "q":
                open({str(tmp_path / "roots")!r}, "w").write(json.dumps(message["result"]))
    """

    async def scenario() -> None:
        async with standing(tmp_path, by_hand(tmp_path, changes)) as stand:
            await stand.ready()
            assert len(stand.servers.tools) == 20
            roots = tmp_path / "roots"
            await until(lambda: roots.exists() and roots.read_text() != "")
            assert tmp_path.as_uri() in roots.read_text()

    asyncio.run(scenario())


def test_servers_of_a_kind_that_is_not_supported_are_named(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path, AcpServer("inner", "id")) as stand:
            assert "servers of the client itself are not supported" in await stand.notice()

    asyncio.run(scenario())
