"""The second looks at a damaged file: a copy that SQLite can open, and the rows in its pages.

Everything here works on copies, so the damaged file stays as it is. The caller makes the files
that are filled here, and compares what is found.
"""

import errno
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import BinaryIO

from parley.coder.store import schema
from parley.coder.store.failure import Damaged
from parley.coder.store.pages import PageOf, cells
from parley.coder.store.reading import SESSION_COLUMNS, Row, head_of
from parley.coder.store.record import checksum, is_session_id, seed

Gone = Callable[[sqlite3.Error], bool]
"""Told of an error; whether what was to be read is lost."""

_WIDTH = SESSION_COLUMNS.count(",") + 1
# Parts of the first page: whether there is a log of changes, how many pages there are, and the
# number of the change for which that is so.
_MODES, _WITH_LOG = slice(18, 20), bytes((2, 2))
_PAGE_COUNT, _CHANGES, _VALID_FOR = slice(28, 32), slice(24, 28), slice(92, 96)


def make_tables(path: Path) -> None:
    with closing(_connected(path)) as connection:
        schema.migrate(connection)


def make_copy(source: Path, copy: Path, sound: Path, gone: Gone) -> None:
    """Copy a file with its log of changes, and let it begin like a sound one.

    The first page says how the file is laid out and where its tables begin, and that is the same
    in all files of a version. The rest of it are counters that nobody needs to read.
    """
    page = _page_size(sound)
    _copy_blocks(source, copy, page, gone)
    count = copy.stat().st_size // page
    with sound.open("rb") as file:
        first = bytearray(file.read(page))
    first[_MODES] = _WITH_LOG
    first[_PAGE_COUNT] = count.to_bytes(4, "big")
    first[_VALID_FOR] = first[_CHANGES]
    with copy.open("r+b") as file:
        file.write(first)
    if is_file(log_of(source)):
        _copy_blocks(log_of(source), log_of(copy), page, gone)
    try:
        with closing(_connected(copy)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        if not gone(error):
            raise


def is_sound(copy: Path) -> bool:
    """Whether every page of a file belongs to a table, so that none has rows nobody has seen."""
    try:
        with closing(schema.connect_to_read(copy)) as connection:
            return connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
    except sqlite3.DatabaseError:
        return False


def scan(copy: Path, target: Path) -> None:
    """Fill empty tables with the rows in the pages of a file that are whole."""
    size = _page_size(target)
    with _opened(copy, os.O_RDONLY) as file, closing(_connected(target)) as new:

        def page_of(number: int) -> bytes:
            # The first page has no rows of ours, and there is none before it.
            content = os.pread(file.fileno(), size, (number - 1) * size) if number > 1 else b""
            return content.ljust(size, b"\0") if content else b""

        numbers = [place // size + 1 for place in _blocks(file.fileno(), size)]
        new.execute("BEGIN")
        names = _scan_sessions(new, numbers, page_of)
        new.executemany(
            "INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?)",
            _scanned_records(names, numbers, page_of),
        )
        # The count of a session of which nothing but the name was found.
        new.execute(
            "UPDATE sessions SET records = (SELECT count(*) FROM entries WHERE session = key)"
            " WHERE crc = 0 AND records = 0"
        )
        new.execute("COMMIT")


def is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _copy_blocks(source: Path, target: Path, size: int, gone: Gone) -> None:
    """Copy what the disk gives back of a file. Holes stay holes: they may be huge."""
    with _opened(source, os.O_RDONLY) as old, _opened(target, os.O_WRONLY | os.O_CREAT) as new:
        for place in _blocks(old.fileno(), size):
            try:
                content = os.pread(old.fileno(), size, place)
            except OSError as error:
                if error.errno != errno.EIO or not gone(Damaged("a block cannot be read")):
                    raise
                continue
            new.seek(place)
            new.write(content)


def _scan_sessions(
    new: sqlite3.Connection, numbers: Sequence[int], page_of: PageOf
) -> dict[int, str]:
    """Insert the sessions; their names by their keys, with those that only an index has."""
    names: dict[int, str] = {}
    indexed: dict[int, str] = {}
    places = ", ".join("?" * _WIDTH)
    for number in numbers:
        for key, values in cells(number, page_of):
            row = (key, *values[1:_WIDTH])
            if len(values) > _WIDTH and (head := head_of(row)) is not None:
                new.execute(
                    f"INSERT OR IGNORE INTO sessions ({SESSION_COLUMNS}) VALUES ({places})", row
                )
                names[key] = head.session_id
            match values:
                case (str(name), int(of)) if is_session_id(name):
                    indexed[of] = name
                case _:
                    pass
    for key in indexed.keys() - names.keys():
        new.execute(
            "INSERT OR IGNORE INTO sessions (key, id, cwd, additional, crc, updated, touched)"
            " VALUES (?, ?, '', '', 0, 0, 0)",
            (key, indexed[key]),
        )
    return indexed | names


def _scanned_records(
    names: dict[int, str], numbers: Sequence[int], page_of: PageOf
) -> Iterator[Row]:
    seeds = {key: seed(name) for key, name in names.items()}
    for number in numbers:
        for _, values in cells(number, page_of):
            match values:
                case (int(key), int(seq), int(crc), bytes(body)) if key in seeds and seq > 0:
                    if crc == checksum(seeds[key], seq, body):
                        yield key, seq, crc, body
                case _:
                    pass


def _blocks(descriptor: int, size: int) -> Iterator[int]:
    """The places of the blocks that are no holes."""
    place = 0
    while True:
        try:
            start = os.lseek(descriptor, place, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        place = os.lseek(descriptor, start, os.SEEK_HOLE)
        yield from range(start // size * size, place, size)


def _opened(path: Path, flags: int) -> BinaryIO:
    """A file and nothing else, which only its owner can read if it is made here."""
    more = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags | more, 0o600), "wb" if flags & os.O_WRONLY else "rb")


def _connected(path: Path) -> sqlite3.Connection:
    """To a file that nobody needs once this process has ended, so it need not reach the disk."""
    with ExitStack() as failed:
        connection = failed.enter_context(closing(schema.connect(path)))
        connection.execute("PRAGMA synchronous = OFF")
        failed.pop_all()
    return connection


def _page_size(path: Path) -> int:
    with closing(schema.connect_to_read(path)) as connection:
        return connection.execute("PRAGMA page_size").fetchone()[0]
