"""Files of this machine, read and written within the roots."""

import asyncio
import os
import stat
from pathlib import Path

import pytest

from parley.client.files import LocalFiles
from parley.client.roots import Roots
from parley.errors import InternalError, InvalidParams, MethodNotFound, ResourceNotFound
from tests.sdk.stage import run

TEN = "".join(f"{number}\n" for number in range(1, 11))


@pytest.mark.parametrize(
    ("line", "limit", "text"),
    [
        (None, None, TEN),
        (1, None, TEN),
        (0, None, TEN),
        (2, 2, "2\n3\n"),
        (0, 1, "1\n"),
        (None, 3, "1\n2\n3\n"),
        (10, 5, "10\n"),
        (11, None, ""),
        (2**40, 2**40, ""),
        (1, 0, ""),
        (9, None, "9\n10\n"),
    ],
)
@pytest.mark.parametrize("unsaved", [True, False])
def test_lines_count_from_one_v1_fs_02(
    line: int | None, limit: int | None, text: str, unsaved: bool, tmp_path: Path
) -> None:
    path = tmp_path / "ten"
    path.write_text("on disk" if unsaved else TEN)
    files = LocalFiles([tmp_path], overlays={str(path): TEN} if unsaved else None)

    async def scenario() -> None:
        assert await files.read("s", str(path), line=line, limit=limit) == text

    run(scenario())


@pytest.mark.parametrize(
    "text",
    ["", "no end", "\n", "a\r\nb\r\n", "a\rb\n", "\ufeffmark\n", "page\f\u2028\x85end\n\n", "\0"],
)
def test_text_goes_in_and_comes_out_unchanged_v1_fs_09(text: str, tmp_path: Path) -> None:
    files = LocalFiles([tmp_path])
    path = str(tmp_path / "file")

    async def scenario() -> None:
        await files.write("s", path, text)
        assert await files.read("s", path) == text
        assert await files.read("s", path, line=1, limit=100) == text

    run(scenario())
    assert Path(path).read_bytes() == text.encode()


def test_a_line_ends_with_a_line_feed_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes("a\r\nb\rc\u2028d\r\ne".encode())

    async def scenario() -> None:
        read = LocalFiles([tmp_path]).read
        assert await read("s", str(path), line=2, limit=1) == "b\rc\u2028d\r\n"
        assert await read("s", str(path), line=3) == "e"

    run(scenario())


def test_unsaved_text_wins_over_the_disk_until_it_is_written_v1_fs_03(tmp_path: Path) -> None:
    path, draft, link = tmp_path / "file", tmp_path / "draft", tmp_path / "link"
    path.write_text("saved")
    link.symlink_to(path)
    overlays = {str(path): "unsaved", str(draft): "new", "/etc/hosts": "not for agents"}
    files = LocalFiles([tmp_path], overlays=overlays)

    async def scenario() -> None:
        assert await files.read("s", str(path)) == "unsaved"
        assert await files.read("s", str(link)) == "unsaved"
        assert await files.read("s", str(draft)) == "new"
        with pytest.raises(InvalidParams, match="outside"):
            await files.read("s", "/etc/hosts")
        await files.write("s", f"{tmp_path}/./file", "written")
        assert overlays[str(path)] == path.read_text() == "written"
        del overlays[str(path)]
        await files.write("s", str(path), "again")
        assert str(path) not in overlays
        assert await files.read("s", str(path)) == "again"

    run(scenario())


def test_a_missing_file_is_made_with_its_directories_v1_fs_04(tmp_path: Path) -> None:
    files = LocalFiles([tmp_path])

    async def scenario() -> None:
        await files.write("s", f"{tmp_path}/a/b/new", "text")

    old = os.umask(0o022)
    try:
        run(scenario())
    finally:
        os.umask(old)
    made = tmp_path / "a" / "b" / "new"
    assert made.read_text() == "text"
    assert stat.S_IMODE(made.stat().st_mode) == 0o644


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_text("old")
    path.chmod(0o751)
    reader = path.open()

    async def scenario() -> None:
        await LocalFiles([tmp_path]).write("s", str(path), "new and longer")

    with reader:
        run(scenario())
        assert reader.read() == "old"
    assert path.read_text() == "new and longer"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert os.listdir(tmp_path) == ["script"]


