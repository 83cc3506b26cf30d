"""The view of the file system that a command gets, and ordinary work inside of it."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from parley.coder.sandbox import landlock, mounts
from parley.coder.sandbox.mounts import MountBox
from parley.coder.sandbox.policy import Limits, protected_in
from parley.coder.sandbox.seccomp import program

ENV = {
    "PATH": os.environ["PATH"],
    **{f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def box(limits: Limits) -> MountBox:
    filter_ = program(os.uname().machine, network=True)
    assert filter_ is not None
    return MountBox(limits, landlock.abi(), filter_)


def ran(limits: Limits, script: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    with box(limits).launch(("sh", "-c", script), str(cwd)) as launch:
        return subprocess.run(
            launch.command,
            cwd=cwd,
            env=ENV,
            preexec_fn=launch.setup,
            capture_output=True,
            text=True,
            timeout=5,
        )


def project(folder: Path) -> Limits:
    (folder / "project").mkdir()
    return Limits(
        (str(folder / "project"), "/dev/shm"), protected=protected_in(str(folder / "project"))
    )


WORK = """
set -e
git init -q . 2>/dev/null; echo 1 > a; git add a; git commit -qm one; git checkout -q -b two
printf '#!/bin/sh\\necho ran\\n' > run; chmod +x run; ./run
mkdir -p x/y; mv a x/y/; ln x/y/a b; ln -s x c; mkfifo pipe; cat c/y/a; truncate -s 0 b
python3 -c 'import multiprocessing as m; print(m.get_context("fork").Pool(2).map(abs, [-1]))'
head -c 5 /etc/passwd > d; ls / > e; rm -r x; git status --porcelain | wc -l
"""


def test_ordinary_work_goes_on_inside(tmp_path: Path) -> None:
    done = ran(project(tmp_path), WORK, tmp_path / "project")
    assert done.stderr == ""
    assert done.stdout.split() == ["ran", "1", "[1]", "6"]


def test_what_exists_and_is_protected_cannot_be_changed_and_git_goes_on(tmp_path: Path) -> None:
    limits = project(tmp_path)
    work = tmp_path / "project"
    subprocess.run(("git", "init", "-q"), cwd=work, check=True, timeout=5)
    (work / ".vscode").mkdir()
    (work / ".idea").symlink_to(tmp_path)
    script = "touch .vscode/x; echo x >> .git/config; mv .git y; echo 1 > a; git add a"
    done = ran(limits, f"{script}; git commit -qm one; git log --oneline", work)
    assert done.stderr.count("Read-only file system") == 2
    assert done.stdout.endswith(" one\n")
    assert not list((work / ".vscode").iterdir())


def test_a_path_may_be_hidden_inside_of_a_folder_that_is_hidden(tmp_path: Path) -> None:
    limits = project(tmp_path)
    (tmp_path / "data" / "log").mkdir(parents=True)
    (tmp_path / "data" / "log" / "lines").write_text("1")
    hidden = tuple(str(tmp_path / name) for name in ("data/log/lines", "data", "data/log"))
    limits = Limits(limits.writable, hidden)
    done = ran(limits, "ls -A ../data; echo ran", tmp_path / "project")
    assert (done.stdout, done.stderr) == ("ran\n", "")


def test_hidden_folders_and_files_are_empty_also_inside_the_workspace(tmp_path: Path) -> None:
    limits = project(tmp_path)
    work = tmp_path / "project"
    for name in ("keys/key", "key"):
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text("secret")
    hidden = tuple(str(work / name) for name in ("keys", "key", "absent"))
    limits = Limits(limits.writable, hidden)
    done = ran(limits, "cat key; ls keys; echo x > keys/new; echo x > new; cat new", work)
    assert done.stdout == "x\n"
    assert (work / "keys/key").read_text() == (work / "key").read_text() == "secret"


def test_what_is_mounted_for_a_command_is_gone_with_it(tmp_path: Path) -> None:
    before = Path("/proc/self/mounts").read_text()
    ran(project(tmp_path), "true", tmp_path / "project")
    assert Path("/proc/self/mounts").read_text() == before


def test_a_command_whose_mounts_cannot_be_made_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "_MOUNT_SETATTR", 100_000)
    with pytest.raises(subprocess.SubprocessError):
        ran(project(tmp_path), "touch ran", tmp_path / "project")
    assert not (tmp_path / "project/ran").exists()


def test_the_process_that_sets_itself_up_is_confined_for_good(tmp_path: Path) -> None:
    # Whoever measures the tests writes into the folder that they run in.
    limits = project(tmp_path)
    hidden = (tmp_path / "project/key", tmp_path / "project/keys")
    hidden[0].touch()
    hidden[1].mkdir()
    (tmp_path / "project/.vscode").mkdir()
    here = os.getcwd()
    limits = Limits((*limits.writable, here), tuple(map(str, hidden)), limits.protected)
    with box(limits).launch(("true",), here) as launch:
        assert launch.setup is not None
        assert in_child(launch.setup, tmp_path / "made") == 1
        assert in_child(launch.setup, tmp_path / "project/made") == 0


def test_the_mounts_of_somebody_who_is_not_root_need_a_namespace_of_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() or 4711)
    here = os.getcwd()
    with box(Limits((here,))).launch(("true",), here) as launch:
        assert launch.setup is not None
        assert in_child(launch.setup, tmp_path / "made") != 0


def in_child(setup: Callable[[], None], path: Path) -> int:
    """Set a fork up and let it make a file: 0 if it could, 1 if it could not, 2 if not set up."""
    child = os.fork()
    if child == 0:
        status = 2
        try:
            setup()
            status = 1
            os.open(path, os.O_CREAT | os.O_WRONLY)
            status = 0
        except OSError:
            pass
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
