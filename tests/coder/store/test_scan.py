"""A copy of a damaged file can be read, and its pages are searched for rows."""

import errno
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import rebuild, scan, schema
from parley.coder.store.failure import is_lost
from tests.coder.store.staging import FIRST, SECOND
from tests.coder.store.test_rebuild import killed, made

PAGE = 4096


def looked(source: Path) -> tuple[Path, Path]:
    """A copy of a file, and what its pages have."""
    copy, target = source.with_name("copy.db"), source.with_name("scan.db")
    for each in (copy, target):
        rebuild.make_private(each)
    scan.make_tables(target)
    scan.make_copy(source, copy, target, is_lost)
    scan.scan(copy, target)
    return copy, target


def contents(path: Path) -> tuple[list[str], int]:
    with closing(schema.connect(path)) as connection:
        names = connection.execute("SELECT id FROM sessions ORDER BY key").fetchall()
        (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
    return [name for (name,) in names], count


def ruined(path: Path, place: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(content)


@pytest.mark.parametrize("noise", [b"x", os.urandom(100), bytes(PAGE)])
def test_a_file_whose_first_page_is_ruined_has_a_copy_that_is_whole(
    tmp_path: Path, noise: bytes
) -> None:
    path = made(tmp_path)
    ruined(path, 0, noise)
    before = path.read_bytes()
    for each in looked(path):
        assert contents(each) == ([FIRST, SECOND], 4)
        assert each.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes() == before


def test_a_copy_is_sound_if_no_page_is_left_over(tmp_path: Path) -> None:
    path = made(tmp_path)
    assert scan.is_sound(path)
    with path.open("ab") as file:
        file.write(bytes(PAGE))
    copy, _ = looked(path)
    assert not scan.is_sound(copy)
    ruined(copy, 0, b"x")
    assert not scan.is_sound(copy)


def test_what_is_in_the_log_of_changes_is_in_the_copy(tmp_path: Path) -> None:
    path = killed(tmp_path)
    ruined(path, 0, b"x")
    for each in looked(path):
        with closing(schema.connect(each)) as connection:
            title = connection.execute("SELECT title FROM sessions WHERE key = 1").fetchone()
        assert title == ("in the log",)


def test_a_huge_hole_in_a_file_costs_nothing(tmp_path: Path) -> None:
    path = made(tmp_path)
    os.truncate(path, 2**35)
    copy, target = looked(path)
    assert copy.stat().st_blocks * 512 < 2**20
    assert contents(target) == ([FIRST, SECOND], 4)


def test_a_session_that_only_an_index_names_is_found_with_its_records(tmp_path: Path) -> None:
    path = made(tmp_path)
    with closing(schema.connect(path)) as connection:
        connection.execute("UPDATE sessions SET crc = 1 WHERE key = 2")
    _, target = looked(path)
    assert contents(target) == ([FIRST, SECOND], 4)
    with closing(schema.connect(target)) as connection:
        rows = connection.execute("SELECT cwd, records FROM sessions ORDER BY key").fetchall()
    assert rows == [("/", 2), ("", 2)]


def test_records_that_do_not_fit_their_checksum_are_not_found(tmp_path: Path) -> None:
    path = made(tmp_path)
    with closing(schema.connect(path)) as connection:
        connection.execute("UPDATE entries SET crc = crc + 1 WHERE session = 1 AND seq = 1")
    _, target = looked(path)
    assert contents(target) == ([FIRST, SECOND], 3)


def failing(
    monkeypatch: pytest.MonkeyPatch, code: int, fails: Callable[[int], bool]
) -> Callable[..., bytes]:
    real = os.pread

    def pread(descriptor: int, size: int, place: int) -> bytes:
        if fails(place):
            raise OSError(code, os.strerror(code))
        return real(descriptor, size, place)

    monkeypatch.setattr(scan.os, "pread", pread)
    return pread


def test_blocks_that_the_disk_does_not_give_back_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path)
    copy, target = tmp_path / "copy.db", tmp_path / "scan.db"
    for each in (copy, target):
        rebuild.make_private(each)
    scan.make_tables(target)
    doubts: list[sqlite3.Error] = []

    def gone(error: sqlite3.Error) -> bool:
        doubts.append(error)
        return True

    with monkeypatch.context() as patched:
        failing(patched, errno.EIO, lambda place: place == PAGE)
        scan.make_copy(path, copy, target, gone)
    assert len(doubts) == 1
    assert copy.stat().st_size == path.stat().st_size
    with monkeypatch.context() as patched:
        failing(patched, errno.ENOMEM, lambda place: True)
        with pytest.raises(OSError, match="memory"):
            scan.make_copy(path, copy, target, gone)


def test_a_copy_that_cannot_be_opened_now_is_no_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path)
    copy, target = tmp_path / "copy.db", tmp_path / "scan.db"
    for each in (copy, target):
        rebuild.make_private(each)
    scan.make_tables(target)
    told: list[sqlite3.Error] = []

    def unable(path: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("busy")

    monkeypatch.setattr(scan.schema, "connect", unable)
    with pytest.raises(sqlite3.OperationalError, match="busy"):
        scan.make_copy(path, copy, target, lambda error: bool(told.append(error)))
    assert len(told) == 1
