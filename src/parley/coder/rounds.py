"""The model, its tools, the model again, until it is done or a limit stands in the way."""

from collections.abc import Callable

from msgspec import Struct

from parley.coder.calls import CallRunner
from parley.coder.conversation import Conversation
from parley.coder.message import CallPart
from parley.coder.providers.provider import StopCause
from parley.coder.store.entry import Said
from parley.coder.turn import Turn
from parley.session.event import StopReason

_NOT_RUN = {
    "max_tokens": "The call was not run: the answer was cut off at the model's output limit.",
    "refusal": "The call was not run: the model refused to go on.",
}


class Stop(Struct, frozen=True):
    """Why the rounds are over."""

    reason: StopReason
    limit: str = ""
    """The limit that stood in the way, for a person."""


async def rounds(session: Conversation, turn: Turn, limit: Callable[[], str]) -> Stop:
    """Let the model work. `limit` names what stands against another request, if anything does.

    Raises:
        ProviderError: the model does not answer.
    """
    while True:
        if reached := limit():
            return Stop("max_turn_requests", reached)
        answer = await turn.answer()
        calls = answer.message.calls
        if calls:
            await _called(session, calls, answer.cause)
        if answer.cause in ("max_tokens", "refusal"):
            return Stop(answer.cause)
        if not calls:
            return Stop("end_turn")


def turn_limit(session: Conversation) -> str:
    """The limit of turns and sessions that stands against another request; empty if none does."""
    most = session.runtime.settings.max_requests
    if session.tally.requests >= most:
        return (
            f"This turn has made {most} requests to the model, which is the limit"
            " (`max_requests`). Send another message to go on."
        )
    budget, cost = session.chosen.budget, session.history.cost
    if budget is not None and cost is not None and cost >= budget:
        return (
            f"This session has cost ${cost:.2f}, and its budget is ${budget:g}."
            " Choose a higher one with the option `budget` to go on."
        )
    return ""


async def _called(session: Conversation, calls: tuple[CallPart, ...], cause: StopCause) -> None:
    """Run the calls of an answer, and give the model their results, also when it is cut short."""
    runner = CallRunner(session, calls)
    try:
        if cause in _NOT_RUN:
            # What was cut off may look complete and mean something else.
            runner.refuse(_NOT_RUN[cause])
        else:
            await runner.run()
    finally:
        session.append(Said(runner.message()))
    await session.keep_up()
