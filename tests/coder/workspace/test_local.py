"""Files are replaced at once and as a whole, and keep what they had."""

import ctypes
import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from parley.coder.workspace import local
from parley.coder.workspace.beneath import NotPlain, Place


def _place(root: Path, path: str) -> Place:
    return Place(os.path.join(root, path).rstrip("/"), str(root), path)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    place = _place(tmp_path, "a")
    assert local.read(place, 5) == b"12345"
    with pytest.raises(OSError, match="large") as caught:
        local.read(place, 4)
    assert caught.value.errno == errno.EFBIG


def test_a_file_that_says_it_has_no_size_is_read_all_the_same() -> None:
    # Files of the kernel have no size; they stand for files that grow while they are read.
    assert b"Linux" in local.read(Place("/proc/version", "/proc", "version"), 4096)
    with pytest.raises(OSError, match="large"):
        local.read(Place("/proc/version", "/proc", "version"), 3)


def test_what_lies_at_a_place_is_told_without_opening_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    os.link(tmp_path / "file", tmp_path / "other")
    assert local.status_of(_place(tmp_path, "")) == local.Status("folder")
    found = {name: local.status_of(_place(tmp_path, name)) for name in ("folder", "pipe", "none")}
    assert {name: status and status.kind for name, status in found.items()} == {
        "folder": "folder",
        "pipe": "other",
        "none": None,
    }
    with pytest.raises(NotPlain, match="hard link"):
        local.status_of(_place(tmp_path, "file"))
    os.unlink(tmp_path / "other")
    status = local.status_of(_place(tmp_path, "file"))
    assert status is not None
    assert (status.kind, status.size) == ("file", 5)
    assert local.status_of(_place(tmp_path, "file/below")) is None


def test_a_new_file_and_its_folders_are_made(tmp_path: Path) -> None:
    local.write(_place(tmp_path, "a/b/c"), b"text", new=True)
    assert (tmp_path / "a/b/c").read_bytes() == b"text"
    assert os.listdir(tmp_path / "a/b") == ["c"]
    assert (tmp_path / "a/b/c").stat().st_nlink == 1


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        local.write(_place(tmp_path, "a"), b"new", new=True)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_without_hard_links_a_new_file_is_renamed_into_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    local.write(_place(tmp_path, "a"), b"new", new=True)
    assert (tmp_path / "a").read_bytes() == b"new"
    with pytest.raises(FileExistsError):
        local.write(_place(tmp_path, "a"), b"newer", new=True)
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o640, 0o777])
def test_the_mode_of_a_file_stays(mode: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(mode)
    local.write(_place(tmp_path, "a"), b"new")
    assert _mode(tmp_path / "a") == mode
    assert (tmp_path / "a").read_bytes() == b"new"


def test_the_set_user_id_bit_does_not_survive_a_new_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o4755)
    local.write(_place(tmp_path, "a"), b"new")
    assert _mode(tmp_path / "a") == 0o755


@pytest.mark.parametrize("failing", ["replace", "fsync", "fchmod"])
def test_a_failure_leaves_the_old_file_and_nothing_beside_it(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="full"):
        local.write(_place(tmp_path, "a"), b"new")
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "dangling", "hard link"])
def test_what_is_no_plain_file_is_not_replaced(kind: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"secret")
    root = tmp_path / "root"
    root.mkdir()
    match kind:
        case "folder":
            (root / "a").mkdir()
        case "pipe":
            os.mkfifo(root / "a")
        case "link":
            (root / "a").symlink_to(outside)
        case "dangling":
            (root / "a").symlink_to(tmp_path / "missing")
        case _:
            os.link(outside, root / "a")
    with pytest.raises(NotPlain):
        local.write(_place(root, "a"), b"new")
    assert outside.read_bytes() == b"secret"
    assert os.listdir(root) == ["a"]
    assert not (tmp_path / "missing").exists()


def test_a_folder_that_is_swapped_for_a_link_is_never_written_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is on the disk does not matter here, and waiting for it takes long.
    monkeypatch.setattr(os, "fsync", os.fstat)
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "a").mkdir(parents=True)
    outside.mkdir()
    (root / "evil").symlink_to(outside)
    over = threading.Event()

    def swap() -> None:
        exchange = ctypes.CDLL(None).renameat2
        here, both = -100, 2
        names = os.fsencode(root / "a"), os.fsencode(root / "evil")
        while not over.is_set():
            exchange(here, names[0], here, names[1], both)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        written = [_is_written(_place(root, f"a/{number % 2}")) for number in range(2000)]
    finally:
        over.set()
        swapping.join(5)
    assert os.listdir(outside) == []
    assert any(written)


def _is_written(place: Place) -> bool:
    try:
        local.write(place, b"text")
    except OSError:
        return False
    return True
