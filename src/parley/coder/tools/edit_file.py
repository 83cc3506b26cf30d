"""The tool that replaces parts of a file."""

from collections.abc import Mapping
from typing import Any

from parley.coder.permission.access import WritesPath
from parley.coder.providers.provider import ToolSpec
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.change import Change, carry_out, check_seen
from parley.coder.tools.edit_match import Edit, Edited, edited, line_at
from parley.coder.tools.numbered import lines_of, numbered
from parley.coder.tools.read_file import check_there
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.coder.workspace.aside import aside
from parley.session.content import Location
from parley.session.event import ToolKind

_LINES_AROUND = 2
_MOST_SHOWN = 80


class EditFile:
    """Replaces texts in a file that the model has read, all of them or none."""

    spec = ToolSpec(
        "edit_file",
        "Replace parts of a file of the workspace that you have read with `read_file`. Each edit "
        "names the old text exactly as the file has it, without line numbers, with as many lines "
        "around it as it takes to be the only such place. Put all changes of a file into one "
        "call: either all edits are made, in their order, or none.",
        {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "Relative to the workspace, or absolute inside it.",
                },
                "edits": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "properties": {
                            "old_text": {"type": "string", "description": "What is there now."},
                            "new_text": {
                                "type": "string",
                                "description": "What takes its place; empty to remove it.",
                            },
                            "replace_all": {
                                "type": "boolean",
                                "description": "Replace every occurrence; false if left out.",
                            },
                        },
                        "required": ["old_text", "new_text"],
                        "additionalProperties": False,
                    },
                },
            },
            "required": ["path", "edits"],
            "additionalProperties": False,
        },
    )
    kind: ToolKind = "edit"
    category: Category = "write"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        place = desk.workspace.place(given.text("path"))
        edits = tuple(map(_edit, given.objects("edits")))
        given.done()
        await check_there(desk.workspace, place)
        before = await desk.workspace.read_text(place)
        check_seen(desk, place, before)
        result = await aside(len(before.text), edited, before.text, edits, place.relative)
        change = Change(place, before, result.text)
        locations = tuple(
            Location(place.outer, line_at(result.text, start)) for start, _ in result.spans
        )

        async def run(progress: Progress) -> Outcome:
            await carry_out(desk, change)
            return Outcome(_report(place.relative, result), locations=locations)

        return Prepared(
            title=one_line(f"Edit {place.relative}"),
            access=(WritesPath(place.path),),
            run=run,
            locations=locations,
            preview=(change.diff(),),
        )


def _edit(given: Arguments) -> Edit:
    old = given.text("old_text").replace("\r\n", "\n")
    new = given.text("new_text", empty=True).replace("\r\n", "\n")
    every = given.flag("replace_all")
    given.done()
    return Edit(old, new, every)


def _report(path: str, result: Edited) -> str:
    """What changed, with a little around it, as the file has it now."""
    lines = lines_of(result.text)
    regions: list[tuple[int, int]] = []
    for start, end in result.spans:
        first = max(line_at(result.text, start) - _LINES_AROUND, 1)
        # A line feed at the end of a change does not touch the line after it.
        last = line_at(result.text, max(end - 1, start)) + _LINES_AROUND
        if regions and first <= regions[-1][1] + 1:
            regions[-1] = (regions[-1][0], last)
        else:
            regions.append((first, last))
    shown: list[str] = [f"Edited `{path}`. It now has:", *result.notes]
    room = _MOST_SHOWN
    for first, last in regions:
        chosen = lines[first - 1 : min(last, first - 1 + room)]
        room -= len(chosen)
        shown.append(numbered(chosen, first))
        if room <= 0:
            shown.append("(more changes are not shown)")
            break
    return "\n".join(shown)
