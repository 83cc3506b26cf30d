"""Servers that are programs: how they start, what they see, and that none is left behind."""

import asyncio
import os
import signal
from pathlib import Path

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest

from parley.coder.mcp.link import Link, ServerFailed
from parley.coder.mcp.program import opened_program
from parley.session.role import StdioServer
from tests.coder.mcp.peers import BOUND, shell, until
from tests.transport.wires import alive

ECHO = "while read -r line; do printf '%s\\n' \"$line\" >> heard; done"


def run(scenario: object) -> None:
    assert asyncio.iscoroutine(scenario)
    asyncio.run(asyncio.wait_for(scenario, BOUND))


async def reason(server: StdioServer) -> str:
    async with opened_program(server) as link:
        return await link.ended()


def notification(size: int = 0) -> SessionMessage:
    params = {"x": "y" * size}
    return SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="m", params=params))


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("/nowhere/at/all", "No such file"),
        ("/", "Permission denied"),
        ("a\0b", "it is no command line"),
    ],
)
def test_a_program_that_cannot_be_started_fails_at_once(command: str, problem: str) -> None:
    async def scenario() -> None:
        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises(ServerFailed, match=problem):
            await reason(StdioServer("x", command))
        assert len(os.listdir("/proc/self/fd")) == before

    run(scenario())


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "it ended with status 3"),
        ("echo first >&2; echo 'no \33[1mkey' >&2; exit 1", "it ended with status 1: no key"),
        ("kill -9 $$", "it ended with SIGKILL"),
        ("head -c 5000000 /dev/zero; sleep 60", "it sent a line of more than 4,194,304 bytes"),
        ("yes; sleep 60", "what it writes to stdout is not the protocol"),
    ],
)
def test_the_reason_of_its_end_is_said(script: str, said: str) -> None:
    async def scenario() -> None:
        assert await reason(shell(script)) == said

    run(scenario())


def test_it_sees_the_basics_and_what_it_is_given_but_none_of_our_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "geheim")
    monkeypatch.setenv("PATH", f".:bin::{os.defpath}")
    script = "env > env; pwd > place"
    server = StdioServer("x", "/bin/sh", ("-c", script), {"MINE": "given"})

    async def scenario() -> None:
        assert await reason(server) == "it ended with status 0"

    run(scenario())
    seen = (tmp_path / "env").read_text()
    assert "MINE=given" in seen
    assert f"PATH={os.defpath}\n" in seen
    assert "geheim" not in seen
    assert (tmp_path / "place").read_text().strip() == os.path.realpath(tmp_path)


def test_a_search_path_that_is_given_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    server = StdioServer("x", "/bin/sh", ("-c", "echo $PATH > path"), {"PATH": "bin:/bin"})

    async def scenario() -> None:
        assert await reason(server) == "it ended with status 0"

    run(scenario())
    assert (tmp_path / "path").read_text() == "bin:/bin\n"


def test_without_a_home_it_runs_at_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "gone"))

    async def scenario() -> None:
        assert await reason(shell("pwd >&2; exit 1")) == "it ended with status 1: /"

    run(scenario())


def test_what_is_said_to_it_comes_in_order_however_slowly_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    async def scenario() -> None:
        async with opened_program(shell(f"until [ -e go ]; do sleep 0.01; done; {ECHO}")) as link:
            async with asyncio.TaskGroup() as group:
                for size in (1, 200_000, 3):
                    group.create_task(link.write.send(notification(size)))
                await asyncio.sleep(0)
                (tmp_path / "go").touch()
            heard = tmp_path / "heard"
            await until(lambda: heard.exists() and heard.read_bytes().count(b"\n") == 3)
        sizes = [line.count("y") for line in heard.read_text().splitlines()]
        assert sizes == [1, 200_000, 3]

    run(scenario())


def test_a_program_that_reads_nothing_any_more_is_heard_to_its_end() -> None:
    async def scenario() -> None:
        async with opened_program(shell("exec 0<&-; sleep 0.2; exit 4")) as link:
            with pytest.raises((anyio.BrokenResourceError, anyio.ClosedResourceError)):
                await _say_until_refused(link)
            assert await link.ended() == "it ended with status 4"

    run(scenario())


async def _say_until_refused(link: Link) -> None:
    while True:
        await link.write.send(notification(100_000))


def test_a_line_that_only_looks_like_an_answer_is_handed_on_as_an_error() -> None:
    async def scenario() -> None:
        script = 'read -r line; printf \'{"id":1,"result":7}\\n\'; sleep 60'
        async with opened_program(shell(script)) as link:
            await link.write.send(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="m")))
            assert isinstance(await link.read.receive(), ValueError)

    run(scenario())


def test_nothing_is_left_behind_when_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    script = "trap '' TERM; sleep 60 & echo $$ $! > pids; wait; sleep 60"

    async def scenario() -> None:
        pids = tmp_path / "pids"
        before = len(os.listdir("/proc/self/fd"))
        async with opened_program(shell(script)):
            await until(lambda: pids.exists() and pids.read_text().endswith("\n"))
        found = [int(pid) for pid in pids.read_text().split()]
        await until(lambda: not any(map(alive, found)))
        # The guard of process groups keeps one pipe open.
        assert len(os.listdir("/proc/self/fd")) <= before + 1

    run(scenario())


def test_a_cancelled_conversation_ends_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    async def scenario() -> None:
        pid = tmp_path / "pid"
        async with asyncio.TaskGroup() as group:
            task = group.create_task(reason(shell("echo $$ > pid; exec sleep 60")))
            await until(lambda: pid.exists() and pid.read_text().endswith("\n"))
            task.cancel()
        await until(lambda: not alive(int(pid.read_text())))

    run(scenario())


def test_a_program_that_is_killed_is_missed() -> None:
    async def scenario() -> None:
        async with opened_program(shell("echo $$ >&2; exec 2>&-; kill -STOP $$; sleep 60")) as link:
            talk = asyncio.ensure_future(link.ended())
            stopped = await _stopped_child()
            os.kill(stopped, signal.SIGKILL)
            assert (await talk).startswith("it ended with SIGKILL")

    run(scenario())


async def _stopped_child() -> int:
    """The id of our child that has stopped itself."""
    found: list[int] = []

    def look() -> bool:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] == "T" and int(fields[1]) == os.getpid():
                found.append(int(pid))
        return bool(found)

    await until(look)
    return found[0]
