"""Which command does what, and running one for a prompt."""

import os
from collections.abc import Awaitable, Callable, Mapping

from parley.coder.commands import asking, choosing, forgetting, servers, trusting, undoing
from parley.coder.commands.outcome import Ask, Outcome, Say
from parley.coder.commands.typed import Typed, typed_command, unknown_answer
from parley.coder.errors import ToolError
from parley.coder.open_session import OpenSession, read_commands
from parley.session.content import Block, Text
from parley.session.event import CommandsChanged

Run = Callable[[OpenSession, str], Awaitable[Outcome]]


async def command_in(session: OpenSession, content: tuple[Block, ...]) -> Typed | None:
    """The command that a prompt is, if it is one. The client learns of commands that are new."""
    first = content[0] if content else None
    if not isinstance(first, Text) or not first.text.startswith("/"):
        return None
    folders = (os.sep, *session.desk.workspace.roots)

    def is_file(name: str) -> bool:
        return any(os.path.lexists(os.path.join(folder, name)) for folder in folders)

    known = await read_commands(session)
    typed = typed_command(content, known, is_file)
    if typed is None or not typed.known:
        # It may be a skill, and the first prompt comes before the skills have been looked for.
        await _skills_settled(session)
        known = await read_commands(session)
        typed = typed_command(content, known, is_file)
    if known.commands != session.commands:
        session.commands = known.commands
        session.tell(CommandsChanged(known.commands))
    return typed


async def run_command(session: OpenSession, typed: Typed) -> Outcome:
    """Do what was typed."""
    known = await read_commands(session)
    if (run := RUNS.get(typed.name)) is not None:
        outcome = await run(session, typed.arguments)
        if isinstance(outcome, Ask):
            return Ask((*outcome.content, *typed.attached))
        return outcome
    custom = known.find(typed.name)
    if custom is not None:
        return Ask((Text(custom.expanded(typed.arguments)), *typed.attached))
    try:
        asked = await session.skills.asked(typed.name, typed.arguments)
    except ToolError as error:
        return Say(str(error))
    if asked is None:
        return Say(unknown_answer(typed.name, known))
    return Ask((Text(asked), *typed.attached))


async def _skills_settled(session: OpenSession) -> None:
    """Wait for the skills of the user, and for those of the project that are trusted."""
    await session.skills.settled()
    await session.project.settled()


async def _help(session: OpenSession, arguments: str) -> Say:
    await _skills_settled(session)
    known = await read_commands(session)
    lines = [f"- `{_usage(each.name, each.hint)}`: {each.description}" for each in known.commands]
    if folder := session.runtime.settings.commands_folder:
        lines += ["", f"Commands of your own are files `NAME.md` in `{folder}`."]
    lines += known.problems
    return Say("\n".join(lines))


def _usage(name: str, hint: str | None) -> str:
    if hint is None:
        return f"/{name}"
    return f"/{name} {hint if hint.startswith('[') else f'[{hint}]'}"


RUNS: Mapping[str, Run] = {
    "help": _help,
    "init": asking.init,
    "compact": forgetting.compact,
    "clear": forgetting.clear,
    "model": choosing.model,
    "mode": choosing.mode,
    "permissions": choosing.permissions,
    "mcp": servers.mcp,
    "trust": trusting.trust,
    "undo": undoing.undo,
    "review": asking.review,
}
