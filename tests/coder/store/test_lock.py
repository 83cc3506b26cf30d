"""Locks of sessions and of the store."""

import errno
import fcntl
import os
import stat
from pathlib import Path

import pytest

from parley.coder.store import lock as module
from parley.coder.store.failure import SessionInUse
from parley.coder.store.lock import SessionLock, StoreLock
from tests.coder.store.staging import FIRST, SECOND


def test_a_session_is_locked_once_and_free_again_after_the_release(tmp_path: Path) -> None:
    lock = SessionLock.take(tmp_path, FIRST)
    with pytest.raises(SessionInUse) as refusal:
        SessionLock.take(tmp_path, FIRST)
    assert refusal.value.pid == os.getpid()
    other = SessionLock.take(tmp_path, SECOND)
    lock.release()
    lock.release()
    SessionLock.take(tmp_path, FIRST).release()
    other.release()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_a_lock_file_is_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        lock = SessionLock.take(tmp_path, FIRST)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / f"{FIRST}.lock").stat().st_mode) == 0o600
    lock.release()


def test_a_file_left_by_a_dead_process_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / f"{FIRST}.lock").write_text("4194304")
    SessionLock.take(tmp_path, FIRST).release()


def test_a_holder_that_has_not_said_its_number_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / f"{FIRST}.lock"
    with path.open("w") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(SessionInUse) as refusal:
            SessionLock.take(tmp_path, FIRST)
    assert refusal.value.pid is None


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    (tmp_path / f"{FIRST}.lock").symlink_to(victim)
    with pytest.raises(OSError, match=r"symbolic links"):
        SessionLock.take(tmp_path, FIRST)
    assert victim.read_text() == "untouched"


def test_a_file_that_was_removed_while_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{FIRST}.lock"
    lock_file, removed = fcntl.flock, list[int]()

    def removing(descriptor: int, kind: int) -> None:
        lock_file(descriptor, kind)
        if not removed:
            removed.append(descriptor)
            path.unlink()

    monkeypatch.setattr(module.fcntl, "flock", removing)
    lock = SessionLock.take(tmp_path, FIRST)
    assert path.read_text() == str(os.getpid())
    path.unlink()
    lock.release()


def test_a_system_without_locks_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(descriptor: int, kind: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(module.fcntl, "flock", refusing)
    with pytest.raises(OSError, match="No locks"):
        SessionLock.take(tmp_path, FIRST)


def test_the_store_is_shared_or_held_alone(tmp_path: Path) -> None:
    ours, theirs = StoreLock(tmp_path / "store.lock"), StoreLock(tmp_path / "store.lock")
    assert ours.share(0)
    assert theirs.share(0)
    assert not ours.alone(0.02)
    theirs.release()
    assert ours.alone(0)
    assert not theirs.share(0)
    assert ours.share(0)
    assert theirs.share(0)
    ours.release()
    ours.release()
    assert theirs.alone(0)
    theirs.release()


def test_a_full_disk_keeps_nobody_from_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        held = SessionLock.take(tmp_path, FIRST)
    held.release()
    SessionLock.take(tmp_path, FIRST).release()


@pytest.mark.parametrize("call", ["fchmod", "stat", "pread"])
def test_a_failed_attempt_leaves_nothing_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def failing(*given: object, **named: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    held = SessionLock.take(tmp_path, SECOND)
    with monkeypatch.context() as patched:
        patched.setattr(os, call, failing)
        with pytest.raises((OSError, SessionInUse)):
            SessionLock.take(tmp_path, SECOND if call == "pread" else FIRST)
    held.release()
    for session_id in (FIRST, SECOND):
        SessionLock.take(tmp_path, session_id).release()
