"""Looking at files without following anything out."""

import os
import socket
from pathlib import Path

import pytest

from parley.coder.undo import look
from parley.coder.undo.contents import hash_of
from parley.coder.undo.look import Survey, TooLarge, located, state_at, survey
from parley.coder.undo.state import File, Folder, Gone, Link
from parley.coder.workspace.part import part_name


def _survey(root: Path, before: Survey | None = None) -> tuple[Survey, list[bytes]]:
    read: list[bytes] = []
    found = survey((str(root),), before, lambda hash, data: read.append(data))
    return found, read


def test_everything_is_seen_and_nothing_beyond_links(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root, outside, root / "empty", root / ".git", root / "a", root / "node_modules"):
        folder.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (root / "a" / "file").write_bytes(b"x")
    (root / "a" / "file").chmod(0o640)
    (root / "to-folder").symlink_to(outside)
    (root / "to-file").symlink_to("a/file")
    (root / ".git" / "config").write_bytes(b"git")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "s"))
    found, read = _survey(root)
    states = {os.path.relpath(os.fsdecode(p), root): s.state for p, s in found.seen.items()}
    mode = (root / "empty").stat().st_mode & 0o777
    assert states == {
        "empty": Folder(mode),
        "a": Folder(mode),
        "a/file": File(0o640, hash_of(b"x")),
        "to-folder": Link(os.fsencode(outside)),
        "to-file": Link(b"a/file"),
    }
    assert read == [b"x"]
    assert found.left_out == {b".git", b"node_modules"}


def test_only_what_looks_different_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look, "_TOO_FRESH", -60_000_000_000)
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(name.encode())
    first, read = _survey(tmp_path)
    assert sorted(read) == [b"one", b"two"]
    (tmp_path / "two").write_bytes(b"new")
    second, read = _survey(tmp_path, first)
    assert read == [b"new"]
    assert second.seen.keys() == first.seen.keys()


def test_a_file_that_a_tool_is_about_to_put_in_place_is_not_seen(tmp_path: Path) -> None:
    (tmp_path / part_name()).write_bytes(b"half")
    assert _survey(tmp_path) == (Survey({}), [])


def test_a_file_that_changed_just_now_is_not_trusted_to_look_different(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_bytes(b"1")
    status = path.stat()
    first, _ = _survey(tmp_path)
    path.write_bytes(b"2")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    _, read = _survey(tmp_path, first)
    assert read == [b"2"]


def test_a_large_file_is_known_by_its_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look, "LARGEST", 10)
    (tmp_path / "large").write_bytes(b"x" * 11)
    found, read = _survey(tmp_path)
    (seen,) = found.seen.values()
    assert read == []
    assert isinstance(seen.state, File)
    assert seen.state.hash.startswith("~11.")


@pytest.mark.parametrize(("name", "value"), [("MOST_FILES", 3), ("MOST_SECONDS", -1.0)])
def test_a_workspace_that_is_too_large_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: float
) -> None:
    monkeypatch.setattr(look, name, value)
    for number in range(5):
        (tmp_path / f"{number}").touch()
    with pytest.raises(TooLarge):
        _survey(tmp_path)


def test_a_root_within_another_is_seen_once(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "file").write_bytes(b"x")
    read: list[bytes] = []
    roots = (str(tmp_path / "in"), str(tmp_path), str(tmp_path / "missing"))
    found = survey(roots, None, lambda hash, data: read.append(data))
    assert read == [b"x"]
    assert len(found.seen) == 2


@pytest.mark.parametrize(
    "path", ["/p/.git/config", "/p/a/.git/x", "/p/../x", "/q/x", "/p", "/p//x"]
)
def test_nothing_of_git_and_nothing_outside_is_ours(path: str) -> None:
    assert located(("/p",), path.encode()) is None
    assert state_at(("/p",), path.encode(), lambda hash, data: None) == Gone()


def test_a_path_is_found_below_its_root() -> None:
    assert located(("/p", "/q"), b"/q/a/b") == ("/q", ("a", "b"))
    assert located(("/",), b"/a") == ("/", ("a",))


def test_nothing_lies_behind_a_link_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x").write_bytes(b"x")
    (tmp_path / "link").symlink_to("folder")
    roots = (str(tmp_path),)
    for name in ("link/x", "folder/x/y", "none/x"):
        path = os.fsencode(tmp_path / name)
        assert state_at(roots, path, lambda hash, data: None) == Gone()
    with pytest.raises(OSError, match="too long"):
        state_at(roots, os.fsencode(tmp_path / ("n" * 300)), lambda hash, data: None)
