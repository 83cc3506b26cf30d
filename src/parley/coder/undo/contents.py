"""Contents of files, by their hash: for the moment, and for as long as the session is kept.

What every file had before a command ran is needed only until the command has ended. It lies in a
file without a name, which the system frees whatever becomes of the process. Of that, what a command
has changed is kept in a private folder.
"""

import hashlib
import os
import secrets
from pathlib import Path

MOST_AT_HAND = 200 * 1024 * 1024
MOST_KEPT = 200 * 1024 * 1024


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def private(path: str, flags: int) -> int:
    """Opens a file that only its owner can read, whatever the mask of the process is."""
    file = os.open(path, flags | os.O_NOFOLLOW, 0o600)
    os.fchmod(file, 0o600)
    return file


class AtHand:
    """Contents of the moment. What does not fit any more is not there."""

    def __init__(self, folder: Path, most: int = MOST_AT_HAND) -> None:
        self._file = _nameless(folder)
        self._most = most
        self.full = False
        """Whether something did not fit."""
        self._size = 0
        self._places: dict[str, tuple[int, int]] = {}

    def put(self, hash: str, data: bytes) -> None:
        if hash in self._places:
            return
        if self._size + len(data) > self._most:
            self.full = True
            return
        written = 0
        while written < len(data):
            written += os.pwrite(self._file, data[written:], self._size + written)
        self._places[hash] = (self._size, len(data))
        self._size += len(data)

    def get(self, hash: str) -> bytes | None:
        place = self._places.get(hash)
        if place is None:
            return None
        data = os.pread(self._file, place[1], place[0])
        return data if hash_of(data) == hash else None

    def close(self) -> None:
        # The number may soon belong to another file, and a thread that was left may still come.
        file, self._file = self._file, -1
        os.close(file)


class Kept:
    """Contents on the disk, one private file for each."""

    def __init__(self, folder: Path, most: int = MOST_KEPT) -> None:
        self._folder = folder
        self._most = most
        self._size = sum(each.stat().st_size for each in folder.iterdir() if _is_content(each))

    def put(self, hash: str, data: bytes) -> bool:
        """Keep a content; whether there was room for it."""
        path = self._folder / hash
        if path.exists():
            return True
        if self._size + len(data) > self._most:
            return False
        part = self._folder / f".{hash}"
        with open(part, "wb", opener=private) as file:
            file.write(data)
        part.replace(path)
        self._size += len(data)
        return True

    def has(self, hash: str) -> bool:
        return (self._folder / hash).exists()

    def get(self, hash: str) -> bytes | None:
        try:
            data = (self._folder / hash).read_bytes()
        except OSError:
            return None
        return data if hash_of(data) == hash else None

    def drop_all_but(self, hashes: set[str]) -> None:
        """Free the room of contents that nobody needs any more."""
        for path in self._folder.iterdir():
            if _is_content(path) and path.name not in hashes:
                self._size -= path.stat().st_size
                path.unlink()


def _nameless(folder: Path) -> int:
    path = folder / f".{secrets.token_hex(8)}"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    path.unlink()
    return file


def _is_content(path: Path) -> bool:
    return len(path.name.removeprefix(".")) == 64
