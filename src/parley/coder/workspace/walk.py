"""Going through the folders of a workspace, without leaving it and without ignored files.

Each folder is opened beneath the root anew, so a link that is swapped in ends the way there and
leads nowhere. Links are never followed. Everything here blocks.
"""

import os
from collections import deque
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Literal

from msgspec import Struct

from parley.coder.workspace.beneath import Place, open_folder
from parley.coder.workspace.ignore import KINDS, NOTHING_IGNORED, Ignores, ignores_above, rules_in

Kind = Literal["file", "folder", "link", "other"]
Choose = Callable[[tuple[str, ...], bool], bool | None]
"""Steps below the start and whether it is a folder: take it, leave it, or let the rules decide."""


class Item(Struct, frozen=True):
    name: str
    kind: Kind
    modified: float = 0.0


class Folder(Struct, frozen=True):
    """One folder and what is in it, by name, without what is left out."""

    steps: tuple[str, ...]
    """Below the place where the walk started."""
    items: tuple[Item, ...]


class Walk(Struct, frozen=True):
    """How to go: what is left out, how deep, and whether times are wanted."""

    hidden: bool = False
    """Names with a dot in front; `.git` is never entered."""
    ignored: bool = False
    """What ignore files leave out."""
    depth: int | None = None
    times: bool = False
    choose: Choose = lambda steps, folder: None
    breadth_first: bool = False


def walk(start: Place, way: Walk) -> Generator[Folder]:
    """Every folder from the start on; one that cannot be read is left out."""
    above = NOTHING_IGNORED if way.ignored else ignores_above(start.path)
    waiting: deque[tuple[tuple[str, ...], Ignores]] = deque([((), above)])
    while waiting:
        steps, ignores = waiting.popleft()
        with suppress(OSError):
            found, ignores = _read(start, steps, ignores, way)
            yield Folder(steps, found)
            if way.depth is not None and len(steps) + 1 >= way.depth:
                continue
            below = [((*steps, item.name), ignores) for item in found if item.kind == "folder"]
            if way.breadth_first:
                waiting.extend(below)
            else:
                waiting.extendleft(reversed(below))


def _read(
    start: Place, steps: tuple[str, ...], ignores: Ignores, way: Walk
) -> tuple[tuple[Item, ...], Ignores]:
    folder = open_folder(start.root, start.steps + steps)
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=_name)
            names = {entry.name for entry in listed}
            absolute = (*_components(start.path), *steps)
            if not way.ignored:
                own = rules_in(folder, tuple(kind for kind in KINDS if kind in names))
                ignores = ignores.entered(absolute, own, git=".git" in names)
            return tuple(
                _item(entry, times=way.times)
                for entry in listed
                if _is_taken(entry, steps, absolute, ignores, way)
            ), ignores
    finally:
        os.close(folder)


def _is_taken(
    entry: "os.DirEntry[str]",
    steps: tuple[str, ...],
    absolute: tuple[str, ...],
    ignores: Ignores,
    way: Walk,
) -> bool:
    folder = entry.is_dir(follow_symlinks=False)
    chosen = way.choose((*steps, entry.name), folder)
    if chosen is not None:
        return chosen
    if entry.name == ".git" and folder:
        return False
    said = ignores.verdict((*absolute, entry.name), folder=folder)
    # A rule that takes something back in also takes in what is hidden.
    return not said if said is not None else way.hidden or not entry.name.startswith(".")


def _item(entry: "os.DirEntry[str]", *, times: bool) -> Item:
    modified = entry.stat(follow_symlinks=False).st_mtime if times else 0.0
    if entry.is_symlink():
        return Item(entry.name, "link", modified)
    if entry.is_dir(follow_symlinks=False):
        return Item(entry.name, "folder", modified)
    if entry.is_file(follow_symlinks=False):
        return Item(entry.name, "file", modified)
    return Item(entry.name, "other", modified)


def _components(path: str) -> tuple[str, ...]:
    inner = path.strip(os.sep)
    return tuple(inner.split(os.sep)) if inner else ()


def _name(entry: "os.DirEntry[str]") -> str:
    return entry.name
