"""The tool that reads a file: numbered lines, an image, or the cells of a notebook."""

import asyncio
import base64
import os
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from parley.coder.errors import ToolError
from parley.coder.message import ImagePart
from parley.coder.permission.access import ReadsPath
from parley.coder.providers.provider import ToolSpec
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.image import HEAD, MOST_IMAGE_BYTES, image_type
from parley.coder.tools.notebook import notebook_text
from parley.coder.tools.numbered import LONGEST_LINE, lines_of, numbered
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.coder.workspace.aside import aside
from parley.coder.workspace.beneath import Place
from parley.coder.workspace.walk import Walk, walk
from parley.coder.workspace.workspace import FileMissing, Workspace
from parley.session.content import ContentItem, Image, Location
from parley.session.event import ToolKind

MOST_LINES = 2000
MOST_CHARACTERS = 256 * 1024
_SIMILAR_NAMES = 3
# Names to look at for similar ones; more take longer than the answer is worth.
_MOST_NAMES = 5000
_MOST_COMPARED = 1000


class _Range(Struct, frozen=True):
    first: int
    limit: int
    asked: bool
    """Whether the model named any of the two."""


class ReadFile:
    """Reads a file and remembers what the model has seen of it."""

    spec = ToolSpec(
        "read_file",
        "Read a file of the workspace. Text comes back with line numbers: the number, a tab, and "
        "the line; they are not part of the file. Images are shown to you, notebooks as cells. "
        f"At most {MOST_LINES} lines come at once: read on with `offset`. A file must be read "
        "before it can be edited.",
        {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "Relative to the workspace, or absolute inside it.",
                },
                "offset": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The first line to read; 1 if left out.",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "description": f"How many lines to read; {MOST_LINES} if left out.",
                },
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    )
    kind: ToolKind = "read"
    category: Category = "read"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        place = desk.workspace.place(given.text("path"))
        first = given.optional_integer("offset", least=0)
        limit = given.optional_integer("limit", least=1)
        given.done()
        await check_there(desk.workspace, place)
        wanted = _Range(first or 1, limit or MOST_LINES, (first or limit) is not None)

        async def run(progress: Progress) -> Outcome:
            return await _read(desk, place, wanted)

        return Prepared(
            title=one_line(f"Read {place.relative}{_lines_in_title(first, limit)}"),
            access=(ReadsPath(place.path),),
            run=run,
            locations=(Location(place.outer, first),),
        )


async def check_there(workspace: Workspace, place: Place) -> None:
    """Refuse what cannot be read as a file.

    Raises:
        ToolError: it is missing, with similar names, or it is something else.
    """
    status = workspace.status(place)
    if status is None:
        # The client may have a file that was never saved.
        if workspace.files is not None and workspace.files.can_read:
            return
        raise await _missing(workspace, place)
    if status.kind == "folder":
        raise ToolError(f"`{place.relative}` is a folder; use `list_files` to see what is in it")
    if status.kind == "other":
        raise ToolError(f"`{place.relative}` is not a regular file and cannot be read")


async def _read(desk: Desk, place: Place, wanted: _Range) -> Outcome:
    workspace = desk.workspace
    kind = image_type(workspace.head(place, HEAD))
    if kind is not None:
        return await _image(workspace, place, kind)
    try:
        file = await workspace.read_text(place)
    except FileMissing:
        raise await _missing(workspace, place) from None
    desk.seen[place.path] = file.hash
    if place.path.endswith(".ipynb") and not wanted.asked:
        cells = await aside(len(file.text), notebook_text, file.text)
        if cells is not None:
            return Outcome(f"{_cut(cells)}\n\n(notebook; give `offset` to read its JSON)")
    if not file.text:
        return Outcome(f"`{place.relative}` is empty")
    return await aside(len(file.text), _page, place, file.text, wanted)


def _page(place: Place, text: str, wanted: _Range) -> Outcome:
    lines = lines_of(text)
    first, total = wanted.first, len(lines)
    if first > total:
        raise ToolError(f"`{place.relative}` has only {total} lines; choose a smaller `offset`")
    chosen: list[str] = []
    room = MOST_CHARACTERS
    for line in lines[first - 1 : first - 1 + wanted.limit]:
        room -= min(len(line), LONGEST_LINE) + 1
        if room < 0 and chosen:
            break
        chosen.append(line)
    last = first - 1 + len(chosen)
    note = f"\n\n(lines {first}-{last} of {total}; read on with offset {last + 1})"
    return Outcome(numbered(chosen, first) + (note if last < total else ""))


async def _image(workspace: Workspace, place: Place, kind: str) -> Outcome:
    data = await workspace.read_bytes(place, MOST_IMAGE_BYTES)
    encoded = base64.b64encode(data).decode()
    text = f"`{place.relative}` is an image ({kind}, {len(data)} bytes)"
    return Outcome(
        text,
        content=(ContentItem(Image(encoded, kind)),),
        raw_output=text,
        images=(ImagePart(encoded, kind),),
    )


async def _missing(workspace: Workspace, place: Place) -> ToolError:
    similar = await asyncio.to_thread(_similar, workspace, place)
    names = " or ".join(f"`{name}`" for name in similar)
    advice = f"did you mean {names}?" if names else "use `glob` to find it"
    return FileMissing(f"`{place.relative}` does not exist; {advice}")


def _similar(workspace: Workspace, place: Place) -> list[str]:
    """Files with the same name elsewhere, and files with nearly the same path."""
    name = os.path.basename(place.path)
    paths: list[str] = []
    for folder in walk(workspace.place(place.root), Walk(breadth_first=True)):
        paths += ["/".join((*folder.steps, item.name)) for item in folder.items]
        if len(paths) > _MOST_NAMES:
            break
    same = [path for path in paths if path.rpartition("/")[2] == name]
    near = get_close_matches("/".join(place.steps), paths[:_MOST_COMPARED], _SIMILAR_NAMES, 0.7)
    found = list(dict.fromkeys((*same, *near)))[:_SIMILAR_NAMES]
    return [workspace.shown(os.path.join(place.root, path)) for path in found]


def _cut(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    return text[:MOST_CHARACTERS] + f"\n[{len(text) - MOST_CHARACTERS} more characters]"


def _lines_in_title(first: int | None, limit: int | None) -> str:
    if limit is not None:
        start = first or 1
        return f" (lines {start}-{start + limit - 1})"
    return f" (from line {first})" if first is not None else ""
