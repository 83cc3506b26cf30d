"""Ways to ruin the files of a store, each with random details.

Each gets the folder of a store that nobody uses. What it returns puts the files right again: that
is for things that the store can only refuse, such as a folder in place of a file.
"""

import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from parley.coder.store.database import FILE_NAME
from parley.coder.store.record import checksum, seed

HUGE = 8 * 2**30
STRANGER = 12_345

Undo = Callable[[], None]


def _nothing() -> None:
    """There is nothing that could be put right."""


@dataclass(frozen=True)
class Damage:
    """One way to ruin a store."""

    name: str
    ruin: Callable[[Path, random.Random], Undo]
    weight: int = 1
    refusals: frozenset[str] = frozenset()
    """The causes for which the store may refuse to work at all."""
    harmless: bool = False
    """Whether every entry must be there again."""


def _in_bytes(change: Callable[[bytearray, random.Random], None]) -> Callable[..., Undo]:
    """A change of the bytes of the file or of its log of changes."""

    def ruin(folder: Path, chance: random.Random) -> Undo:
        log = folder / f"{FILE_NAME}-wal"
        victim = log if log.exists() and chance.random() < 0.6 else folder / FILE_NAME
        content = bytearray(victim.read_bytes())
        change(content, chance)
        victim.write_bytes(content)
        return _nothing

    return ruin


def flip_a_bit(content: bytearray, chance: random.Random) -> None:
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def flip_many_bits(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(2, 200)):
        flip_a_bit(content, chance)


def cut(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content)) :]


def cut_out(content: bytearray, chance: random.Random) -> None:
    start, size = _block(content, chance)
    del content[start : start + size]


def zero(content: bytearray, chance: random.Random) -> None:
    start, size = _block(content, chance)
    content[start : start + size] = bytes(size)


def swap(content: bytearray, chance: random.Random) -> None:
    (start, size), (other, _) = _block(content, chance, 4096), _block(content, chance, 4096)
    content[start : start + size], content[other : other + size] = (
        content[other : other + size],
        content[start : start + size],
    )


def duplicate(content: bytearray, chance: random.Random) -> None:
    (start, size), (other, _) = _block(content, chance, 4096), _block(content, chance, 4096)
    content[start : start + size] = content[other : other + size]


def scribble(content: bytearray, chance: random.Random) -> None:
    start, size = _block(content, chance)
    content[start : start + size] = chance.randbytes(size)


