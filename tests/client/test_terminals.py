"""Commands of this machine, from their start to their release."""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from parley.client.roots import Roots
from parley.client.terminals import LocalTerminal, LocalTerminals
from parley.errors import InternalError, InvalidParams, ResourceNotFound
from parley.process import children
from parley.session.event import ExitStatus
from parley.session.role import TerminalOutput
from tests.sdk.stage import run
from tests.transport.wires import alive, eventually

SHOW = str(Path(__file__).parent / "programs" / "show.py")
KILLED = ExitStatus(signal="SIGKILL")


async def _shell(terminals: LocalTerminals, script: str, limit: int | None = None) -> LocalTerminal:
    return await terminals.create("s", "sh", ("-c", script), output_limit=limit)


async def _first_words(terminal: LocalTerminal) -> str:
    """Wait until there is some output; what it is."""
    await eventually(lambda: bool(terminal._tail.text))
    return terminal._tail.text


def test_a_terminal_is_there_at_once_and_its_command_runs_on_v1_trm_03_07(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asyncio.timeout(1):
            terminal = await _shell(LocalTerminals([tmp_path]), "echo here; exec sleep 60")
        async with terminal:
            assert await _first_words(terminal) == "here\n"
            assert await terminal.output() == TerminalOutput("here\n", False, None)
            await terminal.kill()
            assert await terminal.output() == TerminalOutput("here\n", False, KILLED)

    run(scenario())


def test_a_command_gets_its_arguments_variables_and_directory_v1_trm_04(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS", "1")
    inner = tmp_path / "inner"
    inner.mkdir()
    args = ("a b", "", "$HOME", "*", "'\"", "-c", "\N{GRINNING FACE}", "x\ny")

    async def shown(terminals: LocalTerminals, cwd: str | None) -> dict[str, object]:
        env = {"ADDED": "x=y"}
        command = (SHOW, *args)
        terminal = await terminals.create("s", sys.executable, command, env=env, cwd=cwd)
        async with terminal:
            assert await terminal.wait() == ExitStatus(0)
            return json.loads((await terminal.output()).text)

    async def scenario() -> None:
        expected = {"args": list(args), "added": "x=y", "ours": "1", "input": ""}
        terminals = LocalTerminals([tmp_path])
        assert await shown(terminals, str(inner)) == {**expected, "cwd": str(inner)}
        assert await shown(terminals, None) == {**expected, "cwd": str(tmp_path)}
        clean = LocalTerminals([tmp_path], clean_env=True)
        assert await shown(clean, None) == {**expected, "ours": None, "cwd": str(tmp_path)}

    run(scenario())


def test_the_end_of_a_long_output_is_kept_v1_trm_05(tmp_path: Path) -> None:
    script = "import sys; sys.stdout.write(''.join(f'{n:09}\\n' for n in range(100_000)))"

    async def scenario() -> None:
        terminals = LocalTerminals([tmp_path], kept_bytes=5_000)
        for limit, size in [(1_000, 1_000), (None, 5_000), (2**63, 5_000)]:
            command = ("-c", script)
            terminal = await terminals.create("s", sys.executable, command, output_limit=limit)
            async with terminal:
                assert await terminal.wait() == ExitStatus(0)
                output = await terminal.output()
                assert output.truncated
                assert len(output.text) == size
                assert output.text.endswith("000099998\n000099999\n")

    run(scenario())


@pytest.mark.parametrize("limit", range(1, 21))
def test_an_output_is_cut_between_characters_v1_trm_06(limit: int, tmp_path: Path) -> None:
    async def scenario() -> None:
        script = r"for i in 1 2 3 4 5 6; do printf '\360\237\230\200'; done"
        async with await _shell(LocalTerminals([tmp_path]), script, limit) as terminal:
            await terminal.wait()
            expected = TerminalOutput("\N{GRINNING FACE}" * (limit // 4), True, ExitStatus(0))
            assert await terminal.output() == expected

    run(scenario())


def test_both_outputs_of_a_command_come_in_its_order(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = "echo 1; echo 2 >&2; echo 3; echo 4 >&2; exit 3"
        async with await _shell(LocalTerminals([tmp_path]), script) as terminal:
            assert await terminal.wait() == ExitStatus(3)
            expected = TerminalOutput("1\n2\n3\n4\n", False, ExitStatus(3))
            assert await terminal.output() == expected

    run(scenario())


def test_whoever_waits_is_told_also_afterwards_v1_trm_08(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = "until [ -e go ]; do sleep 0.01; done; exit 7"
        async with await _shell(LocalTerminals([tmp_path]), script) as terminal:
            async with asyncio.TaskGroup() as waiting:
                waiters = [waiting.create_task(terminal.wait()) for _ in range(3)]
                impatient = waiting.create_task(terminal.wait())
                await asyncio.sleep(0)
                impatient.cancel()
                (tmp_path / "go").touch()
            assert [waiter.result() for waiter in waiters] == [ExitStatus(7)] * 3
            assert await terminal.wait() == ExitStatus(7)

    run(scenario())


def test_a_killed_terminal_can_still_be_asked_v1_trm_09_13(tmp_path: Path) -> None:
    async def scenario() -> None:
        # A command that does not listen to polite requests.
        script = "trap '' TERM INT; echo up; while :; do sleep 1; done"
        async with await _shell(LocalTerminals([tmp_path]), script) as terminal:
            assert await _first_words(terminal) == "up\n"
            for _ in range(2):
                await terminal.kill()
                assert await terminal.wait() == KILLED
                assert await terminal.output() == TerminalOutput("up\n", False, KILLED)

    run(scenario())


@pytest.mark.parametrize(("number", "name"), [(11, "SIGSEGV"), (15, "SIGTERM"), (40, "signal 40")])
def test_a_command_that_a_signal_ended_has_no_code_v1_trm_13(
    number: int, name: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with await _shell(LocalTerminals([tmp_path]), f"kill -{number} $$") as terminal:
            assert await terminal.wait() == ExitStatus(None, name)

    run(scenario())


def test_a_released_terminal_is_gone_v1_trm_10(tmp_path: Path) -> None:
    async def scenario() -> None:
        terminal = await _shell(LocalTerminals([tmp_path]), "echo $$; exec sleep 60")
        text = await _first_words(terminal)
        async with asyncio.TaskGroup() as waiting:
            waiter = waiting.create_task(terminal.wait())
            await asyncio.sleep(0)
            await terminal.release()
        assert waiter.result() == KILLED
        assert not alive(int(text))
        await terminal.release()
        for use in (terminal.output, terminal.wait, terminal.kill):
            with pytest.raises(ResourceNotFound, match="released"):
                await use()

    run(scenario())


@pytest.mark.parametrize("ending", ["exit 0", "exec sleep 60"])
def test_the_children_of_a_command_end_with_it_v1_trm_15(ending: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        script = f"sleep 60 & echo $!; {ending}"
        async with await _shell(LocalTerminals([tmp_path]), script) as terminal:
            text = await _first_words(terminal)
            if ending != "exit 0":
                await terminal.kill()
            await terminal.wait()
            await eventually(lambda: not alive(int(text)))

    run(scenario())


@pytest.mark.parametrize("program", ["sleep 60", "yes"])
def test_whoever_left_the_group_does_not_hold_the_end_up(program: str, tmp_path: Path) -> None:
    note = tmp_path / "pid"

    async def scenario() -> None:
        leaving = f"echo $$ > pid.new; mv pid.new pid; exec {program}"
        script = f"setsid sh -c '{leaving}' & until [ -e go ]; do sleep 0.01; done; echo over"
        async with await _shell(LocalTerminals([tmp_path]), script) as terminal:
            await eventually(note.exists)
            if program == "yes":
                assert (await _first_words(terminal)).startswith("y")
            (tmp_path / "go").touch()
            assert await terminal.wait() == ExitStatus(0)
            assert "over\n" in (await terminal.output()).text or program == "yes"

    try:
        run(scenario())
    finally:
        with suppress(ProcessLookupError):
            os.kill(int(note.read_text()), signal.SIGKILL)


def test_a_command_may_close_its_output_and_run_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = "echo last; exec >&- 2>&-; until [ -e go ]; do sleep 0.01; done; exit 4"
        async with await _shell(LocalTerminals([tmp_path]), script) as terminal:
            await eventually(lambda: not terminal._command.reading)
            assert await terminal.output() == TerminalOutput("last\n", False, None)
            (tmp_path / "go").touch()
            assert await terminal.wait() == ExitStatus(4)

    run(scenario())


def test_a_command_that_writes_without_end_is_kept_within_its_bounds(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with await _shell(LocalTerminals([tmp_path]), "exec yes", 1_000) as terminal:
            await eventually(lambda: terminal._tail.truncated)
            output = await terminal.output()
            assert len(output.text) == 1_000
            assert set(output.text) == {"y", "\n"}

    run(scenario())


def test_a_directory_outside_the_roots_is_refused_v1_dir_09(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "file").write_text("")

    async def refused(roots: Roots, cwd: str | None, why: str) -> None:
        with pytest.raises(InvalidParams, match=why) as caught:
            await LocalTerminals(roots).create("s", "true", cwd=cwd)
        assert caught.value.data == {"path": "cwd"}

    async def scenario() -> None:
        roots = Roots([root])
        await refused(roots, f"{root}/out", "outside")
        await refused(roots, str(tmp_path), "outside")
        await refused(roots, "inner", "not absolute")
        await refused(roots, "", "not absolute")
        await refused(roots, f"{root}/missing", "no directory")
        await refused(roots, f"{root}/file", "no directory")
        await refused(Roots(), None, "has no directory")
        await refused(Roots([tmp_path / "missing"]), None, "no directory")

    run(scenario())


@pytest.mark.parametrize(
    ("command", "args", "env"),
    [
        ("no-such-program", (), {}),
        ("/", (), {}),
        ("", (), {}),
        ("true", ("a\0b",), {}),
        ("true", (), {"A=B": "c"}),
        ("true", ("\ud800",), {}),
    ],
)
def test_what_cannot_be_started_is_refused(
    command: str, args: tuple[str, ...], env: dict[str, str], tmp_path: Path
) -> None:
    async def scenario() -> None:
        before = len(os.listdir("/proc/self/fd"))
        terminals = LocalTerminals([tmp_path], most=1)
        for _ in range(2):
            with pytest.raises(InvalidParams, match=f"cannot start `{command}`"):
                await terminals.create("s", command, args, env=env)
        assert len(os.listdir("/proc/self/fd")) == before

    run(scenario())


def test_terminals_that_nobody_releases_are_not_endless(tmp_path: Path) -> None:
    async def scenario() -> None:
        terminals = LocalTerminals([tmp_path], most=2)
        first, second = [await terminals.create("s", "true") for _ in range(2)]
        assert first.id != second.id
        with pytest.raises(InternalError, match="too many terminals"):
            await terminals.create("s", "true")
        await first.release()
        async with second, await terminals.create("s", "true"):
            pass

    run(scenario())


def test_a_command_that_runs_is_among_those_that_end_with_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered: list[int] = []
    monkeypatch.setattr(children, "remember", remembered.append)

    async def scenario() -> None:
        async with await _shell(LocalTerminals([tmp_path]), "exec sleep 60") as terminal:
            assert remembered == [terminal._command.pid]

    run(scenario())


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        terminals = LocalTerminals([tmp_path])
        # The first command of a process opens a pipe that all the others share.
        async with await _shell(terminals, "exit 0"):
            pass
        before = len(os.listdir("/proc/self/fd"))
        for script in ("exit 0", "exec sleep 60"):
            async with await _shell(terminals, script) as terminal:
                if script == "exit 0":
                    await terminal.wait()
        assert len(os.listdir("/proc/self/fd")) == before

    run(scenario())
