"""The sub-agents of one session: what they may use, and what tells them apart."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from parley.coder.conversation import Conversation
from parley.coder.errors import ToolError
from parley.coder.subagents.sub_agent import SubAgent
from parley.coder.tools.agent import FULL, NAME, READ
from parley.coder.tools.job import OUTPUT
from parley.coder.tools.recall import NAME as RECALL
from parley.coder.tools.tool import Outcome, Progress, Task, Tool
from parley.session.event import ToolCallChanged

_NOT_THEIRS = (NAME, "todo")
"""A sub-agent starts no others, and the plan is that of the session."""


class SubAgents:
    """Implements `Crew`."""

    def __init__(self, session: Conversation) -> None:
        self._session = session
        self._names: set[str] = set()
        # Those that are at work.

    def equipment(self, wanted: str) -> Mapping[str, Tool]:
        known = {n: tool for n, tool in self._session.tools.items() if n not in _NOT_THEIRS}
        names = [name for each in wanted.split(",") if (name := each.strip().strip("`"))]
        if names == [FULL]:
            return known
        reading = {name: tool for name, tool in known.items() if _reads(tool)}
        chosen: dict[str, Tool] = {}
        for name in names:
            if name == READ:
                chosen |= reading
            elif name in known:
                chosen[name] = known[name]
            else:
                raise ToolError(
                    f"A sub-agent cannot have the tool `{name[:100]}`. Write `{READ}`, `{FULL}`"
                    f" or some of these: {', '.join(f'`{each}`' for each in known)}."
                )
        if not chosen:
            raise ToolError(f"`tools` names none; write `{READ}`, `{FULL}` or names of tools")
        # A conversation that becomes too long is shortened, and this finds what was left out.
        return chosen | {name: tool for name, tool in known.items() if name == RECALL}

    async def work(self, task: Task, progress: Progress) -> Outcome:
        with self._name(task.description) as name:
            if name != task.description:
                self._session.tell(ToolCallChanged(progress.call_id, title=f"Agent: {name}"))
            return await SubAgent(self._session, task, name, progress).work()

    @contextmanager
    def _name(self, description: str) -> Generator[str]:
        """A name that no other one at work has."""
        name, number = description, 1
        while name in self._names:
            number += 1
            name = f"{description} ({number})"
        self._names.add(name)
        try:
            yield name
        finally:
            self._names.discard(name)


def _reads(tool: Tool) -> bool:
    # To stop a job needs no permission, and is not reading. What a job wrote is given once, so
    # whoever else reads it takes it away from the session.
    return tool.category == "read" and tool.kind != "execute" and tool.spec.name != OUTPUT
