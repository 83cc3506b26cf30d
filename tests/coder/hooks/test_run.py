"""Running a hook: what it gets, and that it ends whatever it does."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from parley.coder.hooks.run import (
    MOST_BYTES,
    hook_environment,
    program_of,
    run_hook,
)
from parley.coder.hooks.verdict import Ended

PATH = {"PATH": os.defpath}


def run(
    *command: str,
    told: bytes = b"{}",
    seconds: float = 5,
    roots: tuple[str, ...] = ("/nowhere",),
    **more: str,
) -> Ended:
    async def scenario() -> Ended:
        async with asyncio.timeout(10):
            return await run_hook(
                command, told, seconds=seconds, environment=PATH | more, roots=roots
            )

    return asyncio.run(scenario())


def sh(script: str, told: bytes = b"{}", seconds: float = 5) -> Ended:
    return run("/bin/sh", "-c", script, told=told, seconds=seconds)


def lives(pid: int) -> bool:
    """Whether a process still runs; one that nobody has reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while lives(pid) and time.monotonic() < deadline:
        os.sched_yield()
    return not lives(pid)


def test_a_hook_reads_what_it_is_told_and_says_what_it_likes() -> None:
    ended = sh("cat; echo no >&2; exit 2", told=b'{"a": "\\n"}')
    assert ended == Ended(2, '{"a": "\\n"}', "no\n")


def test_a_hook_need_not_read_what_it_is_told() -> None:
    assert sh("exit 0", told=b"x" * 4_000_000) == Ended(0)


def test_a_large_call_is_told_whole() -> None:
    assert sh("wc -c", told=b"x" * 4_000_000).stdout.strip() == "4000000"


def test_words_reach_the_program_as_they_are() -> None:
    assert run("printf", "%s|", "a b", "$HOME", "`x`", "\n").stdout == "a b|$HOME|`x`|\n|"


def test_a_hook_gets_the_given_environment_and_the_home_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    monkeypatch.setenv("HOME", str(tmp_path))
    ended = run("/bin/sh", "-c", "env; pwd", WISH="granted")
    assert "WISH=granted" in ended.stdout
    assert "canary" not in ended.stdout
    assert ended.stdout.endswith(f"{tmp_path}\n")


def test_without_a_home_folder_it_runs_at_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nowhere/at/all")
    assert sh("pwd").stdout == "/\n"


@pytest.mark.parametrize("name", ["no-such-program-anywhere", "/nowhere/x", "/etc", "rel/ative"])
def test_a_missing_program_is_named_as_the_problem(name: str) -> None:
    assert "cannot be found" in run(name).problem


def test_a_file_that_is_no_program_cannot_be_started(tmp_path: Path) -> None:
    file = tmp_path / "hook"
    file.write_bytes(b"\x7fELF nonsense")
    file.chmod(0o755)
    assert "cannot be started" in run(str(file)).problem


