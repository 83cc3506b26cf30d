"""The tool that writes a whole file."""

from collections.abc import Mapping
from typing import Any

from parley.coder.errors import ToolError
from parley.coder.permission.access import WritesPath
from parley.coder.providers.provider import ToolSpec
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.change import Change, carry_out, check_seen, current
from parley.coder.tools.numbered import lines_of
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.session.content import Location
from parley.session.event import ToolKind

MOST_CHARACTERS = 8 * 1024 * 1024


class WriteFile:
    """Makes a file, or replaces one that the model has read."""

    spec = ToolSpec(
        "write_file",
        "Write a whole file of the workspace; missing folders are made. A file that exists must "
        "have been read with `read_file` before, and all of it is replaced. To change a part of "
        "a file use `edit_file`.",
        {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "Relative to the workspace, or absolute inside it.",
                },
                "content": {
                    "type": "string",
                    "description": "The whole content, without line numbers.",
                },
            },
            "required": ["path", "content"],
            "additionalProperties": False,
        },
    )
    kind: ToolKind = "edit"
    category: Category = "write"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        place = desk.workspace.place(given.text("path"))
        content = given.text("content", empty=True)
        given.done()
        if len(content) > MOST_CHARACTERS:
            raise ToolError(f"`content` has more than {MOST_CHARACTERS} characters; write less")
        status = desk.workspace.status(place)
        if status is not None and status.kind != "file":
            raise ToolError(f"`{place.relative}` is not a regular file; choose another path")
        before = await current(desk, place)
        if before is not None:
            check_seen(desk, place, before)
            content = content.replace("\r\n", "\n")
        change = Change(place, before, content)

        async def run(progress: Progress) -> Outcome:
            await carry_out(desk, change)
            done = "Made" if before is None else "Replaced"
            count = len(lines_of(change.after))
            return Outcome(
                f"{done} `{place.relative}` ({count} {'lines' if count != 1 else 'line'})"
            )

        return Prepared(
            title=one_line(f"{'Create' if before is None else 'Overwrite'} {place.relative}"),
            access=(WritesPath(place.path),),
            run=run,
            locations=(Location(place.outer),),
            preview=(change.diff(),),
        )
