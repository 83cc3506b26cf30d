"""A child process as a transport: the battery, its death, its stderr, and getting rid of it."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from parley.conformance.check_transport import CHECKS, Check, check_name, check_transport
from parley.errors import ConnectionClosed, ConnectionLost
from parley.rpc.transport import Incoming
from parley.transport.process import Patience, ProcessTransport, spawn
from tests.transport.wires import (
    alive,
    eventually,
    into_process_wire,
    out_of_process_wire,
    python,
    run,
    until,
)


@asynccontextmanager
async def shell(script: str, patience: Patience | None = None) -> AsyncIterator[ProcessTransport]:
    """A transport to a shell that runs the script, closed in the end."""
    transport = await spawn(["sh", "-c", script], patience=patience)
    try:
        yield transport
    finally:
        await transport.aclose()


@pytest.mark.parametrize("check", CHECKS, ids=check_name)
def test_the_battery_passes_from_the_parent(check: Check) -> None:
    run(lambda: check_transport(out_of_process_wire, [check]))


@pytest.mark.parametrize("check", CHECKS, ids=check_name)
def test_the_battery_passes_towards_the_parent(check: Check) -> None:
    run(lambda: check_transport(into_process_wire, [check]))


def test_a_child_that_dies_is_a_loss_with_status_and_last_words() -> None:
    async def scenario() -> None:
        async with shell("echo said; echo one >&2; echo two >&2; exit 3") as transport:
            assert await transport.receive() == [b"said"]
            text = await _loss(transport)
            assert text == "`sh` exited with status 3; its last words on stderr:\none\ntwo"
            with pytest.raises(ConnectionLost, match="status 3"):
                transport.send(b"late")
            with pytest.raises(ConnectionLost, match="status 3"):
                await transport.drain()
            assert transport.returncode == 3
            assert transport.stderr_tail == "one\ntwo"

    run(scenario)


def test_a_child_that_was_killed_is_a_loss_with_the_name_of_the_signal() -> None:
    async def scenario() -> None:
        async with shell("exec sleep 60") as transport:
            assert transport.returncode is None
            os.kill(transport.pid, signal.SIGSEGV)
            assert await _loss(transport) == "`sh` was ended by SIGSEGV"

    run(scenario)


def test_a_signal_without_a_name_is_given_by_its_number() -> None:
    async def scenario() -> None:
        async with shell("exec sleep 60") as transport:
            os.kill(transport.pid, 40)
            assert await _loss(transport) == "`sh` was ended by signal 40"

    run(scenario)


def test_a_child_that_leaves_unasked_is_a_loss_even_with_status_zero() -> None:
    async def scenario() -> None:
        async with shell("exit 0") as transport:
            assert await _loss(transport) == "`sh` exited with status 0"

    run(scenario)


def test_a_child_that_closes_its_stdout_and_stays_has_ended_the_conversation() -> None:
    async def scenario() -> None:
        patience = Patience(for_status=0.05)
        async with shell("exec >&-; cat > /dev/null", patience) as transport:
            assert await transport.receive() == []
            assert transport.returncode is None

    run(scenario)


def test_a_child_that_closes_its_stdin_and_stays_is_a_loss() -> None:
    async def scenario() -> None:
        async with shell("exec <&-; sleep 60", Patience(0.05, 0.5, 0.05)) as transport:
            assert "closed its end" in await _loss(transport)

    run(scenario)


def test_a_blocked_sender_hears_of_the_death_with_its_status() -> None:
    async def scenario() -> None:
        async with shell("head -c 1 > /dev/null; exit 7") as transport:
            transport.send(b"x" * 1_000_000)
            with pytest.raises(ConnectionLost, match="status 7"):
                await transport.drain()

    run(scenario)


def test_everything_a_dead_child_said_is_received_by_a_slow_reader() -> None:
    async def scenario() -> None:
        script = "i=0; while [ $i -lt 3000 ]; do echo line$i; i=$((i+1)); done; exit 1"
        async with shell(script) as transport:
            await eventually(lambda: transport.returncode == 1)
            received: list[Incoming] = []
            with pytest.raises(ConnectionLost, match="status 1"):
                await _collect(transport, received)
            assert received == [b"line%d" % number for number in range(3000)]

    run(scenario)


def test_a_dead_child_is_noticed_although_a_grandchild_keeps_its_pipes_open() -> None:
    async def scenario() -> None:
        async with shell("setsid sleep 60 & echo $!; exit 5") as transport:
            frames = await transport.receive()
            assert isinstance(frames[0], bytes)
            escaped = int(frames[0])
            try:
                assert "status 5" in await _loss(transport)
            finally:
                os.kill(escaped, signal.SIGKILL)

    run(scenario)


def test_ten_megabytes_on_stderr_block_nobody() -> None:
    async def scenario() -> None:
        script = "head -c 10000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2; echo done"
        async with shell(f"{script}; cat") as transport:
            assert await transport.receive() == [b"done"]
            await eventually(lambda: transport.stderr_tail.endswith("end"))
            assert len(transport.stderr_tail) <= 64 * 1024

    run(scenario)


def test_stderr_is_passed_on_line_by_line() -> None:
    async def scenario() -> None:
        lines: list[str] = []
        transport = await spawn(["sh", "-c", "echo a >&2; echo b >&2; cat"], on_stderr=lines.append)
        await eventually(lambda: lines == ["a", "b"])
        await transport.aclose()

    run(scenario)


def test_a_program_that_does_not_exist_is_named() -> None:
    async def scenario() -> None:
        with pytest.raises(ConnectionLost, match="no program `no-such-agent`"):
            await spawn(["no-such-agent", "acp"])

    run(scenario)


@pytest.mark.parametrize("command", ["cat file", [], ()])
def test_a_command_must_be_a_list(command: Sequence[str]) -> None:
    async def scenario() -> None:
        with pytest.raises(TypeError, match="must be a list"):
            await spawn(command)

    run(scenario)


def test_a_clean_environment_reaches_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")

    async def scenario() -> None:
        transport = await spawn(["env"], clean_env=True, env={"ADDED": "yes"})
        received: list[Incoming] = []
        with pytest.raises(ConnectionLost):
            await _collect(transport, received)
        assert b"ADDED=yes" in received
        assert b"SOME_API_KEY=secret" not in received
        await transport.aclose()

    run(scenario)


def test_closing_ends_an_orderly_child_by_the_end_of_its_input() -> None:
    async def scenario() -> None:
        async with shell("cat; exit 4") as transport:
            transport.send(b"x")
            await transport.aclose()
            assert transport.returncode == 4
            assert await transport.receive() == []
            with pytest.raises(ConnectionClosed):
                transport.send(b"late")

    run(scenario)


def test_closing_terminates_a_child_that_ignores_the_end_of_its_input() -> None:
    async def scenario() -> None:
        async with shell("exec sleep 60", Patience(after_end=0.05)) as transport:
            await transport.aclose()
            assert transport.returncode == -signal.SIGTERM

    run(scenario)


def test_closing_kills_a_child_that_ignores_everything() -> None:
    async def scenario() -> None:
        patience = Patience(after_end=0.05, after_terminate=0.05)
        async with shell("trap '' TERM; echo ready; while :; do sleep 1; done", patience) as child:
            assert await child.receive() == [b"ready"]
            await child.aclose()
            assert child.returncode == -signal.SIGKILL

    run(scenario)


def test_closing_reads_on_so_that_a_talkative_child_comes_to_its_end() -> None:
    async def scenario() -> None:
        script = "cat > /dev/null; head -c 3000000 /dev/zero; exit 6"
        async with shell(script, Patience(after_end=5.0)) as transport:
            await transport.aclose()
            assert transport.returncode == 6

    run(scenario)


def test_no_grandchild_stays_behind() -> None:
    async def scenario() -> int:
        async with shell("sleep 60 & echo $!; cat") as transport:
            frames = await transport.receive()
            assert isinstance(frames[0], bytes)
            return int(frames[0])

    grandchild = run(scenario)
    assert until(lambda: not alive(grandchild))


def test_no_grandchild_stays_behind_when_the_child_ended_long_ago() -> None:
    async def scenario() -> None:
        async with shell("sleep 60 >&- 2>&- & echo $!; exit 0") as transport:
            frames = await transport.receive()
            assert isinstance(frames[0], bytes)
            grandchild = int(frames[0])
            await eventually(lambda: not alive(grandchild))

    run(scenario)


def test_no_zombie_stays_behind() -> None:
    async def scenario() -> None:
        async with shell("exit 1") as transport:
            await eventually(lambda: transport.returncode is not None)
            with pytest.raises(ProcessLookupError):
                os.kill(transport.pid, 0)

    run(scenario)


def test_cancelling_the_close_kills_at_once() -> None:
    async def scenario() -> None:
        async with shell("sleep 60; exit 0", Patience(60.0, 60.0)) as transport:
            async with asyncio.TaskGroup() as group:
                closing = group.create_task(transport.aclose())
                await asyncio.sleep(0.01)
                closing.cancel()
            assert transport.returncode == -signal.SIGKILL

    run(scenario)


def test_two_who_close_at_once_both_wait_for_the_end() -> None:
    async def scenario() -> None:
        async with shell("cat") as transport:
            await asyncio.gather(transport.aclose(), transport.aclose())
            assert transport.returncode == 0

    run(scenario)


def test_a_child_that_echoes_answers_within_moments() -> None:
    async def scenario() -> None:
        transport = await spawn(python("echo.py"))
        transport.send(b"warm")
        assert await transport.receive() == [b"warm"]
        began = time.perf_counter()
        for number in range(100):
            transport.send(b"%d" % number)
            assert await transport.receive() == [b"%d" % number]
        # A round trip costs well below a millisecond; a poll with a timer would cost more.
        assert time.perf_counter() - began < 1.0
        await transport.aclose()

    run(scenario)


async def _collect(transport: ProcessTransport, received: list[Incoming]) -> None:
    while True:
        received += await transport.receive()


async def _loss(transport: ProcessTransport) -> str:
    with pytest.raises(ConnectionLost) as caught:
        await _collect(transport, [])
    return str(caught.value)