def test_writing_a_file_of_several_names_leaves_the_others_alone(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    outside = tmp_path / "outside"
    outside.write_text("mine")
    os.link(outside, root / "inside")

    async def scenario() -> None:
        await LocalFiles([root]).write("s", f"{root}/inside", "theirs")

    run(scenario())
    assert outside.read_text() == "mine"
    assert (root / "inside").read_text() == "theirs"


def test_a_missing_file_is_not_found_v1_fs_07(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def scenario() -> None:
        for missing in ("missing", "no/such", "file/below"):
            with pytest.raises(ResourceNotFound) as caught:
                await LocalFiles([tmp_path]).read("s", f"{tmp_path}/{missing}")
            assert caught.value.message == f"Resource not found: `{tmp_path}/{missing}`"

    run(scenario())


@pytest.mark.parametrize("asked", ["link", "door/secret", "../secret", "dangling", "door/new"])
def test_nothing_outside_the_roots_is_read_or_written_v1_fs_06(asked: str, tmp_path: Path) -> None:
    root, secret = tmp_path / "root", tmp_path / "secret"
    root.mkdir()
    secret.write_text("secret")
    (root / "link").symlink_to(secret)
    (root / "door").symlink_to(tmp_path)
    (root / "dangling").symlink_to(tmp_path / "new")
    before = sorted(os.listdir(tmp_path))

    async def scenario() -> None:
        files = LocalFiles([root])
        with pytest.raises(InvalidParams, match="outside"):
            await files.read("s", f"{root}/{asked}")
        with pytest.raises(InvalidParams, match="outside"):
            await files.write("s", f"{root}/{asked}", "theirs")
        with pytest.raises(InvalidParams, match="not absolute"):
            await files.read("s", asked)

    run(scenario())
    assert secret.read_text() == "secret"
    assert sorted(os.listdir(tmp_path)) == before


def test_the_roots_of_a_session_hold_for_its_files(tmp_path: Path) -> None:
    roots = Roots()
    files = LocalFiles(roots)
    (tmp_path / "file").write_text("text")

    async def scenario() -> None:
        with pytest.raises(InvalidParams, match="outside"):
            await files.read("s", f"{tmp_path}/file")
        roots.allow("s", tmp_path)
        assert await files.read("s", f"{tmp_path}/file") == "text"
        with pytest.raises(InvalidParams, match="outside"):
            await files.read("other", f"{tmp_path}/file")

    run(scenario())


@pytest.mark.parametrize("name", ["folder", "pipe", "loop", "."])
def test_what_is_no_file_is_neither_read_nor_written(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")

    async def scenario() -> None:
        files = LocalFiles([tmp_path])
        with pytest.raises(InvalidParams, match=r"is not a file|leads nowhere"):
            await files.read("s", f"{tmp_path}/{name}")
        with pytest.raises(InvalidParams, match=r"is not a file|leads nowhere"):
            await files.write("s", f"{tmp_path}/{name}", "text")

    run(scenario())
    assert sorted(os.listdir(tmp_path)) == ["folder", "loop", "pipe"]


def test_a_pipe_that_somebody_reads_is_not_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)

    async def scenario() -> None:
        with pytest.raises(InvalidParams, match="is not a file"):
            await LocalFiles([tmp_path]).write("s", f"{tmp_path}/pipe", "text")

    run(scenario())
    assert os.read(reader, 10) == b""
    os.close(reader)


def test_what_is_no_text_or_too_much_of_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\xff\xd8")
    (tmp_path / "large").write_text("12345")

    async def scenario() -> None:
        files = LocalFiles([tmp_path], most_bytes=4)
        with pytest.raises(InvalidParams, match="UTF-8"):
            await files.read("s", f"{tmp_path}/picture")
        with pytest.raises(InvalidParams, match="too large"):
            await files.read("s", f"{tmp_path}/large", limit=1)
        with pytest.raises(InvalidParams, match="no text"):
            await files.write("s", f"{tmp_path}/new", "\ud800")
        with pytest.raises(InternalError, match="name too long"):
            await files.read("s", f"{tmp_path}/{'x' * 300}")

    run(scenario())
    assert not (tmp_path / "new").exists()


def test_a_write_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("old")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)

    async def scenario() -> None:
        with pytest.raises(InternalError, match="No space left"):
            await LocalFiles([tmp_path]).write("s", f"{tmp_path}/file", "new")

    run(scenario())
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_an_owner_who_cannot_give_files_away_still_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("old")

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refuse)

    async def scenario() -> None:
        await LocalFiles([tmp_path]).write("s", f"{tmp_path}/file", "new")

    run(scenario())
    assert (tmp_path / "file").read_text() == "new"


def test_files_that_are_for_reading_are_not_written(tmp_path: Path) -> None:
    async def scenario() -> None:
        files = LocalFiles([tmp_path], can_write=False)
        assert (files.can_read, files.can_write) == (True, False)
        with pytest.raises(MethodNotFound):
            await files.write("s", f"{tmp_path}/new", "text")

    run(scenario())
    assert os.listdir(tmp_path) == []


def test_the_disk_and_the_overlay_end_with_the_same_text(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    overlays = {path: ""}
    files = LocalFiles([tmp_path], overlays=overlays)

    async def scenario() -> None:
        await asyncio.gather(*(files.write("s", path, str(number)) for number in range(20)))

    run(scenario())
    assert overlays[path] == Path(path).read_text() == "19"
