"""`/clear` and `/compact`: the model gets less of the conversation, its user keeps all of it."""

from msgspec import UNSET

from parley.coder.commands.outcome import Say
from parley.coder.compaction import compact as compacted
from parley.coder.cost import CURRENCY
from parley.coder.open_session import OpenSession
from parley.coder.store.entry import Forgotten
from parley.session.event import Cost, PlanRemoved, UsageChanged


async def clear(session: OpenSession, arguments: str) -> Say:
    """Nothing that was said so far is given to the model any more."""
    session.append(Forgotten())
    # It has forgotten what it read, so it must read again before it changes anything.
    session.desk.seen.clear()
    session.instructions.reload()
    for plan in tuple(session.history.plans):
        session.tell(PlanRemoved(plan))
    history, model = session.history, session.model
    cost = UNSET if history.cost is None else Cost(history.cost, CURRENCY)
    session.tell(UsageChanged(session.gauge.fixed, model.info.context_window, cost))
    return Say("The model starts anew: it is not given anything that was said before this line.")


async def compact(session: OpenSession, arguments: str) -> Say:
    """Put a summary in the place of the beginning of the conversation."""
    done = await compacted(session, arguments)
    if done is None:
        return Say("The conversation is short already; there is nothing to summarise.")
    text = "The model works on with a summary of the conversation. You keep all of it."
    return Say(text, done.usage, done.requests)
