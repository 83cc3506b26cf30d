"""The door to files: what lies inside, and what is read and written through it."""

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from parley.coder.errors import ToolError
from parley.coder.workspace import local
from parley.coder.workspace.beneath import Place
from parley.coder.workspace.text import FileText
from parley.coder.workspace.workspace import FileMissing, Workspace, is_beneath, real_path
from parley.errors import InternalError, MethodNotFound, ResourceNotFound, RpcError
from tests.coder.workspace.editor import Editor


def _read(workspace: Workspace, path: str) -> FileText:
    return asyncio.run(workspace.read_text(workspace.place(path)))


def _refusal(act: Callable[[], object]) -> str:
    with pytest.raises(ToolError) as caught:
        act()
    return str(caught.value)


def test_the_first_root_is_the_folder_of_the_session(tmp_path: Path) -> None:
    assert Workspace(("/", str(tmp_path))).roots[0] == "/"


def test_a_path_has_its_place_below_a_root(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    workspace = Workspace((str(root), str(other)))
    inside = Place(f"{root}/a/b", str(root), "a/b", f"{root}/a/b")
    for path in ("a/b", "./a/x/../b/", f"{root}/a/b", f"{root}//a/./b"):
        assert workspace.place(path) == inside
    assert workspace.place(f"{other}/c") == Place(
        f"{other}/c", str(other), f"{other}/c", f"{other}/c"
    )
    assert workspace.place(".") == Place(str(root), str(root), ".", str(root))
    assert Workspace(("/",)).place("etc/x").steps == ("etc", "x")


def test_a_root_that_is_a_link_keeps_its_name_for_the_client(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    place = Workspace((f"{tmp_path}/link",)).place("a")
    assert place == Place(f"{tmp_path}/real/a", f"{tmp_path}/real", "a", f"{tmp_path}/link/a")


def test_a_link_that_stays_inside_leads_to_the_real_place(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert Workspace((str(tmp_path),)).place("link/a").relative == "real/a"


def test_a_path_that_leads_out_is_refused_with_where_it_leads(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to("../secret")
    workspace = Workspace((str(root),))
    assert _refusal(lambda: workspace.place("link")) == (
        f"`link` leads to `{tmp_path}/secret`, which is outside the workspace; "
        f"use a path below `{root}`"
    )
    assert "NUL" in _refusal(lambda: workspace.place("a\0b"))
    assert "4096" in _refusal(lambda: workspace.place("a" * 5000))
    assert "outside" in _refusal(lambda: workspace.place(f"/proc/self/root{root}/a"))
    assert "outside" in _refusal(lambda: workspace.place(f"{root}/\ud800/../../x"))


def test_a_folder_is_beneath_by_whole_components() -> None:
    assert is_beneath("/a/b", "/a/b")
    assert is_beneath("/a/b/c", "/a/b")
    assert is_beneath("/a", "/")
    assert not is_beneath("/a/bc", "/a/b")
    assert not is_beneath("/a", "/a/b")


def test_a_path_is_shown_from_the_folder_of_the_session() -> None:
    workspace = Workspace(("/r/a", "/r/b"))
    assert [workspace.shown(path) for path in ("/r/a/x", "/r/a", "/r/b/x")] == ["x", ".", "/r/b/x"]


@pytest.mark.parametrize("size", [0, 10, 300_000])
def test_what_is_written_is_read_again(size: int, tmp_path: Path) -> None:
    workspace = Workspace((str(tmp_path),))
    place = workspace.place("new/file")
    text = "x\n" * size
    written = asyncio.run(workspace.write_text(place, text, new=True))
    assert written == _read(workspace, "new/file")
    assert written.text == text


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfa\r\nb\r\n",
        b"a\nb\r\nc\r\n",
        "\ufeffgrüße\r\n".encode("utf-16-le"),
        "grüße\n".encode("latin-1"),
    ],
)
def test_encoding_line_ends_and_mark_stay(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(data)
    workspace = Workspace((str(tmp_path),))
    before = _read(workspace, "a")
    asyncio.run(workspace.write_text(workspace.place("a"), before.text, before))
    assert (tmp_path / "a").read_bytes() == data
    after = asyncio.run(workspace.write_text(workspace.place("a"), before.text + "z", before))
    assert after == _read(workspace, "a")
    assert after.encoding == before.encoding


def test_what_cannot_be_read_or_written_is_explained(tmp_path: Path) -> None:
    workspace = Workspace((str(tmp_path),))
    (tmp_path / "binary").write_bytes(b"\0\1")
    (tmp_path / "latin").write_bytes("ü".encode("latin-1"))
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileMissing, match="`none` does not exist"):
        _read(workspace, "none")
    assert "binary" in _refusal(lambda: _read(workspace, "binary"))
    assert "is a folder" in _refusal(lambda: _read(workspace, "."))
    assert "not a folder" in _refusal(lambda: _read(workspace, "latin/x"))
    assert "link" in _refusal(lambda: _read(workspace, "loop"))
    assert "too long" in _refusal(lambda: _read(workspace, "n" * 300))
    latin = _read(workspace, "latin")
    place = workspace.place("latin")
    assert "latin-1, which has no character `日`" in _refusal(
        lambda: asyncio.run(workspace.write_text(place, "ü日", latin))
    )
    assert "exists already" in _refusal(
        lambda: asyncio.run(workspace.write_text(place, "x", new=True))
    )
    assert "too large" in _refusal(lambda: asyncio.run(workspace.read_bytes(place, 0)))


def test_an_unusual_failure_is_told_as_the_system_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(local, "write", fail)
    workspace = Workspace((str(tmp_path),))
    assert _refusal(lambda: asyncio.run(workspace.write_text(workspace.place("a"), "x"))) == (
        "`a` cannot be used: Input/output error"
    )


def test_the_beginning_of_a_file_and_a_folder_can_be_opened(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").write_bytes(b"12345")
    workspace = Workspace((str(tmp_path),))
    assert workspace.head(workspace.place("sub/a"), 3) == b"123"
    assert workspace.head(workspace.place("none"), 3) == b""
    with workspace.folder(workspace.place("sub")) as folder:
        assert os.listdir(folder) == ["a"]
    with pytest.raises(FileMissing), workspace.folder(workspace.place("none")):
        raise AssertionError


def test_the_texts_of_the_client_go_before_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("saved")
    editor = Editor({f"{tmp_path}/a": "\ufeffunsaved\r\n"})
    workspace = Workspace((str(tmp_path),), session_id="s", files=editor)
    file = _read(workspace, "a")
    assert (file.text, file.bom) == ("unsaved\n", True)
    written = asyncio.run(workspace.write_text(workspace.place("a"), "new\n", file))
    assert editor.texts == {f"{tmp_path}/a": "\ufeffnew\r\n"}
    assert written == _read(workspace, "a")
    assert set(editor.asked) == {("s", f"{tmp_path}/a")}
    assert (tmp_path / "a").read_text() == "saved"


def test_the_client_is_asked_for_files_under_its_own_name_of_the_root(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    editor = Editor({f"{tmp_path}/link/a": "text"})
    assert _read(Workspace((f"{tmp_path}/link",), files=editor), "a").text == "text"


@pytest.mark.parametrize("error", [ResourceNotFound(), MethodNotFound()])
def test_what_the_client_does_not_know_is_read_from_the_disk(
    error: RpcError, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("saved")
    workspace = Workspace((str(tmp_path),), files=Editor(error=error))
    assert _read(workspace, "a").text == "saved"
    with pytest.raises(FileMissing):
        _read(workspace, "none")


def test_a_refusal_of_the_client_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("saved")
    workspace = Workspace((str(tmp_path),), files=Editor(error=InternalError("private file")))
    assert "the editor cannot read `a`: private file" in _refusal(lambda: _read(workspace, "a"))
    assert "the editor cannot write `a`: private file" in _refusal(
        lambda: asyncio.run(workspace.write_text(workspace.place("a"), "x"))
    )
    assert (tmp_path / "a").read_text() == "saved"


def test_the_client_is_not_asked_for_what_is_no_plain_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a").write_text("x")
    os.link(tmp_path / "a", tmp_path / "b")
    editor = Editor({f"{tmp_path}/{name}": "text" for name in ("pipe", "a")})
    workspace = Workspace((str(tmp_path),), files=editor)
    for name in ("pipe", "a"):
        place = workspace.place(name)
        assert _refusal(lambda name=name: _read(workspace, name))
        assert _refusal(lambda place=place: asyncio.run(workspace.write_text(place, "x")))
    assert editor.asked == []


def test_a_client_that_cannot_write_or_read_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("saved")
    editor = Editor({f"{tmp_path}/a": "unsaved"})
    editor.can_read = editor.can_write = False
    workspace = Workspace((str(tmp_path),), files=editor)
    assert _read(workspace, "a").text == "saved"
    asyncio.run(workspace.write_text(workspace.place("a"), "new"))
    assert (tmp_path / "a").read_text() == "new"
    assert editor.asked == []


def test_a_new_file_of_the_client_must_be_new(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("saved")
    editor = Editor()
    workspace = Workspace((str(tmp_path),), files=editor)
    assert "exists already" in _refusal(
        lambda: asyncio.run(workspace.write_text(workspace.place("a"), "x", new=True))
    )
    asyncio.run(workspace.write_text(workspace.place("b"), "x", new=True))
    assert editor.texts == {f"{tmp_path}/b": "x"}


def test_a_path_that_changes_while_it_is_resolved_is_an_error_for_the_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert real_path(f"{tmp_path}/a/..") == str(tmp_path)

    def changing(path: str) -> str:
        raise OSError(errno.EINVAL, "Invalid argument", path)

    monkeypatch.setattr(os.path, "realpath", changing)
    with pytest.raises(ToolError, match="cannot be told where `/a` leads"):
        real_path("/a")
