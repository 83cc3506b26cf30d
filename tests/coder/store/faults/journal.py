"""Writes down what is asked of a disk, and builds what may be on it after the power has failed.

Nothing is taken for granted but syncs: until a file is synced each of its later writes, cut into
sectors, may be there or not, in any order; until a folder is synced each later change of its names
may be there or not. A sync of a file brings no name, and a sync of a folder brings no contents.
"""

import random
from dataclasses import dataclass
from pathlib import Path

from tests.coder.store.faults.listener import Listener

SECTORS = (512, 4096)
FOLDER = 0
"""Stands for a file where there is a folder."""


@dataclass(frozen=True)
class Write:
    file: int
    offset: int
    content: bytes


@dataclass(frozen=True)
class Resize:
    file: int
    size: int


@dataclass(frozen=True)
class Sync:
    file: int


@dataclass(frozen=True)
class Name:
    """A path stands for a file from now on, or for none."""

    path: str
    file: int | None
    gone: str = ""
    """The name that the file had before, which it loses at the same moment."""


@dataclass(frozen=True)
class FolderSync:
    folder: str


Event = Write | Resize | Sync | Name | FolderSync | str
"""A text is a mark that the program set itself."""


class Journal(Listener):
    """What happened, in order. Files have numbers, since names come and go."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.writes_down = False
        self._files: dict[str, int] = {}
        self._count = 0

    def made(self, path: str) -> None:
        self._count += 1
        self._named(path, self._count)

    def folder_made(self, path: str) -> None:
        self._named(path, FOLDER)

    def wrote(self, path: str, offset: int, content: bytes) -> None:
        self._add(Write(self._files.get(path, 0), offset, content))

    def resized(self, path: str, size: int) -> None:
        self._add(Resize(self._files.get(path, 0), size))

    def removed(self, path: str) -> None:
        self._named(path, None)

    def renamed(self, path: str, target: str) -> None:
        file = self._files[target] = self._files.pop(path)
        # One change of both names; a disk never has half of a rename.
        self._add(Name(target, file, path))

    def linked(self, path: str, target: str) -> None:
        self._named(target, self._files.get(path))

    def synced(self, path: str) -> None:
        self._add(Sync(self._files.get(path, 0)))

    def folder_synced(self, path: str) -> None:
        self._add(FolderSync(path))

    @staticmethod
    def moved(event: Event, folder: str) -> Event:
        """The same event with paths below a folder that is the root now."""
        match event:
            case Name(path, file, gone):
                return Name(path.removeprefix(folder), file, gone.removeprefix(folder))
            case FolderSync(path):
                return FolderSync(path.removeprefix(folder))
            case _:
                return event

    def mark(self, text: str) -> None:
        self._add(text)

    def _add(self, event: Event) -> None:
        if self.writes_down:
            self.events.append(event)

    def _named(self, path: str, file: int | None) -> None:
        if file is None:
            self._files.pop(path, None)
        else:
            self._files[path] = file
        self._add(Name(path, file))


class Disk:
    """What is surely on the disk at one moment, and what may be."""

    def __init__(self, events: list[Event]) -> None:
        self._names: dict[str, int | None] = {}
        self._folders: set[str] = set()
        self._loose_names: list[Name] = []
        self._contents: dict[int, bytearray] = {}
        self._loose: dict[int, list[Write | Resize]] = {}
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case Name(path, file):
                self._loose_names.append(event)
                if file == FOLDER:
                    self._folders.add(path)
            case FolderSync(folder):
                here = [each for each in self._loose_names if _folder(each.path) == folder]
                for each in here:
                    _rename(self._names, each)
                self._loose_names = [each for each in self._loose_names if each not in here]
            case Write(file) | Resize(file):
                self._loose.setdefault(file, []).append(event)
            case Sync(file):
                for each in self._loose.pop(file, []):
                    _apply(self._contents.setdefault(file, bytearray()), each)
            case str():
                pass

    def image(self, folder: Path, chance: random.Random) -> None:
        """Put one of the possible states into a folder."""
        names = dict(self._names)
        # Sometimes nothing of what was not synced is there, sometimes all of it.
        share = chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        for each in self._loose_names:
            if chance.random() < share:
                _rename(names, each)
        lost = tuple(f"{each}/" for each in self._folders if names.get(each) is None)
        sector = chance.choice(SECTORS)
        for path, file in names.items():
            if not file or path.startswith(lost):
                continue
            content = bytearray(self._contents.get(file, b""))
            loose = [part for each in self._loose.get(file, []) for part in _torn(each, sector)]
            if chance.random() < 0.5:
                chance.shuffle(loose)
            for part in loose:
                if chance.random() < share:
                    _apply(content, part)
            target = folder / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def _rename(names: dict[str, int | None], change: Name) -> None:
    names[change.path] = change.file
    if change.gone and names.get(change.gone) == change.file:
        names[change.gone] = None


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _torn(event: Write | Resize, sector: int) -> list[Write | Resize]:
    """The parts of a write that reach the disk by themselves."""
    if isinstance(event, Resize):
        return [event]
    parts: list[Write | Resize] = []
    start, end = event.offset, event.offset + len(event.content)
    while start < end:
        stop = min((start // sector + 1) * sector, end)
        content = event.content[start - event.offset : stop - event.offset]
        parts.append(Write(event.file, start, content))
        start = stop
    return parts


def _apply(content: bytearray, event: Write | Resize) -> None:
    match event:
        case Write(_, offset, written):
            content.extend(bytes(max(0, offset + len(written) - len(content))))
            content[offset : offset + len(written)] = written
        case Resize(_, size):
            content.extend(bytes(max(0, size - len(content))))
            del content[size:]
