"""The skills of one session: found in the background, listed to the model, offered as commands.

Those of the user are there as soon as their folders have been looked at; those of the project when
the user trusts them. What is found stays while the session is open, so that what the model is told
does not change.
"""

import asyncio
from collections.abc import Awaitable, Callable

from parley.coder.background import Background
from parley.coder.skills.listing import listing
from parley.coder.skills.opened import opened
from parley.coder.skills.places import Found, found_in
from parley.coder.skills.project import ProjectSkills
from parley.coder.skills.skill import Skill
from parley.coder.skills.tool import NAME, SkillTool
from parley.coder.tools.tool import Tool
from parley.session.option import Command

PATIENCE = 5.0
"""Seconds that the first request to the model waits for the look at the folders."""
# So that the answer to the client has left before.
_DELAY = 0.05
_MOST_PROBLEMS = 5
_LONGEST_DESCRIPTION = 120
"""Of a command."""


class Skills:
    def __init__(
        self,
        folders: tuple[str, ...],
        root: str,
        *,
        notify: Callable[[str, str], None],
        changed: Callable[[], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._folders = folders
        self._notify = notify
        self._changed = changed
        self._sleep = sleep
        self._own: tuple[Skill, ...] = ()
        self._brought: tuple[Skill, ...] = ()
        self._skills: dict[str, Skill] = {}
        self._tool = SkillTool(lambda: self._skills)
        self._background = Background()
        self._looked = asyncio.Event()
        self.tools: dict[str, Tool] = {}
        """The tool that loads a skill, if there is any."""
        self.project = ProjectSkills(root, folders, self._bring)
        """The skills of the checkout, for whoever knows what is trusted."""

    def start(self) -> None:
        """Look at the folders of the user; nothing here waits."""
        if self._folders:
            self._background.start(self._look())
        else:
            self._looked.set()

    async def settled(self) -> None:
        """Wait until they have been looked at, though not for long."""
        if not self._looked.is_set():
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._looked.wait()
            except TimeoutError:
                return

    def text(self, most: int) -> str:
        """What the model is told, in so many characters."""
        return listing(tuple(self._skills.values()), most)

    @property
    def commands(self) -> tuple[Command, ...]:
        """What the user can type."""
        return tuple(
            Command(skill.name, _short(skill.description), skill.hint or "what to do")
            for skill in self._skills.values()
            if skill.for_user
        )

    async def asked(self, name: str, arguments: str) -> str | None:
        """What the model is asked when the user types a skill; `None` if there is none.

        Raises:
            ToolError: it cannot be used.
        """
        skill = self._skills.get(name)
        if skill is None or not skill.for_user:
            return None
        return (await asyncio.to_thread(opened, skill)).asked(arguments)

    async def aclose(self) -> None:
        await self._background.aclose()

    async def _look(self) -> None:
        try:
            await self._sleep(_DELAY)
            found = await asyncio.to_thread(found_in, self._folders)
            self._own = found.skills
            self._arrange()
            self._complain(found)
        finally:
            self._looked.set()

    def _bring(self, skills: tuple[Skill, ...]) -> None:
        if skills != self._brought:
            self._brought = skills
            self._arrange()

    def _arrange(self) -> None:
        """A skill of the user comes before one of the project with the same name."""
        both = {skill.name: skill for skill in (*self._brought, *self._own)}
        self._skills = {name: both[name] for name in sorted(both)}
        self.tools.clear()
        if any(skill.for_model for skill in both.values()):
            self.tools[NAME] = self._tool
        self._changed()

    def _complain(self, found: Found) -> None:
        if found.problems:
            named = " ".join(found.problems[:_MOST_PROBLEMS])
            more = len(found.problems) - _MOST_PROBLEMS
            title = f"{named} And {more} more." if more > 0 else named
            self._notify(title, "`parley doctor` shows all of them.")


def _short(description: str) -> str:
    if len(description) <= _LONGEST_DESCRIPTION:
        return description
    return f"{description[: _LONGEST_DESCRIPTION - 1]}…"
