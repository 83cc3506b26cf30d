"""`/trust`: what the project brings along, shown whole, and the user's decision about each part."""

from parley.coder.commands.outcome import Say
from parley.coder.open_session import OpenSession
from parley.coder.permission.visible import visible, visible_lines
from parley.coder.tools.bash import fenced
from parley.coder.trust.book import TrustNotKept
from parley.coder.trust.content import Content
from parley.coder.trust.project import Look, Waiting
from parley.session.content import ContentItem, Text
from parley.session.event import ToolCallChanged
from parley.session.question import (
    Decision,
    PermissionOption,
    PermissionQuestion,
    ToolCallSubject,
    decide,
)

FORGET = "--forget"
NOT_TRUSTED = "Not trusted."
_USAGE = (
    "Type `/trust` to be asked about everything, `/trust NAME` for what is named so, or"
    f" `/trust {FORGET}` to take everything back."
)
OPTIONS = (
    PermissionOption("trust", "Trust it until it changes", "allow_always"),
    PermissionOption("leave", "Do not use it", "reject_once"),
)
"""Nothing but an agreement that lasts is offered, since that is what it would be."""


async def trust(session: OpenSession, arguments: str) -> Say:
    """Ask about everything that waits, or about what is named; `--forget` takes it all back."""
    names = arguments.split()
    try:
        if names == [FORGET]:
            return await _forgotten(session)
        if any(name.startswith("--") for name in names):
            return Say(_USAGE)
        look = await session.project.look()
        waiting = [each for each in look.waiting if not names or each.content.name in names]
        if not waiting:
            return Say(_nothing(look))
        agreed = await _asked(session, waiting)
    except TrustNotKept as error:
        return Say(str(error))
    if not agreed:
        return Say("Nothing was trusted, and nothing of it is used.")
    after = await session.project.look()
    lines = [_result(content, after) for content in agreed]
    return Say("\n".join([*lines, *_left(after)]))


async def _asked(session: OpenSession, waiting: list[Waiting]) -> list[Content]:
    """What the user agreed to; each agreement is kept at once."""
    agreed: list[Content] = []
    for each in waiting:
        decision = await _decided(session, each)
        if decision:
            await session.project.agree([each.content])
            agreed.append(each.content)
        elif decision.dismissed:
            break  # Nobody is there to be asked, or somebody had enough of it.
    return agreed


async def _decided(session: OpenSession, waiting: Waiting) -> Decision:
    content = waiting.content
    title = visible(f"Trust the {content.kind} {content.name!r} of this project?")
    text = _shown(waiting)
    call = ToolCallChanged(
        f"trust-{session.runtime.sources.new_id()}", title=title, kind="other", status="pending"
    )
    session.tell(call)
    status = "cancelled"
    try:
        async with session.questions:
            question = PermissionQuestion(title, OPTIONS, ToolCallSubject(call), text)
            await session.log.flush()
            decision = decide(OPTIONS, await session.client.ask(session.id, question))
        status = "completed" if decision else "failed"
        return decision
    finally:
        # What was asked stays in the conversation, behind what came of it.
        texts = (text,) if status == "completed" else (NOT_TRUSTED, text)
        content = tuple(ContentItem(Text(each)) for each in texts)
        session.tell(ToolCallChanged(call.id, status=status, content=content))


def _shown(waiting: Waiting) -> str:
    """All that a person decides by. What comes from the project is fenced: no part of it can look
    like ours, nor be left out by a client that shows marked-up text.
    """
    content = waiting.content
    changed = ["You trusted it before, and it has changed since."] if waiting.changed else []
    where = f"{content.path}\n{content.root}"
    lines = [*changed, fenced(visible_lines(content.shown)), "From:", fenced(visible_lines(where))]
    return "\n".join(lines)


async def _forgotten(session: OpenSession) -> Say:
    count = await session.project.forget(session.desk.workspace.roots[0])
    if not count:
        return Say("Nothing of this project was trusted.")
    return Say(f"Taken back: {count}. What runs in this session goes on until it is closed.")


def _nothing(look: Look) -> str:
    if look.waiting:
        return "There is nothing of that name to trust. `/trust` alone asks about everything."
    lines = [*look.problems, *(f"- trusted: {_named(each)}" for each in look.trusted)]
    return "\n".join(["There is nothing to trust in this project.", *lines])


def _result(content: Content, after: Look) -> str:
    if content in after.later:
        return f"- {_named(content)} is trusted. This session keeps it as it was before."
    if content in after.trusted:
        return f"- {_named(content)} is trusted and used from here on."
    return f"- {_named(content)} has changed while you were asked, so it is not used."


def _left(after: Look) -> list[str]:
    return [f"- {_named(each.content)} is not trusted and not used." for each in after.waiting]


def _named(content: Content) -> str:
    return f"the {content.kind} `{visible(content.name)}`"
