"""The tool that shows what is in a folder, as a tree."""

import asyncio
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from parley.coder.errors import ToolError
from parley.coder.permission.access import ReadsPath
from parley.coder.providers.provider import ToolSpec
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.coder.workspace.beneath import Place
from parley.coder.workspace.walk import Folder, Item, Walk, walk
from parley.coder.workspace.workspace import Workspace
from parley.session.content import Location
from parley.session.event import ToolKind

DEPTH = 2
MOST_ITEMS = 500
_MARKS = {"folder": "/", "link": " (link)", "other": " (not a regular file)", "file": ""}


class ListFiles:
    """Shows the names in a folder and in the folders below it."""

    spec = ToolSpec(
        "list_files",
        "Show the files and folders in a folder of the workspace, as a tree. What ignore files "
        "leave out is not shown. To find files by name use `glob`.",
        {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The folder; the whole workspace if left out.",
                },
                "depth": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 20,
                    "description": f"How many levels to show; {DEPTH} if left out.",
                },
            },
            "additionalProperties": False,
        },
    )
    kind: ToolKind = "read"
    category: Category = "read"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        place = folder_at(desk.workspace, given.optional_text("path"))
        depth = given.optional_integer("depth", least=1, most=20) or DEPTH
        given.done()

        async def run(progress: Progress) -> Outcome:
            return Outcome(await asyncio.to_thread(_tree, place, depth))

        return Prepared(
            title=one_line(f"List {place.relative}"),
            access=(ReadsPath(place.path),),
            run=run,
            locations=(Location(place.outer),),
        )


def folder_at(workspace: Workspace, path: str | None) -> Place:
    """The folder that a path means, or the one the session works in.

    Raises:
        ToolError: there is no such folder.
    """
    place = workspace.place(path or ".")
    status = workspace.status(place)
    if status is None:
        raise ToolError(f"`{place.relative}` does not exist; use `list_files` on a folder above")
    if status.kind != "folder":
        raise ToolError(f"`{place.relative}` is not a folder; use `read_file` to read a file")
    return place


class _Shown(Struct, frozen=True):
    items: tuple[Item, ...]
    left: int
    """How many more there are."""


def _tree(place: Place, depth: int) -> str:
    """The tree, level by level until there is no more room: what is near matters most."""
    shown: dict[tuple[str, ...], _Shown] = {}
    room = MOST_ITEMS
    for folder in walk(place, Walk(hidden=True, depth=depth, breadth_first=True)):
        shown[folder.steps] = _fitting(folder, room)
        room -= len(shown[folder.steps].items)
        if room <= 0:
            break
    lines = [f"{place.relative}/", *_lines(shown, (), "  ")]
    if not lines[1:]:
        return f"`{place.relative}` is empty, or everything in it is ignored"
    if room <= 0:
        lines.append(f"(only {MOST_ITEMS} names are shown; list a folder below for the others)")
    return "\n".join(lines)


def _fitting(folder: Folder, room: int) -> _Shown:
    return _Shown(folder.items[:room], max(len(folder.items) - room, 0))


def _lines(shown: dict[tuple[str, ...], _Shown], steps: tuple[str, ...], indent: str) -> list[str]:
    lines: list[str] = []
    here = shown.get(steps, _Shown((), 0))
    for item in here.items:
        lines.append(f"{indent}{one_line(item.name, 255)}{_MARKS[item.kind]}")
        lines += _lines(shown, (*steps, item.name), indent + "  ")
    if here.left:
        lines.append(f"{indent}({here.left} more)")
    return lines
