"""The tool that searches what is in files."""

import os
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from parley.coder.errors import ToolError
from parley.coder.permission.access import ReadsPath
from parley.coder.providers.provider import ToolSpec
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.file_pattern import FilePattern
from parley.coder.tools.grep_report import Found, found_in, report
from parley.coder.tools.search_lines import NO_PATTERN, Output, Search
from parley.coder.tools.search_program import SECONDS, Printed, ripgrep, searched
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.coder.workspace.aside import aside
from parley.coder.workspace.beneath import Place
from parley.coder.workspace.workspace import Workspace
from parley.session.content import Location
from parley.session.event import ToolKind

MOST_RESULTS = 200
_LIMIT = 5000
_MOST_CONTEXT = 20
_OUTPUTS: tuple[Output, ...] = ("lines", "files", "count")
# What ripgrep says at the end of a long explanation.
_REASON = re.compile(r"^error: (.+)$", re.MULTILINE)


class Grep:
    """Searches files for lines that match a regular expression."""

    spec = ToolSpec(
        "grep",
        "Search the files of the workspace for lines that match a regular expression; special "
        "characters that stand for themselves need a backslash. What ignore files leave out, "
        "hidden files and binary files are not searched.",
        {
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "A regular expression for one line, such as `def \\w+\\(`.",
                },
                "path": {
                    "type": "string",
                    "description": "A folder or a file; the whole workspace if left out.",
                },
                "glob": {
                    "type": "string",
                    "description": "Only files with such a name: `*.py`, `src/**/*.{ts,tsx}`.",
                },
                "case_insensitive": {"type": "boolean", "description": "False if left out."},
                "context": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": _MOST_CONTEXT,
                    "description": "How many lines to show before and after each match.",
                },
                "output": {
                    "type": "string",
                    "enum": list(_OUTPUTS),
                    "description": "Matching lines (the default), only the files that have any, "
                    "or how many each file has.",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": _LIMIT,
                    "description": f"How many lines or files to show; {MOST_RESULTS} if left out.",
                },
            },
            "required": ["pattern"],
            "additionalProperties": False,
        },
    )
    kind: ToolKind = "search"
    category: Category = "read"

    def __init__(self, find: Callable[[Workspace, str], str | None] = ripgrep) -> None:
        self._find = find

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        search = _search(given, desk.workspace)
        limit = given.optional_integer("limit", least=1, most=_LIMIT) or MOST_RESULTS
        given.done()
        place = search.place

        async def run(progress: Progress) -> Outcome:
            program = self._find(desk.workspace, desk.environment.get("PATH", os.defpath))
            printed = await searched(desk.workspace, search, program)
            size = len(printed.output)
            return Outcome(await aside(size, _answer, desk.workspace, search, printed, limit))

        where = "" if place.relative == os.curdir else f" in {place.relative}"
        names = f" ({search.glob})" if search.glob else ""
        return Prepared(
            title=one_line(f"Search for {search.pattern}{where}{names}"),
            access=(ReadsPath(place.path),),
            run=run,
            locations=(Location(place.outer),),
        )


def _search(given: Arguments, workspace: Workspace) -> Search:
    pattern = given.text("pattern")
    if "\n" in pattern or "\\n" in pattern:
        raise ToolError("`pattern` is matched against one line at a time: leave out line feeds")
    if "\0" in pattern:
        raise ToolError("`pattern` cannot contain a NUL character")
    place = workspace.place(given.optional_text("path") or os.curdir)
    glob = given.optional_text("glob")
    status = workspace.status(place)
    if status is None:
        raise ToolError(f"`{place.relative}` does not exist; use `glob` to find it")
    if status.kind == "other":
        raise ToolError(f"`{place.relative}` is not a regular file and cannot be searched")
    return Search(
        place,
        pattern,
        single=status.kind == "file",
        glob=None if glob is None else _glob(glob),
        case_insensitive=given.flag("case_insensitive"),
        context=given.optional_integer("context", least=0, most=_MOST_CONTEXT) or 0,
        output=cast(Output, given.choice("output", _OUTPUTS, default="lines")),
    )


def _glob(glob: str) -> str:
    if "\0" in glob:
        raise ToolError("`glob` cannot contain a NUL character")
    pattern = FilePattern(glob)
    return ("!" if pattern.leaves_out else "") + pattern.text


def _answer(workspace: Workspace, search: Search, printed: Printed, limit: int) -> str:
    if printed.status == NO_PATTERN and not printed.output:
        reason = _REASON.search(printed.complaint)
        raise ToolError(
            f"`{search.pattern}` is not a regular expression: "
            f"{reason[1] if reason else printed.complaint.strip()}\n"
            "Put a backslash before special characters that stand for themselves"
        )
    names: dict[str, str] = {}
    found: list[Found] = []
    for each in found_in(printed.output, search.output):
        place = _place(search, each.path)
        # Only what is shown is looked at: the others are only counted.
        if len(found) >= limit or _may_be_shown(workspace, place):
            names[each.path] = one_line(workspace.shown(place.path), 4096)
            found.append(each)
    text = report(found, search.output, limit, names) or "No matches found"
    if printed.late:
        text += f"\n(stopped after {SECONDS:.0f} seconds; search a smaller folder)"
    elif printed.status is None:
        text += "\n(stopped, since there are too many matches; narrow the search)"
    return text


def _place(search: Search, path: str) -> Place:
    start = search.place
    if search.single:
        return start
    return Place(os.path.join(start.path, path), start.root, path)


def _may_be_shown(workspace: Workspace, place: Place) -> bool:
    """Whether the file is one that could be read as well: not one with other names."""
    try:
        status = workspace.status(place)
    except ToolError:
        return False
    return status is not None and status.kind == "file"
