"""The tool that finds files by their names."""

import asyncio
import os
import time
from collections.abc import Mapping
from typing import Any

from parley.coder.errors import ToolError
from parley.coder.permission.access import ReadsPath
from parley.coder.providers.provider import ToolSpec
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.file_pattern import FilePattern
from parley.coder.tools.list_files import folder_at
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.coder.workspace.beneath import Place
from parley.coder.workspace.walk import Walk, walk
from parley.coder.workspace.workspace import Workspace, is_beneath
from parley.session.content import Location
from parley.session.event import ToolKind

MOST_FILES = 200
_SECONDS = 20.0


class Glob:
    """Finds files by a pattern, those that were changed last first."""

    spec = ToolSpec(
        "glob",
        "Find files of the workspace by their names, those that were changed last first. A "
        "pattern without a slash matches in any folder: `*.py`. One with a slash matches the "
        "path below the folder of the search: `src/**/test_*.{ts,tsx}`. What ignore files leave "
        "out is not found, nor are hidden files unless the pattern has the dot.",
        {
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "With `*`, `**`, `?`, `[ab]`, `{a,b}`.",
                },
                "path": {
                    "type": "string",
                    "description": "The folder to search; the whole workspace if left out.",
                },
            },
            "required": ["pattern"],
            "additionalProperties": False,
        },
    )
    kind: ToolKind = "search"
    category: Category = "read"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        wanted = given.text("pattern")
        place = folder_at(desk.workspace, given.optional_text("path"))
        given.done()
        pattern = FilePattern(_below(wanted, place))

        async def run(progress: Progress) -> Outcome:
            return Outcome(await asyncio.to_thread(_found, desk.workspace, place, pattern))

        return Prepared(
            title=one_line(f"Find {wanted}" + _where(place)),
            access=(ReadsPath(place.path),),
            run=run,
            locations=(Location(place.outer),),
        )


def _below(pattern: str, place: Place) -> str:
    """The pattern as it counts from the folder of the search.

    Raises:
        ToolError: it can only match outside.
    """
    if os.pardir in pattern.split("/"):
        raise ToolError("a pattern cannot contain `..`; give the folder as `path`")
    if not os.path.isabs(pattern):
        return pattern
    for base in (place.path, place.outer):
        if is_beneath(pattern, base):
            return pattern[len(base.rstrip(os.sep)) :]
    raise ToolError(f"`{pattern}` is outside of `{place.relative}`; use a pattern below it")


def _found(workspace: Workspace, place: Place, pattern: FilePattern) -> str:
    found: list[tuple[float, str]] = []
    until = time.monotonic() + _SECONDS
    late = False
    for folder in walk(place, Walk(hidden=pattern.wants_hidden, times=True)):
        for item in folder.items:
            steps = (*folder.steps, item.name)
            if item.kind == "file" and pattern.matches(steps):
                found.append((-item.modified, os.path.join(place.path, *steps)))
        late = time.monotonic() > until
        if late:
            break
    found.sort()
    lines = [one_line(workspace.shown(path), 4096) for _, path in found[:MOST_FILES]]
    if len(found) > MOST_FILES:
        lines.append(f"({MOST_FILES} of {len(found)} files; use a narrower pattern)")
    if late:
        lines.append(f"(stopped after {_SECONDS:.0f} seconds; search a smaller folder)")
    return "\n".join(lines) or "No files found"


def _where(place: Place) -> str:
    return "" if place.relative == os.curdir else f" in {place.relative}"
