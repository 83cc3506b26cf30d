"""Agreements are kept, and everything doubtful about their file means that there are none."""

import errno
import fcntl
import json
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from parley.coder.trust.book import ASIDE, FILE, MOST_BYTES, MOST_ENTRIES, TrustBook, TrustNotKept
from parley.coder.trust.content import Content, digest_of

A = Content("MCP server", "a", "/project", ".mcp.json", digest_of("one"), "one")
B = replace(A, name="b")

ADD = """
import sys
from pathlib import Path
from parley.coder.trust.book import TrustBook
from parley.coder.trust.content import Content
for number in range(20):
    content = Content("skill", f"{sys.argv[2]}-{number}", "/p", "x", "d", "")
    TrustBook(Path(sys.argv[1])).add([content])
"""


@pytest.fixture
def book(tmp_path: Path) -> TrustBook:
    return TrustBook(tmp_path / "data")


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def pages(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE


def test_nothing_is_trusted_before_it_is_added(book: TrustBook) -> None:
    assert not book.trusts(A)
    book.add([A])
    assert book.trusts(A)
    assert not book.trusts(B)


def test_what_was_added_holds_for_the_next_process(book: TrustBook, tmp_path: Path) -> None:
    assert book.examined() == (0, "")
    book.add([A, B])
    assert TrustBook(tmp_path / "data").standing([A, B]) == ("trusted", "trusted")
    assert book.examined() == (2, "")


@pytest.mark.parametrize("field", ["kind", "name", "root"])
def test_the_same_content_elsewhere_is_new(book: TrustBook, field: str) -> None:
    book.add([A])
    assert book.standing([replace(A, **{field: "other"})]) == ("new",)


def test_a_change_is_not_trusted_and_known_as_a_change(book: TrustBook) -> None:
    book.add([A])
    assert book.standing([replace(A, digest="other")]) == ("changed",)


def test_content_that_is_changed_back_is_asked_for_again(book: TrustBook) -> None:
    book.add([A])
    book.add([replace(A, digest="other")])
    assert book.standing([A]) == ("changed",)


def test_agreements_about_a_project_can_be_taken_back(book: TrustBook) -> None:
    long = "/" + "x" * 4000
    here, there = replace(A, root=long), replace(B, root=f"{long}y")
    book.add([A, B, here, there])
    assert book.forget("/project") == 2
    assert book.standing([A, B, here]) == ("new", "new", "trusted")
    assert book.forget(long) == 1
    assert book.standing([here, there]) == ("new", "trusted")
    assert book.forget(long) == 0


def test_agreements_of_the_old_form_hold_and_can_be_taken_back(
    book: TrustBook, tmp_path: Path
) -> None:
    book.add([A, replace(B, root="/other")])
    path = pages(tmp_path)
    old = json.loads(path.read_bytes())
    for entry in old["trusted"]:
        del entry["project"]
    path.write_text(json.dumps(old))
    assert book.trusts(A)
    assert book.forget("/project") == 1
    assert book.standing([A, replace(B, root="/other")]) == ("new", "trusted")


def test_the_file_is_private_whatever_the_umask(umask: None, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o700)
    TrustBook(folder).add([A])
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}
    assert modes == {FILE: 0o600, "trust.lock": 0o600}


def garbled(data: bytes) -> Iterator[bytes]:
    yield from (b"", b"null", b"[]", b"{", b"[" * 100_000, b"\xff\xfe", b"\0" * 100)
    yield from (data[:-3], data + b"x", data.replace(b'"version": 1', b'"version": 2'))
    yield from (data.replace(b'"digest"', b'"digits"'), b'{"version": 1, "trusted": [{}]}')
    yield b" " * (MOST_BYTES + 1) + data


def kept_aside(tmp_path: Path) -> list[bytes]:
    return [each.read_bytes() for each in (tmp_path / "data").glob(f"{ASIDE}*")]


