"""Commands from their start to the end of everything they started."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parley.process import children, command
from parley.process.command import Command, signal_name, start
from tests.process.pipes import waiting_in
from tests.sdk.stage import BOUND, run
from tests.transport.wires import alive, eventually, until

ENV = {"PATH": os.environ["PATH"]}
HOLD = "until [ -e go ]; do sleep 0.01; done"


class Listener:
    """A shell script that runs, and what it wrote."""

    def __init__(self, script: str, folder: Path) -> None:
        self.heard = b""
        self.command: Command = start(
            ("sh", "-c", script), cwd=str(folder), env=ENV, on_output=self._hear
        )

    async def hears(self, words: bytes) -> None:
        await eventually(lambda: words in self.heard)

    def _hear(self, data: bytes) -> None:
        self.heard += data


def test_both_outputs_come_in_their_order_and_the_status_follows(tmp_path: Path) -> None:
    async def scenario() -> None:
        listener = Listener("echo 1; echo 2 >&2; cat; echo 3; exit 3", tmp_path)
        assert listener.command.returncode is None
        assert await listener.command.wait() == 3
        assert listener.command.returncode == 3
        assert listener.heard == b"1\n2\n3\n"

    run(scenario())


def test_output_arrives_while_the_command_runs(tmp_path: Path) -> None:
    async def scenario() -> None:
        listener = Listener(f"echo early; {HOLD}", tmp_path)
        await listener.hears(b"early\n")
        assert listener.command.returncode is None
        (tmp_path / "go").touch()
        assert await listener.command.wait() == 0

    run(scenario())


def test_a_command_waits_while_its_listener_pauses(tmp_path: Path) -> None:
    async def scenario() -> None:
        listener = Listener("yes | head -c 1000000", tmp_path)
        listener.command.pause()
        listener.command.pause()
        fd = listener.command._output.fd
        await eventually(lambda: waiting_in(fd) >= 60_000)
        assert listener.heard == b""
        listener.command.resume()
        await listener.command.wait()
        assert len(listener.heard) == 1_000_000

    run(scenario())


def test_a_flood_is_read_with_rests_and_read_whole(tmp_path: Path) -> None:
    async def scenario() -> None:
        listener = Listener("head -c 3000000 /dev/zero", tmp_path)
        await eventually(lambda: len(listener.heard) >= command.BURST)
        assert await listener.command.wait() == 0
        assert len(listener.heard) == 3_000_000

    run(scenario())


def test_nothing_is_read_during_a_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "BURST", 1)
    monkeypatch.setattr(command, "REST", 60)

    async def scenario() -> None:
        until_asked = "until [ -e more ]; do sleep 0.01; done"
        listener = Listener(f"echo one; {until_asked}; echo two; touch said; {HOLD}", tmp_path)
        await listener.hears(b"one\n")
        (tmp_path / "more").touch()
        await eventually((tmp_path / "said").exists)
        assert listener.heard == b"one\n"
        (tmp_path / "go").touch()
        await listener.command.wait()
        assert listener.heard == b"one\ntwo\n"

    run(scenario())


def test_a_command_is_asked_before_it_is_killed(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.01; done"
        listener = Listener(script, tmp_path)
        await listener.hears(b"up\n")
        await listener.command.stop(BOUND)
        assert listener.command.returncode == 5
        assert listener.heard.endswith(b"bye\n")
        await listener.command.stop()

    run(scenario())


def test_a_command_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    async def scenario() -> None:
        listener = Listener("trap '' TERM; echo up; while :; do sleep 1; done", tmp_path)
        await listener.hears(b"up\n")
        await listener.command.stop(0.05)
        assert listener.command.returncode == -signal.SIGKILL

    run(scenario())


def test_a_stop_that_is_cancelled_kills_at_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        listener = Listener("trap '' TERM; echo up; while :; do sleep 1; done", tmp_path)
        await listener.hears(b"up\n")
        async with asyncio.TaskGroup() as group:
            stopping = group.create_task(listener.command.stop(BOUND))
            await asyncio.sleep(0)
            stopping.cancel()
        assert await listener.command.wait() == -signal.SIGKILL

    run(scenario())


@pytest.mark.parametrize("way", ["ends", "kill"])
def test_what_a_command_started_ends_with_it(way: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        last = "" if way == "ends" else "; sleep 60"
        listener = Listener(f"sleep 60 & sh -c 'sleep 60 & echo $!'; echo $!{last}", tmp_path)
        await eventually(lambda: listener.heard.count(b"\n") == 2)
        if way == "kill":
            await listener.command.kill()
        await listener.command.wait()
        started = [int(pid) for pid in listener.heard.split()]
        await eventually(lambda: not any(map(alive, started)))
        assert listener.command.pid not in children._groups

    run(scenario())


def test_a_command_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    program = (
        "import asyncio\n"
        "from parley.process.command import start\n"
        "async def main():\n"
        "    running = start(('sleep', '60'), cwd='/', env={}, on_output=print)\n"
        "    print(running.pid, flush=True)\n"
        "    await running.wait()\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert alive(pid)
        process.kill()
    assert until(lambda: not alive(pid), BOUND)


def test_a_command_may_close_its_output_and_run_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        listener = Listener(f"echo last; exec >&- 2>&-; {HOLD}; exit 4", tmp_path)
        await eventually(lambda: not listener.command.reading)
        assert listener.heard == b"last\n"
        (tmp_path / "go").touch()
        assert await listener.command.wait() == 4

    run(scenario())


def test_nothing_is_handed_on_after_close(tmp_path: Path) -> None:
    async def scenario() -> None:
        listener = Listener(f"echo one; {HOLD}; echo two", tmp_path)
        await listener.hears(b"one\n")
        listener.command.close()
        (tmp_path / "go").touch()
        await listener.command.wait()
        assert listener.heard == b"one\n"

    run(scenario())


@pytest.mark.parametrize(
    ("argv", "cwd", "why"),
    [
        (("no-such-program",), "/", "No such file"),
        (("true",), "/no/such/folder", "No such file"),
        (("true", "a\0b"), "/", "no command line"),
        (("true", "\ud800"), "/", "no command line"),
    ],
)
def test_what_cannot_be_started_says_why_and_leaves_nothing(
    argv: tuple[str, ...], cwd: str, why: str
) -> None:
    async def scenario() -> None:
        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises(OSError, match=why):
            start(argv, cwd=cwd, env=ENV, on_output=lambda data: None)
        assert len(os.listdir("/proc/self/fd")) == before

    run(scenario())


def test_what_is_set_up_in_the_child_holds_for_the_program(tmp_path: Path) -> None:
    async def scenario() -> None:
        theirs, ours = os.pipe()
        os.write(ours, b"inherited")
        os.close(ours)
        heard = bytearray()
        running = start(
            ("sh", "-c", f"umask; head -c 9 /dev/fd/{theirs}"),
            cwd=str(tmp_path),
            env=ENV,
            on_output=heard.extend,
            setup=lambda: os.umask(0o123) and None,
            keep=(theirs,),
        )
        os.close(theirs)
        await running.wait()
        assert heard == b"0123\ninherited"

    run(scenario())


def test_a_program_that_cannot_be_set_up_does_not_run(tmp_path: Path) -> None:
    async def scenario() -> None:
        def fail() -> None:
            raise OSError("no")

        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises(OSError, match="set up"):
            start(
                ("touch", "ran"),
                cwd=str(tmp_path),
                env=ENV,
                on_output=lambda data: None,
                setup=fail,
            )
        assert len(os.listdir("/proc/self/fd")) == before
        assert not (tmp_path / "ran").exists()

    run(scenario())


def test_a_signal_has_a_name_also_when_it_has_none() -> None:
    assert signal_name(9) == "SIGKILL"
    assert signal_name(40) == "signal 40"
