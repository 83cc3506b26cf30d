"""One turn: the model, its tools, the model again, until the model is done or a limit is reached.

How a turn ends:

| Stop reason | When |
|---|---|
| `end_turn` | the model has nothing more to do |
| `max_tokens` | its answer reached the limit of the model; calls in that answer do not run |
| `max_turn_requests` | the turn made all requests it may, or the session spent its budget |
| `refusal` | the model refused |
| `cancelled` | the client cancelled |
| `error` | the model cannot be reached, or nothing can be stored |

There is no reason for a budget; `max_turn_requests` is the truthful one of the five, since no
further request may be made, and a notice names the budget.
"""

import asyncio
from contextlib import suppress

from msgspec.structs import replace

from parley.coder.commands.outcome import Ask
from parley.coder.commands.table import command_in, run_command
from parley.coder.commands.typed import Typed
from parley.coder.cost import is_priced, turn_usage
from parley.coder.errors import ProviderError
from parley.coder.open_session import OpenSession
from parley.coder.prompt_content import user_message
from parley.coder.rounds import rounds, turn_limit
from parley.coder.store.entry import Said, TurnBegun, TurnOver
from parley.coder.store.failure import StoreFailed
from parley.coder.tally import Tally
from parley.coder.title import title_of
from parley.coder.turn import Turn
from parley.errors import AuthRequired, InternalError
from parley.session.content import Block, Text
from parley.session.event import (
    REPEATS_FAILURE,
    ChunkAdded,
    Failure,
    InfoChanged,
    MessageChanged,
)
from parley.session.role import Ending, Prompt

_APART = "\n\n"
"""Some clients show all that an agent says as one text, whatever the ids of the messages."""


async def insert_prompt(session: OpenSession, prompt: Prompt) -> None:
    """Keep a prompt before the client is told that it has been taken; its turn follows."""
    _take(session, prompt)
    session.inserted = prompt.message_id
    await session.log.flush()


async def run_turn(session: OpenSession, prompt: Prompt) -> Ending:
    """Answer a prompt. When it returns or raises, the session is complete on the disk."""
    session.tally = Tally()
    turn = Turn(session)
    ending = Ending("error", failure=Failure(InternalError.CODE, InternalError.MESSAGE))
    try:
        session.append(TurnBegun(turn.id))
        _take(session, prompt)
        typed = await command_in(session, prompt.content)
        _begin(session, prompt, typed)
        ending = await _ended(session, turn, typed, prompt)
    except asyncio.CancelledError:
        ending = Ending("cancelled", turn_usage(session.tally.usage))
        raise asyncio.CancelledError(ending) from None
    finally:
        # Nothing is open here unless the turn was cut short.
        turn.cut_off("cancelled" if ending.stop_reason == "cancelled" else "failed")
        ending = replace(ending, usage=turn_usage(session.tally.usage))
        session.append(TurnOver(turn.id, ending))
        failure = await _store(session)
    return ending if failure is None else Ending("error", ending.usage, failure)


def _begin(session: OpenSession, prompt: Prompt, typed: Typed | None) -> None:
    """Give the session its title, and say in its first answer how to get a model."""
    if (typed is None or typed.known) and _wants_title(session):
        title = title_of(prompt.content)
        if title:
            session.tell(InfoChanged(title))
            session.log.set_title(title)
    hint = session.runtime.settings.hint
    if hint and typed is None and session.history.turns == 1:
        new_id = session.runtime.sources.new_id
        session.tell(ChunkAdded("agent", Text(f"{hint.rstrip()}{_APART}"), new_id()))


def _wants_title(session: OpenSession) -> bool:
    """Whether there is none, or only that of a command which the agent answered by itself."""
    title = session.history.title
    return title is None or (title.startswith("/") and not session.history.messages)


def _take(session: OpenSession, prompt: Prompt) -> None:
    """Make a prompt part of the session, unless it is already."""
    if prompt.message_id is None or prompt.message_id != session.inserted:
        message_id = prompt.message_id or session.runtime.sources.new_id()
        session.tell(MessageChanged("user", message_id, prompt.content))


async def _ended(session: OpenSession, turn: Turn, typed: Typed | None, prompt: Prompt) -> Ending:
    try:
        content = prompt.content if typed is None else await _commanded(session, typed)
        if content is None:
            return Ending("end_turn")
        session.append(Said(user_message(content)))
        return await _worked(session, turn)
    except ProviderError as error:
        apart = _APART if turn.cut_off("failed") else ""
        text = Text(f"{apart}{error}")
        # Not every client shows failures, and one that does need not show it twice.
        meta = {REPEATS_FAILURE: True}
        session.tell(ChunkAdded("agent", text, session.runtime.sources.new_id(), meta))
        return Ending("error", failure=_failure(session, error))
    except StoreFailed as error:
        return Ending("error", failure=_not_stored(error))


async def _commanded(session: OpenSession, typed: Typed) -> tuple[Block, ...] | None:
    """What the model is asked by a command; nothing if the command was all."""
    outcome = await run_command(session, typed)
    if isinstance(outcome, Ask):
        return outcome.content
    session.tally.add(outcome.usage, outcome.requests)
    session.tell(ChunkAdded("agent", Text(outcome.text), session.runtime.sources.new_id()))
    return None


async def _worked(session: OpenSession, turn: Turn) -> Ending:
    _warn_of_unknown_cost(session)
    await session.project.settled()
    stop = await rounds(session, turn, lambda: turn_limit(session))
    if stop.limit:
        session.notify(stop.limit)
    return Ending(stop.reason)


def _warn_of_unknown_cost(session: OpenSession) -> None:
    model = session.model
    if session.chosen.budget is not None and not is_priced(model.info):
        session.notify(
            f"The prices of `{model.id}` are not known, so the budget of this session cannot be"
            " watched."
        )


def _failure(session: OpenSession, error: ProviderError) -> Failure:
    # A client that can offer a login is told that one is needed.
    wants_login = error.kind == "auth" and session.runtime.logins
    code = AuthRequired.CODE if wants_login else InternalError.CODE
    return Failure(code, str(error), {"reason": "model_failed", "kind": error.kind})


async def _store(session: OpenSession) -> Failure | None:
    try:
        await session.log.flush(durable=True)
    except StoreFailed as error:
        return _not_stored(error)
    except asyncio.CancelledError:
        # Cancelled at the last moment. What was written down must be told before the turn ends.
        with suppress(StoreFailed):
            await session.log.flush(durable=True)
        raise
    return None


def _not_stored(error: StoreFailed) -> Failure:
    return Failure(error.code, error.message, error.data)
