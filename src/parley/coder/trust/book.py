"""The agreements of the user, in one file of the agent's own data folder.

Everything about the file that is not as this module writes it means that nothing is trusted: a
file of somebody else, a mode that lets others write, a link, garbage. Whoever adds something holds
a lock, and readers see the file before or after it, never in between. A later agreement takes the
place of an earlier one about the same thing, so content that was changed back is asked for again.

A file that is not believed is kept aside by whoever writes the next one. What can only not be read
at the moment is left alone, and nothing is written.
"""

import fcntl
import os
import secrets
import stat
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from parley.coder.private_folder import make_private
from parley.coder.trust.content import Content, digest_of
from parley.errors import AcpError

Standing = Literal["trusted", "changed", "new"]

FILE = "trust.json"
ASIDE = f"{FILE}.not-believed-"
"""How the names of files begin that were kept aside."""
MOST_BYTES = 8 * 1024 * 1024
MOST_ENTRIES = 5_000
"""The oldest ones are forgotten beyond that, which means that they are asked for again."""
PATIENCE = 5.0
"""Seconds to wait for another process that writes."""

_LOCK = "trust.lock"
_LONGEST = 200
_PAUSE = 0.01
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_HOLD = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class TrustNotKept(AcpError):
    """An agreement could not be written down, so it does not hold. The text is for a person."""


class Entry(Struct, frozen=True):
    """One agreement. Only `place`, `digest` and `project` decide; the rest is for people."""

    place: str
    digest: str
    root: str
    kind: str
    name: str
    project: str = ""
    """A digest of the root, which may be too long to stand here; once there was none."""


class _Pages(Struct, frozen=True):
    version: Literal[1]
    trusted: tuple[Entry, ...]


class _Reading(Struct, frozen=True):
    """What became of reading the file."""

    entries: tuple[Entry, ...] = ()
    problem: str = ""
    """Why nothing in it is believed, as the end of a sentence."""
    replaceable: bool = True
    """Whether another file may take its place."""


class TrustBook:
    """The file in one data folder. All of it does I/O, so call it from a thread."""

    def __init__(self, folder: Path, *, patience: float = PATIENCE) -> None:
        self._folder = folder
        self._path = folder / FILE
        self._patience = patience

    def trusts(self, content: Content) -> bool:
        """Whether the user agreed to exactly this."""
        return self.standing((content,))[0] == "trusted"

    def standing(self, contents: Iterable[Content]) -> tuple[Standing, ...]:
        """How each of them stands: agreed to, agreed to before it changed, or never."""
        known = {entry.place: entry.digest for entry in self._read().entries}
        return tuple(_standing(known.get(content.place), content) for content in contents)

    def add(self, contents: Iterable[Content]) -> None:
        """Keep that the user agreed to these, on the disk when this returns.

        Raises:
            TrustNotKept: it cannot be written.
        """
        new = {content.place: _entry(content) for content in contents}
        with self._alone() as entries:
            entries[:] = [*(e for e in entries if e.place not in new), *new.values()]

    def forget(self, root: str) -> int:
        """Take back all agreements about a project, whatever lies there now; how many there were.

        Raises:
            TrustNotKept: it cannot be written.
        """
        with self._alone() as entries:
            before = len(entries)
            entries[:] = [entry for entry in entries if not _is_of(entry, root)]
            return before - len(entries)

    def examined(self) -> tuple[int, str]:
        """How many agreements there are, and what is wrong with the file; empty if nothing is."""
        reading = self._read()
        return len(reading.entries), reading.problem

    def _read(self) -> _Reading:
        try:
            file = os.open(self._path, _READ)
        except FileNotFoundError:
            return _Reading()
        except OSError as error:
            return _unreadable(f"cannot be opened: {error.strerror}")
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                return _unreadable("is not a file")
            if problem := _doubt(status):
                return _Reading(problem=problem)
            with open(file, "rb", closefd=False) as pages:
                data = pages.read(MOST_BYTES + 1)
            return _Reading(msgspec.json.decode(data, type=_Pages).trusted)
        except OSError as error:
            return _unreadable(f"cannot be read: {error.strerror}")
        except (ValueError, RecursionError):
            return _Reading(problem="is damaged")
        finally:
            os.close(file)

    @contextmanager
    def _alone(self) -> Generator[list[Entry]]:
        """The entries, to be changed; they are written when the block ends."""
        try:
            make_private(self._folder)
            lock = os.open(self._folder / _LOCK, _HOLD, 0o600)
            try:
                os.fchmod(lock, 0o600)
                _wait_for(lock, self._patience)
                reading = self._read()
                if not reading.replaceable:
                    raise TrustNotKept(
                        f"What you decided could not be kept: `{self._path}` {reading.problem}."
                        " It was left as it is. Try again; if that does not help, move it away."
                    )
                entries = list(reading.entries)
                yield entries
                if reading.problem:
                    os.rename(self._path, self._folder / f"{ASIDE}{secrets.token_hex(4)}")
                self._write(_Pages(1, tuple(entries[-MOST_ENTRIES:])))
            finally:
                os.close(lock)
        except BlockingIOError:
            raise TrustNotKept(
                f"What you decided could not be kept in `{self._path}`: another process of the"
                " agent is writing it. Try again."
            ) from None
        except OSError as error:
            raise TrustNotKept(
                f"What you decided could not be kept in `{self._path}`: {error.strerror}. Make"
                " sure that the disk has room and that you may write there, and try again."
            ) from None

    def _write(self, pages: _Pages) -> None:
        data = msgspec.json.format(msgspec.json.encode(pages), indent=1)
        fresh = self._folder / f"{FILE}.{secrets.token_hex(8)}"
        try:
            file = os.open(fresh, _WRITE, 0o600)
            try:
                # The umask may have taken away what we need ourselves.
                os.fchmod(file, 0o600)
                with open(file, "wb", closefd=False) as writer:
                    writer.write(data)
                os.fsync(file)
            finally:
                os.close(file)
            os.replace(fresh, self._path)
        except OSError:
            with suppress(OSError):
                fresh.unlink()
            raise
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _unreadable(problem: str) -> _Reading:
    return _Reading(problem=problem, replaceable=False)


def _doubt(status: os.stat_result) -> str:
    """Why a file is not believed; empty if it is."""
    if status.st_uid != os.geteuid():
        return "belongs to somebody else"
    if status.st_mode & _OTHERS_WRITE:
        return "can be written by others"
    return "is too large" if status.st_size > MOST_BYTES else ""


def _wait_for(lock: int, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _standing(digest: str | None, content: Content) -> Standing:
    if digest is None:
        return "new"
    return "trusted" if digest == content.digest else "changed"


def _entry(content: Content) -> Entry:
    return Entry(
        content.place,
        content.digest,
        _text(content.root),
        _text(content.kind),
        _text(content.name),
        digest_of(content.root),
    )


def _is_of(entry: Entry, root: str) -> bool:
    if entry.project:
        return entry.project == digest_of(root)
    # Of two long paths that begin alike both count; who forgets too much is asked again.
    return entry.root == _text(root)


def _text(name: str) -> str:
    """A name that can be written as text, even if it is none; a long one is cut."""
    return name[:_LONGEST].encode("utf-8", "backslashreplace").decode()
