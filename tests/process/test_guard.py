"""The program that ends our process groups when we are killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from parley.process import guard
from parley.process.guard import Guard
from tests.sdk.stage import BOUND
from tests.transport.wires import alive, until

SLEEP = ["sleep", "60"]


@pytest.fixture
def sleepers() -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Three processes, each of which leads a group."""
    started = [subprocess.Popen(SLEEP, start_new_session=True) for _ in range(3)]
    yield started
    for process in started:
        process.kill()
        process.wait(BOUND)


Sleepers = list["subprocess.Popen[bytes]"]


def _shell_of(guarding: Guard) -> int:
    """The id of the program: the one child of ours that reads the pipe of the guard."""
    assert guarding._pipe is not None
    pipe = os.readlink(f"/proc/self/fd/{guarding._pipe}")
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.name) != os.getpid() and os.readlink(folder / "fd/0") == pipe:
                return int(folder.name)
        except OSError:
            continue
    raise AssertionError("nobody reads the pipe")


def test_what_is_watched_ends_with_us_and_what_was_forgotten_does_not(sleepers: Sleepers) -> None:
    guarding = Guard()
    for sleeper in sleepers:
        guarding.watch(sleeper.pid)
    guarding.forget(sleepers[1].pid)
    guarding.forget(sleepers[1].pid)
    shell = _shell_of(guarding)
    # The end of the pipe is what a kill of this process would look like.
    guarding.close()
    guarding.close()
    assert sleepers[0].wait(BOUND) == sleepers[2].wait(BOUND) == -signal.SIGKILL
    os.waitpid(shell, 0)
    assert sleepers[1].poll() is None


def test_the_program_does_not_hear_what_ends_others(sleepers: Sleepers) -> None:
    guarding = Guard()
    guarding.watch(sleepers[0].pid)
    shell = _shell_of(guarding)
    assert os.getpgid(shell) == shell
    # It is up and ignores signals as soon as it has done what it was told.
    guarding.forget(sleepers[0].pid)
    assert until(lambda: _ignores(shell, signal.SIGTERM), BOUND)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        os.kill(shell, number)
    guarding.watch(sleepers[1].pid)
    guarding.close()
    assert sleepers[1].wait(BOUND) == -signal.SIGKILL
    os.waitpid(shell, 0)


def test_a_program_that_somebody_ended_is_started_again(sleepers: Sleepers) -> None:
    guarding = Guard()
    guarding.watch(sleepers[0].pid)
    shell = _shell_of(guarding)
    os.kill(shell, signal.SIGKILL)
    os.waitpid(shell, 0)
    guarding.watch(sleepers[1].pid)
    second = _shell_of(guarding)
    assert second != shell
    guarding.close()
    assert sleepers[0].wait(BOUND) == sleepers[1].wait(BOUND) == -signal.SIGKILL
    os.waitpid(second, 0)


def test_a_fork_has_no_part_in_it(sleepers: Sleepers, monkeypatch: pytest.MonkeyPatch) -> None:
    guarding = Guard()
    guarding.watch(sleepers[0].pid)
    shell = _shell_of(guarding)
    with monkeypatch.context() as forked:
        forked.setattr(os, "getpid", lambda: 1)
        guarding.forget(sleepers[0].pid)
        # The fork closes its copy of the pipe and watches its own groups alone.
        copy = guarding._pipe
        guarding._pipe = None
        guarding.watch(sleepers[1].pid)
        assert guarding._groups == {sleepers[1].pid}
        forks_shell = _shell_of(guarding)
        guarding.close()
    assert sleepers[1].wait(BOUND) == -signal.SIGKILL
    assert sleepers[0].poll() is None
    guarding._pipe = copy
    guarding.close()
    assert sleepers[0].wait(BOUND) == -signal.SIGKILL
    for each in (shell, forks_shell):
        os.waitpid(each, 0)


def test_a_machine_without_a_shell_does_without(
    sleepers: Sleepers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_SHELL", "/no/such/shell")
    before = len(os.listdir("/proc/self/fd"))
    guarding = Guard()
    guarding.watch(sleepers[0].pid)
    guarding.forget(sleepers[0].pid)
    assert len(os.listdir("/proc/self/fd")) == before


def test_grandchildren_of_a_process_that_is_killed_die() -> None:
    program = (
        "import asyncio, os\n"
        "from parley.process.command import start\n"
        "async def main():\n"
        "    line = 'sleep 60 & sh -c \"sleep 60 & echo \\\\$!\"; echo $! $$; wait'\n"
        "    say = lambda data: os.write(1, data)\n"
        "    await start(('sh', '-c', line), cwd='/', env=os.environ, on_output=say).wait()\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        words = process.stdout.readline() + process.stdout.readline()
        pids = [int(word) for word in words.split()]
        assert len(pids) == 3
        assert all(map(alive, pids))
        process.kill()
    assert until(lambda: not any(map(alive, pids)), BOUND)


def _ignores(pid: int, number: int) -> bool:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    mask = next(line.split()[1] for line in lines if line.startswith("SigIgn"))
    return bool(int(mask, 16) >> (number - 1) & 1)