def test_a_hook_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    ended = sh(f"trap '' TERM; sleep 60 & echo $! $$ > {pids}; wait", seconds=0.3)
    assert ended.problem == "did not end within 0.3 seconds"
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_what_a_hook_leaves_running_ends_with_it(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    started = time.monotonic()
    assert sh(f"sleep 60 & echo $! > {pids}; echo done") == Ended(0, "done\n")
    assert time.monotonic() - started < 4
    assert gone(int(pids.read_text()))


@pytest.mark.parametrize("target", ["&1", "&2"])
def test_a_flood_is_ended_at_once(target: str) -> None:
    started = time.monotonic()
    ended = sh(f"while :; do echo 0123456789012345678901234567890123456789; done >{target}")
    assert ended.problem == f"wrote more than {MOST_BYTES} bytes"
    assert len(ended.stdout) <= MOST_BYTES
    assert len(ended.stderr) <= MOST_BYTES
    assert time.monotonic() - started < 4


def test_a_flood_that_ends_by_itself_does_not_count_either() -> None:
    ended = sh(f"head -c {MOST_BYTES + 1} /dev/zero >&2; exit 2")
    assert ended.problem


def test_a_hook_that_is_killed_says_nothing() -> None:
    assert sh("echo x; kill -9 $$").problem == "was ended by SIGKILL"


def test_a_hook_may_close_its_outputs_and_go_on() -> None:
    assert sh("exec >&- 2>&-; sleep 0.05; exit 2") == Ended(2)


def test_output_that_is_no_text_does_no_harm() -> None:
    assert sh(r"printf '\377\000'").stdout == "\ufffd\0"


def test_cancelling_ends_a_hook_at_once(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def scenario() -> float:
        command = ("/bin/sh", "-c", f"trap '' TERM; echo $$ > {pids}.new; mv {pids}.new {pids};"
                   " while :; do sleep 60; done")  # fmt: skip
        task = asyncio.create_task(
            run_hook(command, b"", seconds=60, environment=PATH, roots=("/nowhere",))
        )
        async with asyncio.timeout(5):
            while not pids.exists():  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - started

    assert asyncio.run(scenario()) < 1
    assert gone(int(pids.read_text()))


def test_no_descriptor_is_left_open() -> None:
    sh("exit 0")
    before = len(os.listdir("/proc/self/fd"))
    for script in ("exit 2", "echo x; echo y >&2", "sleep 60"):
        sh(script, seconds=0.1)
    run("/nowhere/x")
    assert len(os.listdir("/proc/self/fd")) == before


def test_no_program_of_the_project_is_started(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    for folder in (project, outside):
        folder.mkdir()
        (folder / "check").write_text("#!/bin/sh\nexit 0\n")
        (folder / "check").chmod(0o755)
    (outside / "link").symlink_to(project / "check")
    (tmp_path / "linked").symlink_to(project)
    roots = (str(project),)
    path = f"{project}:{tmp_path}/linked:.::relative:{outside}"
    assert hook_environment({"PATH": path}, roots)["PATH"] == str(outside)
    assert program_of("check", path, roots) == str(outside / "check")
    assert program_of("link", path, roots) is None
    assert program_of(str(project / "check"), path, roots) is None
    assert program_of(f"{outside}/../project/check", path, roots) is None
    assert program_of(f"{tmp_path}/linked/check", path, roots) is None


@pytest.mark.parametrize(
    "words",
    [
        ("{project}/check",),
        ("~/proj/check",),
        ("proj/check",),
        ("./proj/check",),
        ("-c", "sh ~/proj/check"),
        ("-c", 'cd /; exec "$HOME/proj/check"'),
        ("-c", "(. ${{HOME}}/proj/../proj/check)|cat"),
        ("--chdir={project}",),
        ("-f", "@{project}/check"),
        ("{project}/not-there-yet",),
    ],
)
def test_no_word_of_a_hook_names_something_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "proj").mkdir()
    (tmp_path / "proj" / "check").touch()
    project = str(tmp_path / "proj")
    ended = run("/bin/sh", *(word.format(project=project) for word in words), roots=(project,))
    assert ended.problem == "names a file of the project; keep hooks outside of it"


def test_words_that_only_look_like_the_project_are_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "proj").mkdir()
    ended = run("/bin/sh", "-c", "echo projects s/proj/play/", roots=(str(tmp_path / "proj"),))
    assert (ended.status, ended.problem) == (0, "")


def test_no_variable_makes_a_hook_load_something_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "project")
    project = str(tmp_path / "project")
    given = {
        "PYTHONPATH": f"/usr/lib/x:{tmp_path}/linked/src",
        "NODE_OPTIONS": f"--max-old-space-size=1 --require={project}/x.js",
        "VIRTUAL_ENV": f"{project}/.venv",
        "LD_LIBRARY_PATH": "/usr/lib:relative",
        "HOME": project,
        "LANG": "C",
        "PATH": f"/bin:{project}",
    }
    assert hook_environment(given, (project,)) == {
        "LD_LIBRARY_PATH": "/usr/lib:relative",
        "HOME": project,
        "LANG": "C",
        "PATH": "/bin",
    }


def test_the_home_folder_can_be_written_in_short(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "check").write_text("#!/bin/sh\necho $1\n")
    (tmp_path / "check").chmod(0o755)
    assert run("~/check", "~/x").stdout == f"{tmp_path}/x\n"
    assert run("~/check", "~x ~/").stdout == "~x ~/\n"


def test_a_shell_line_does_not_find_programs_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "sneaky").write_text("#!/bin/sh\ntouch ran\n")
    (tmp_path / "sneaky").chmod(0o755)
    ended = run("/bin/sh", "-c", "sneaky", roots=(str(tmp_path),), PATH=f"{tmp_path}:{os.defpath}")
    assert ended.status == 127
