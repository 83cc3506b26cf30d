"""Rows are found in their pages, and nothing that is none is made of a page."""

import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store.pages import Cell, cells

PAGE = 4096
# Sizes of bodies around those from which on a row needs pages of its own.
SIZES = (0, 1, 50, 400, *range(974, 984), *range(1_000, 1_010), 4_060, 4_096, 5_000, 20_000)


def found(content: bytes) -> Iterator[Cell]:
    def page_of(number: int) -> bytes:
        return content[(number - 1) * PAGE : number * PAGE] if number else b""

    for number in range(2, len(content) // PAGE + 1):
        yield from cells(number, page_of)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.db"


def filled(path: Path, table: str, rows: list[tuple[object, ...]]) -> bytes:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(table)
        places = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO each VALUES ({places})", rows)
    return path.read_bytes()


def test_every_row_of_a_clustered_table_is_found_with_its_body(path: Path) -> None:
    rows: list[tuple[object, ...]] = [
        (session, seq, seq * 12_345_678 - 2**31, os.urandom(SIZES[seq % len(SIZES)]))
        for session in (1, 300, 2**40)
        for seq in range(120)
    ]
    table = "CREATE TABLE each (a INT, b INT, c INT, d BLOB, PRIMARY KEY (a, b)) WITHOUT ROWID"
    assert sorted(cell[1] for cell in found(filled(path, table, rows))) == sorted(rows)


def test_every_row_of_a_table_is_found_with_its_number(path: Path) -> None:
    rows: list[tuple[object, ...]] = [
        (None, f"text {'ä' * SIZES[each % len(SIZES)]}", None, 0, 1, -each) for each in range(200)
    ]
    table = "CREATE TABLE each (key INTEGER PRIMARY KEY, a TEXT, b, c INT, d INT, e INT)"
    expected = [(number, row) for number, row in enumerate(rows, 1)]
    assert list(found(filled(path, table, rows))) == expected


def test_rows_with_what_no_column_of_ours_has_are_left_out(path: Path) -> None:
    assert list(found(filled(path, "CREATE TABLE each (a REAL)", [(1.5,), (2.5,)]))) == []


def test_a_chain_of_pages_that_is_a_circle_has_an_end(path: Path) -> None:
    content = bytearray(filled(path, "CREATE TABLE each (a BLOB)", [(bytes(50_000),)]))
    content[2 * PAGE : 2 * PAGE + 4] = (3).to_bytes(4, "big")
    assert list(found(bytes(content))) == []


def test_pages_of_noise_are_no_failure(path: Path) -> None:
    rows: list[tuple[object, ...]] = [(each, os.urandom(each)) for each in range(500)]
    content = filled(path, "CREATE TABLE each (a INT PRIMARY KEY, b BLOB) WITHOUT ROWID", rows)
    chance, lost = random.Random(5), 0
    for _ in range(20):
        noisy = bytearray(content)
        for _ in range(40):
            noisy[chance.randrange(PAGE, len(noisy))] = chance.randrange(256)
        seen = {values for _, values in found(bytes(noisy))}
        lost += len(set(rows) - seen)
    assert 0 < lost < 20 * len(rows) / 2
    for kind in (0x02, 0x0A, 0x0D):
        noise = bytes(PAGE) + b"".join(
            bytes([kind]) + chance.randbytes(PAGE - 1) for _ in range(10)
        )
        list(found(noise))
