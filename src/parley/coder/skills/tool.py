"""The tool with which the model loads a skill, and reads the files that belong to it."""

import asyncio
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from parley.coder.errors import ToolError
from parley.coder.permission.access import ReadsPath, TouchesNothing
from parley.coder.providers.provider import ToolSpec
from parley.coder.skills.opened import file_text, opened, path_in
from parley.coder.skills.skill import Skill
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.coder.workspace.workspace import is_beneath
from parley.session.event import ToolKind

NAME = "skill"


class SkillTool:
    """`skill`: only skills can be read with it, so it needs no permission.

    What lies in the workspace is read as with any other tool, though: rules and hooks see the path.
    """

    spec = ToolSpec(
        NAME,
        "Load one of the skills that you were told of: instructions for a kind of task, with the "
        "folder they lie in. With `file` you get a file that belongs to the skill instead.",
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The name of the skill."},
                "file": {
                    "type": "string",
                    "description": "A file of the skill, relative to its folder.",
                },
            },
            "required": ["name"],
            "additionalProperties": False,
        },
    )
    kind: ToolKind = "read"
    category: Category = "read"

    def __init__(self, known: Callable[[], Mapping[str, Skill]]) -> None:
        self._known = known

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, NAME)
        name, file = given.text("name"), given.optional_text("file")
        given.done()
        skill = self._skill(name)
        path = await asyncio.to_thread(path_in, skill, file)
        within = any(is_beneath(path, root) for root in desk.workspace.roots)

        async def run(progress: Progress) -> Outcome:
            if file is not None:
                return Outcome(await asyncio.to_thread(file_text, skill, path))
            return Outcome((await asyncio.to_thread(opened, skill)).text)

        what = f"Read {one_line(file, 100)} of the skill" if file is not None else "Load the skill"
        access = ReadsPath(path) if within else TouchesNothing()
        return Prepared(f"{what} {skill.name}", (access,), run)

    def _skill(self, name: str) -> Skill:
        skills = {each.name: each for each in self._known().values() if each.for_model}
        # People and models write them as commands, too.
        skill = skills.get(name.strip().removeprefix("/"))
        if skill is None:
            near = get_close_matches(name[:64], skills, 3, 0.5)
            meant = f"did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else ""
            raise ToolError(f"there is no skill `{one_line(name, 64)}`; {meant or 'use none'}")
        return skill
