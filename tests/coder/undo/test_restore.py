"""Making paths what they were."""

import os
from pathlib import Path

from parley.coder.undo.contents import hash_of
from parley.coder.undo.restore import restore
from parley.coder.undo.state import Change, File, Folder, Gone, Link
from tests.coder.undo.tree import tree

CONTENTS = {hash_of(data): data for data in (b"old", b"new")}
OLD, NEW = File(0o640, hash_of(b"old")), File(0o644, hash_of(b"new"))


def _restore(root: Path, *changes: Change) -> list[bytes]:
    return restore((str(root),), changes, CONTENTS.get)


def _path(root: Path, name: str) -> bytes:
    return os.fsencode(root / name)


def test_kinds_turn_into_each_other(tmp_path: Path) -> None:
    (tmp_path / "was-folder").write_bytes(b"new")
    (tmp_path / "was-file").mkdir()
    (tmp_path / "was-file" / "inner").write_bytes(b"new")
    (tmp_path / "was-link").write_bytes(b"new")
    (tmp_path / "link").symlink_to("new")
    changes = (
        Change(_path(tmp_path, "was-folder"), NEW, Folder(0o750)),
        Change(_path(tmp_path, "was-folder/in"), Gone(), OLD),
        Change(_path(tmp_path, "was-file"), Folder(0o755), OLD),
        Change(_path(tmp_path, "was-file/inner"), NEW, Gone()),
        Change(_path(tmp_path, "was-link"), NEW, Link(b"old")),
        Change(_path(tmp_path, "link"), Link(b"new"), Link(b"old")),
        Change(_path(tmp_path, "closed"), Gone(), Folder(0o555)),
        Change(_path(tmp_path, "closed/in"), Gone(), OLD),
        Change(_path(tmp_path, "never-there"), NEW, Gone()),
    )
    assert _restore(tmp_path, *changes) == []
    assert tree(tmp_path) == {
        "was-folder": ("folder", 0o750, b""),
        "was-folder/in": ("file", 0o640, b"old"),
        "was-file": ("file", 0o640, b"old"),
        "was-link": ("link", 0, b"old"),
        "link": ("link", 0, b"old"),
        "closed": ("folder", 0o555, b""),
        "closed/in": ("file", 0o640, b"old"),
    }


def test_no_link_leads_out(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "file").write_bytes(b"theirs")
    (root / "folder").symlink_to(outside)
    before = tree(outside)
    changes = (
        Change(_path(root, "folder/file"), NEW, OLD),
        Change(_path(root, "folder/other"), Gone(), OLD),
        Change(_path(root, "folder/file2"), NEW, Gone()),
        Change(_path(root, "../outside/file"), NEW, OLD),
        Change(_path(root, ".git/config"), NEW, OLD),
    )
    failed = _restore(root, *changes)
    assert set(failed) >= {change.path for change in changes if change.after == OLD}
    assert tree(outside) == before


def test_a_hard_link_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "theirs").write_bytes(b"new")
    (root / "file").hardlink_to(tmp_path / "theirs")
    assert _restore(root, Change(_path(root, "file"), NEW, OLD)) == []
    assert (tmp_path / "theirs").read_bytes() == b"new"
    assert (root / "file").read_bytes() == b"old"


def test_what_cannot_be_done_is_named_and_the_rest_is_done(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "of the user").touch()
    (tmp_path / "there").mkdir()
    changes = (
        Change(_path(tmp_path, "folder"), Folder(0o755), Gone()),
        Change(_path(tmp_path, "lost"), Gone(), File(0o644, "unknown")),
        Change(_path(tmp_path, "there"), Gone(), OLD),
        Change(_path(tmp_path, "good"), Gone(), OLD),
    )
    failed = _restore(tmp_path, *changes)
    assert failed == [_path(tmp_path, name) for name in ("folder", "lost", "there")]
    assert sorted(os.listdir(tmp_path)) == ["folder", "good", "there"]
