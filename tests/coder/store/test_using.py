"""Who uses the store."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from parley.coder.store import using
from parley.coder.store.lock import SessionLock, StoreLock
from parley.coder.store.using import LOCK_NAME, User, is_used, users
from tests.coder.store.repair_campaign import repairer
from tests.coder.store.staging import FIRST, SECOND, THIRD, filled, opened, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "locks").mkdir()
    return tmp_path


def test_nobody_uses_what_is_not_there(tmp_path: Path) -> None:
    assert not is_used(tmp_path / "none")
    assert users(tmp_path / "none") == ()


def test_those_who_hold_sessions_are_named(folder: Path) -> None:
    lock = SessionLock.take(folder / "locks", FIRST)
    assert users(folder) == (User(os.getpid(), FIRST),)
    assert users(folder)[0].text == f"process {os.getpid()} has session `{FIRST}` open"
    lock.release()
    assert users(folder) == ()


def test_what_the_dead_have_left_names_nobody(folder: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(5)
    (folder / "locks" / f"{FIRST}.lock").write_text(str(gone.pid))
    (folder / "locks" / f"{SECOND}.lock").write_text("no number")
    (folder / "locks" / f"{THIRD}.lock").mkdir()
    (folder / "locks" / "one-of-too-many-digits.lock").write_text("9" * 20)
    assert users(folder) == ()


def test_a_process_of_somebody_else_lives(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(pid: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    (folder / "locks" / f"{FIRST}.lock").write_text("1")
    assert users(folder) == (User(1, FIRST),)


def test_a_process_that_only_has_the_store_open_is_named_by_the_kernel(tmp_path: Path) -> None:
    async def make() -> None:
        async with opened(tmp_path) as store:
            await filled(store, FIRST)

    run(make)
    with repairer() as program:
        pid = program.share(tmp_path)
        assert is_used(tmp_path)
        found = users(tmp_path)
        os.kill(pid, 9)
        program.ended()
    assert found == (User(pid),)
    assert found[0].text == f"process {pid} has the store open"
    assert not is_used(tmp_path)


def test_without_a_table_of_the_kernel_less_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = StoreLock(tmp_path / LOCK_NAME)
    assert lock.share(0)
    inode = (tmp_path / LOCK_NAME).stat().st_ino
    table = tmp_path / "table"
    monkeypatch.setattr(using, "_KERNEL_TABLE", table)
    assert users(tmp_path) == ()
    parent = os.getppid()
    lines = [
        "odd",
        f"1: POSIX  ADVISORY  READ {parent} 00:01:{inode} 0 EOF",
        f"2: FLOCK  ADVISORY  READ {parent} 00:01:{inode}1 0 EOF",
        f"3: FLOCK  ADVISORY  READ {os.getpid()} 00:01:{inode} 0 EOF",
        f"4: FLOCK  ADVISORY  READ {parent} 00:01:{inode} 0 EOF",
    ]
    table.write_text("\n".join(lines))
    assert users(tmp_path) == (User(parent),)
    lock.release()


def test_a_lock_that_cannot_be_opened_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bool:
        raise OSError

    (tmp_path / LOCK_NAME).touch()
    monkeypatch.setattr(StoreLock, "alone", refuse)
    assert not is_used(tmp_path)