def _block(content: bytearray, chance: random.Random, size: int = 0) -> tuple[int, int]:
    size = size or chance.choice((512, 4096))
    return chance.randrange(max(1, len(content) // size)) * size, size


def _side_files(folder: Path) -> list[Path]:
    """What can lie in the folder beside the file itself."""
    ends = ("-wal", "-shm", "-journal", ".rebuild", ".new", ".damaged-1")
    locks = folder / "locks"
    lock = locks / f"{_session(folder)}.lock"
    return [*(folder / f"{FILE_NAME}{end}" for end in ends), folder / "store.lock", lock]


def _session(folder: Path) -> str:
    return "damage-session-0001"


def garbage(folder: Path, chance: random.Random) -> Undo:
    victim = chance.choice([folder / FILE_NAME, *_side_files(folder)])
    victim.parent.mkdir(exist_ok=True)
    victim.write_bytes(
        chance.choice((b"", b"\0" * 5000, chance.randbytes(9000), b"\xef\xbb\xbf{}"))
    )
    return _nothing


def side_garbage(folder: Path, chance: random.Random) -> Undo:
    """Garbage where nothing is kept."""
    victim = chance.choice([path for path in _side_files(folder) if _is_idle(path)])
    victim.parent.mkdir(exist_ok=True)
    victim.write_bytes(chance.choice((b"", b"\0" * 5000, chance.randbytes(9000), b"9" * 5000)))
    return _nothing


def _is_idle(path: Path) -> bool:
    # A journal in place of a log of changes is something that SQLite would obey.
    return not path.name.endswith(("-wal", "-journal"))


def other_kind(folder: Path, chance: random.Random) -> Undo:
    """Something that is no file in place of one."""
    places = [folder / FILE_NAME, *_side_files(folder), folder / "locks"]
    victim, kept = chance.choice(places), folder / "kept"
    if os.path.lexists(victim):
        victim.rename(kept)
    victim.parent.mkdir(exist_ok=True)
    chance.choice(_KINDS)(victim)

    def undo() -> None:
        if victim.is_dir() and not victim.is_symlink():
            shutil.rmtree(victim)
        else:
            victim.unlink(missing_ok=True)
        for path in folder.glob(f"{victim.name}.damaged-*"):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        if kept.exists():
            kept.rename(victim)

    return undo


def _full_folder(path: Path) -> None:
    path.mkdir()
    (path / "in it").touch()


def _device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except OSError:
        # Only root may make one; a link leads to the same device.
        path.symlink_to("/dev/zero")


_KINDS: tuple[Callable[[Path], None], ...] = (
    Path.mkdir,
    _full_folder,
    os.mkfifo,
    lambda path: path.symlink_to("missing"),
    lambda path: path.symlink_to(path.name),
    lambda path: path.symlink_to("/dev/zero"),
    _device,
)


def sparse(folder: Path, chance: random.Random) -> Undo:
    """A file that says it is huge, and has nothing in it."""
    idle = [path for path in _side_files(folder) if _is_idle(path) or path.exists()]
    victim = chance.choice([folder / FILE_NAME, *idle])
    victim.parent.mkdir(exist_ok=True)
    victim.touch()
    os.truncate(victim, HUGE)
    return _nothing


def missing(folder: Path, chance: random.Random) -> Undo:
    """A file that nothing is kept in is gone."""
    victim = chance.choice([folder / f"{FILE_NAME}-shm", folder / "store.lock", folder / "locks"])
    shutil.rmtree(victim) if victim.is_dir() else victim.unlink(missing_ok=True)
    return _nothing


def future(folder: Path, chance: random.Random) -> Undo:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.execute(f"PRAGMA user_version = {chance.choice((2, 3, 50, 999))}")
    return _nothing


def strange_version(folder: Path, chance: random.Random) -> Undo:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.execute(f"PRAGMA user_version = {chance.choice((-1, 1000, 2**31 - 1))}")
    return _nothing


def stranger(folder: Path, chance: random.Random) -> Undo:
    """Something belongs to somebody else, where that can be made so."""
    victim = chance.choice([folder / FILE_NAME, folder / "store.lock", folder])
    victim.touch()
    with suppress(PermissionError):
        os.chown(victim, STRANGER, -1)
    return lambda: os.chown(victim, os.geteuid(), -1)


def forbidden(folder: Path, chance: random.Random) -> Undo:
    """Something may be neither read nor written."""
    files = [folder / FILE_NAME, *(path for path in _side_files(folder) if path.exists())]
    victim = chance.choice([*files, folder / "locks", folder])
    before = stat.S_IMODE(victim.stat().st_mode)
    victim.chmod(0)
    return lambda: victim.chmod(before)


def lost_indexes(folder: Path, chance: random.Random) -> Undo:
    """The indexes are gone or have other pages; they hold nothing of their own."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        if chance.random() < 0.5:
            for name in ("sessions_by_change", "sessions_by_cwd"):
                connection.execute(f"DROP INDEX {name}")
        else:
            connection.execute("PRAGMA writable_schema = ON")
            root = "SELECT rootpage FROM sqlite_schema WHERE name = 'entries'"
            connection.execute(
                f"UPDATE sqlite_schema SET rootpage = ({root}) WHERE name = ?",
                (chance.choice(("sqlite_autoindex_sessions_1", "sessions_by_change")),),
            )
            connection.commit()
    return _nothing


def strange_records(folder: Path, chance: random.Random) -> Undo:
    """Records that are whole, and say what nobody understands."""
    session = _session(folder)
    bodies = (
        b"",
        b"\0",
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b"{}\r\n{}",
        b"[" * 100_000,
        b'{"entry":"told","event":' + b'{"a":' * 100_000,
        b'{"entry":"turn_begun","turn_id":"\xff"}',
        b'"' + b"x" * 20_000_000 + b'"',
    )
    body = chance.choice(bodies)
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        key, count = connection.execute(
            "SELECT key, records FROM sessions WHERE id = ?", (session,)
        ).fetchone()
        row = (key, count + 1, checksum(seed(session), count + 1, body), body)
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", row)
        connection.execute("UPDATE sessions SET records = records + 1 WHERE key = ?", (key,))
        connection.commit()
    return _nothing


_NOT_A_FILE = frozenset({"io", "denied", "damaged"})
DAMAGES = (
    Damage("flipped bit", _in_bytes(flip_a_bit), 6, frozenset({"newer"})),
    Damage("many flipped bits", _in_bytes(flip_many_bits), 3, frozenset({"newer"})),
    Damage("cut off", _in_bytes(cut), 3),
    Damage("block cut out", _in_bytes(cut_out), 2),
    Damage("block of zeros", _in_bytes(zero), 4),
    Damage("swapped blocks", _in_bytes(swap), 4),
    Damage("duplicated block", _in_bytes(duplicate), 2),
    Damage("block of garbage", _in_bytes(scribble), 4, frozenset({"newer"})),
    Damage("garbage in a file", garbage, 4),
    Damage("garbage beside it", side_garbage, 3, harmless=True),
    Damage("no file", other_kind, 5, _NOT_A_FILE),
    Damage("huge sparse file", sparse, 3),
    Damage("missing side file", missing, 1, harmless=True),
    Damage("future version", future, 1, frozenset({"newer"})),
    Damage("strange version", strange_version, 1, harmless=True),
    Damage("another owner", stranger, 2, frozenset({"denied"})),
    Damage("mode 000", forbidden, 2, frozenset({"denied", "io"})),
    Damage("lost indexes", lost_indexes, 2, harmless=True),
    Damage("strange records", strange_records, 2, harmless=True),
)
"""How often each is taken, and what may come of it."""
