"""What lies in the folder of the store beside the store: modes, remains, things out of place.

Only names that the store itself uses are looked at, so a folder that somebody shares with other
things is safe.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct

from parley.coder.store.database import FILE_NAME
from parley.coder.store.record import is_session_id
from parley.coder.store.using import LOCK_NAME, LOCKS_FOLDER

UNDO_FOLDER = "undo"

RemainKind = Literal["damaged", "temporary", "lock", "undo"]

_NAME = re.escape(FILE_NAME)
_DAMAGED = re.compile(
    rf"(?:{_NAME}.*|{LOCK_NAME}|{LOCKS_FOLDER}|{UNDO_FOLDER}|.+\.lock)\.damaged-\d+(-\w+)?"
)
_REPORT = re.compile(rf"{_NAME}\.damaged-\d+-report")
_TEMPORARY = re.compile(rf"{_NAME}\.(?:new(?:-\w+)*|rebuild\.\d+)")
_OWN = re.compile(rf"{_NAME}(?:-wal|-shm|\..*)?|{LOCK_NAME}")
_OTHERS = 0o077


class Remain(Struct, frozen=True):
    """Something that a process has left behind, or a repair has kept.

    `damaged` ones are kept until a person removes them.
    """

    kind: RemainKind
    path: Path
    size: int = 0


class Exposed(Struct, frozen=True):
    """Something that others could reach, or we cannot."""

    path: Path
    mode: int
    wanted: int


def is_store(folder: Path) -> bool:
    """Whether the folder has the file of a store, or what is kept beside it.

    Folders with the names that the store gives to its own could be anybody's.
    """
    return any(_OWN.fullmatch(path.name) for path in _inside(folder))


def remains(folder: Path, ids: frozenset[str] | None) -> Iterator[Remain]:
    """Everything that is left. Without the ids of all sessions nothing can be said of undo data.

    What a process needs that is at work looks no different.
    """
    for path in (*_inside(folder), *_inside(folder / LOCKS_FOLDER)):
        if _REPORT.fullmatch(path.name):
            if not _has_damaged(path):
                yield Remain("temporary", path, _size(path))
        elif _DAMAGED.fullmatch(path.name):
            yield Remain("damaged", path, _size(path))
        elif _TEMPORARY.fullmatch(path.name) and not _is(path, stat.S_ISDIR):
            yield Remain("temporary", path, _size(path))
        elif path.suffix == ".lock" and is_session_id(path.stem):
            yield Remain("lock", path, _size(path))
    for path in _inside(folder / UNDO_FOLDER):
        if not is_session_id(path.name) or not _is(path, stat.S_ISDIR):
            continue
        if ids is not None and path.name not in ids:
            yield Remain("undo", path, sum(map(_size, _inside(path))))
        else:
            # What is kept for good has a name without a point.
            hidden = (each for each in _inside(path) if each.name.startswith("."))
            yield from (Remain("temporary", each, _size(each)) for each in hidden)


def exposed(folder: Path) -> Iterator[Exposed]:
    """Folders and files of the store with other modes than they should have."""
    if (found := _exposed(folder, 0o700)) is not None:
        yield found
    for path in _inside(folder):
        if _OWN.fullmatch(path.name) and _is(path, stat.S_ISREG):
            yield from filter(None, [_exposed(path, 0o600)])
    for name in (LOCKS_FOLDER, UNDO_FOLDER):
        if not _is(folder / name, stat.S_ISDIR):
            continue
        yield from filter(None, [_exposed(folder / name, 0o700)])
        for path in _inside(folder / name):
            if is_session_id(path.name.removesuffix(".lock")):
                yield from _exposed_below(path)


def misplaced(folder: Path) -> Iterator[Path]:
    """What has the name of something of the store and cannot be it."""
    if os.path.lexists(folder / LOCK_NAME) and not _is(folder / LOCK_NAME, stat.S_ISREG):
        yield folder / LOCK_NAME
    for name in (LOCKS_FOLDER, UNDO_FOLDER):
        path = folder / name
        if os.path.lexists(path) and not path.is_dir():
            yield path
    for path in _inside(folder / LOCKS_FOLDER):
        if path.suffix == ".lock" and not _is(path, stat.S_ISREG):
            yield path


def misplaced_logs(folder: Path) -> Iterator[Path]:
    """The same for what SQLite keeps beside the file. Only who is alone with the store moves it."""
    for suffix in ("-wal", "-shm"):
        path = folder / f"{FILE_NAME}{suffix}"
        if os.path.lexists(path) and not _is(path, stat.S_ISREG):
            yield path


def size_of(folder: Path) -> int:
    """The bytes of the store: its file with the log of changes, and the copies for undoing."""
    own = (folder / f"{FILE_NAME}{suffix}" for suffix in ("", "-wal", "-shm"))
    undo = (each for path in _inside(folder / UNDO_FOLDER) for each in _inside(path))
    return sum(map(_size, (*own, *undo)))


def _has_damaged(report: Path) -> bool:
    """Whether what a report is about is still there."""
    about = report.name.removesuffix("-report")
    return any(os.path.lexists(report.with_name(f"{about}{suffix}")) for suffix in ("", "-wal"))


def _exposed_below(path: Path) -> Iterator[Exposed]:
    """A file of ours, or a folder with everything in it, to the depth that it has."""
    if _is(path, stat.S_ISDIR):
        yield from filter(None, [_exposed(path, 0o700)])
        for each in _inside(path):
            yield from _exposed_below(each)
    elif _is(path, stat.S_ISREG):
        yield from filter(None, [_exposed(path, 0o600)])


def _exposed(path: Path, wanted: int) -> Exposed | None:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None
    if mode & _OTHERS or mode & wanted != wanted:
        return Exposed(path, mode, wanted)
    return None


def _inside(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(folder.iterdir())
    return []


def _is(path: Path, kind: Callable[[int], bool]) -> bool:
    """Whether there is something of a kind, links not followed."""
    try:
        return kind(path.lstat().st_mode)
    except OSError:
        return False


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