def test_garbage_means_nothing_is_trusted_and_is_kept_aside(
    book: TrustBook, tmp_path: Path
) -> None:
    book.add([A])
    path = pages(tmp_path)
    good = path.read_bytes()
    for data in garbled(good):
        path.write_bytes(data)
        assert not book.trusts(A), data[:40]
        assert book.examined()[1] in ("is damaged", "is too large")
    path.write_bytes(good[:-3])
    book.add([B])
    assert book.standing([A, B]) == ("new", "trusted")
    assert kept_aside(tmp_path) == [good[:-3]]
    book.add([A])
    assert len(kept_aside(tmp_path)) == 1


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_believed(
    book: TrustBook, tmp_path: Path, mode: int
) -> None:
    book.add([A])
    pages(tmp_path).chmod(mode)
    assert not book.trusts(A)
    assert book.examined() == (0, "can be written by others")
    written = pages(tmp_path).read_bytes()
    book.add([B])
    assert book.standing([A, B]) == ("new", "trusted")
    assert kept_aside(tmp_path) == [written]


@pytest.mark.parametrize("call", ["open", "fstat"])
def test_a_file_that_cannot_be_read_for_a_moment_loses_nothing(
    book: TrustBook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    book.add([A])
    real = getattr(os, call)
    path = pages(tmp_path)

    def failing(what: Any, *rest: Any) -> Any:
        about = what if call == "open" else f"/proc/self/fd/{what}"
        if os.path.realpath(about) == os.path.realpath(path):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(what, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(os, call, failing)
        assert not book.trusts(A)
        with pytest.raises(TrustNotKept, match=r"Input/output error\. It was left as it is\. Try"):
            book.add([B])
    assert book.standing([A, B]) == ("trusted", "new")


def test_a_file_of_somebody_else_is_not_believed(
    book: TrustBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.add([A])
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert not book.trusts(A)
    assert book.examined() == (0, "belongs to somebody else")


def test_what_is_no_file_is_not_believed(book: TrustBook, tmp_path: Path) -> None:
    book.add([A])
    path = pages(tmp_path)
    real = path.rename(tmp_path / "real")
    path.symlink_to(real)
    assert not book.trusts(A)
    assert "cannot be opened" in book.examined()[1]
    path.unlink()
    os.mkfifo(path)
    assert not book.trusts(A)
    assert book.examined() == (0, "is not a file")
    path.unlink()
    path.mkdir()
    assert not book.trusts(A)
    with pytest.raises(TrustNotKept, match=r"trust\.json` is not a file.*move it away"):
        book.add([A])
    assert sorted(each.name for each in path.parent.iterdir()) == [FILE, "trust.lock"]


def test_a_full_disk_loses_nothing_old(book: TrustBook, tmp_path: Path) -> None:
    book.add([A])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(TrustNotKept):
            book.add([B])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert book.standing([A, B]) == ("trusted", "new")
    assert len(list(pages(tmp_path).parent.iterdir())) == 2


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(TrustNotKept, match="data"):
        TrustBook(tmp_path / "data").add([A])


def test_a_holder_that_never_lets_go_is_not_waited_for(tmp_path: Path) -> None:
    book = TrustBook(tmp_path, patience=0.05)
    book.add([A])
    with open(tmp_path / "trust.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(TrustNotKept, match="another process"):
            book.add([B])
        assert book.standing([A, B]) == ("trusted", "new")


def test_two_processes_lose_nothing_of_each_other(tmp_path: Path) -> None:
    started = [
        subprocess.Popen((sys.executable, "-c", ADD, str(tmp_path), name)) for name in ("x", "y")
    ]
    assert [process.wait(20) for process in started] == [0, 0]
    all_of_them = [
        Content("skill", f"{name}-{number}", "/p", "x", "d", "")
        for name in ("x", "y")
        for number in range(20)
    ]
    assert set(TrustBook(tmp_path).standing(all_of_them)) == {"trusted"}


def test_the_file_stays_small_enough_to_be_read(book: TrustBook) -> None:
    long = "\U0001f600" * 4000
    many = [Content("skill", f"{number}{long}", long, "", "d", "") for number in range(5)]
    book.add([*(replace(A, name=str(n)) for n in range(MOST_ENTRIES)), *many])
    assert set(book.standing(many)) == {"trusted"}
    assert book.standing([replace(A, name="4")]) == ("new",)
    assert book.standing([replace(A, name="5")]) == ("trusted",)


def test_names_that_are_no_text_can_be_kept(book: TrustBook) -> None:
    strange = replace(A, root="/project/\udc80")
    book.add([strange])
    assert book.trusts(strange)
    assert not book.trusts(replace(A, root="/project/\\udc80"))
