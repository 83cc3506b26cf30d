"""Making the conversation shorter for the model while the client keeps all of it.

Old results of tools are shortened first, which loses little and asks nobody. If that is not enough,
the beginning of the conversation is replaced by a summary that the model writes; if it cannot, the
summary is put together without it, so that a session never stops for want of one.
"""

import asyncio

from msgspec import UNSET, Struct
from msgspec.structs import replace

from parley.coder.budget import Room
from parley.coder.catalogue import Offered
from parley.coder.conversation import Conversation
from parley.coder.cost import CURRENCY, added, cost_of
from parley.coder.cut import Cut, planned, summarised, tail_start
from parley.coder.errors import ProviderError
from parley.coder.message import Message
from parley.coder.providers.provider import Answer, ModelRequest, ModelUsage, TextDelta
from parley.coder.request import answering_model
from parley.coder.retry import Retries
from parley.coder.store.entry import Compacted, Spent
from parley.coder.summary import SUMMARISER, mechanical, summary_message, summary_request
from parley.coder.vendors import OFFLINE
from parley.session.content import Text
from parley.session.event import (
    CompactionChanged,
    CompactionSummaryAdded,
    Cost,
    UsageChanged,
)
from parley.session.option import MAIN_PLAN

_TRIES = 3
"""Requests for one summary; a mechanical one is better than a long wait."""

_LEAST = 200
"""A transcript of fewer tokens is not made shorter."""


class Compaction(Struct, frozen=True):
    """What a compaction took."""

    usage: ModelUsage = ModelUsage()
    requests: int = 0


async def make_room(
    session: Conversation, model: Offered, request: ModelRequest
) -> Compaction | None:
    """Shorten the conversation if the request is too large; nothing if it is not, or cannot be.

    The request must be made anew afterwards.
    """
    gauge, messages = session.gauge, session.history.messages
    room, used = gauge.room(model.info), gauge.tokens(request)
    if used <= room.limit:
        return None
    cut = planned(messages, gauge.weights, used, room)
    return None if cut is None else await _Run(session, model, room).run(cut)


async def compact(session: Conversation, instruction: str = "") -> Compaction | None:
    """Summarise the conversation now, as the user wishes; nothing if there is nothing to gain.

    Raises:
        ProviderError: there is no model.
    """
    model = await answering_model(session)
    gauge, messages = session.gauge, session.history.messages
    room = gauge.room(model.info)
    weights = gauge.weights(messages)
    start = tail_start(messages, weights, min(room.tail, sum(weights) // 4))
    cut = summarised(messages, gauge.weights, gauge.fixed + sum(weights), room, start)
    return None if cut is None else await _Run(session, model, room, instruction).run(cut)


class _Run:
    """One compaction of one session."""

    def __init__(
        self, session: Conversation, model: Offered, room: Room, instruction: str = ""
    ) -> None:
        self._session = session
        self._model = model
        self._room = room
        self._instruction = instruction
        self._id = session.runtime.sources.new_id()
        self._usage = ModelUsage()
        self._requests = 0

    async def run(self, cut: Cut) -> Compaction:
        session = self._session
        session.tell(CompactionChanged(self._id, "in_progress"))
        try:
            body = await self._summary(session.history.messages[: cut.upto]) if cut.upto else ""
        except asyncio.CancelledError:
            session.tell(CompactionChanged(self._id, "cancelled"))
            raise
        session.append(self._entry(cut, body))
        session.instructions.reload()
        self._report(cut, body)
        return Compaction(self._usage, self._requests)

    def _entry(self, cut: Cut, body: str) -> Compacted:
        history = self._session.history
        text = ""
        if cut.upto:
            cut_off, kept = history.messages[: cut.upto], history.messages[cut.upto :]
            plan = history.plans.get(MAIN_PLAN)
            text = summary_message(body, cut_off, kept, plan, self._room.summary)
        return Compacted(cut.upto, text, cut.shortened, cut.longest)

    def _report(self, cut: Cut, body: str) -> None:
        session = self._session
        shown = body or "Old results of tools were shortened for the model."
        session.tell(CompactionChanged(self._id, "completed", (Text(shown),)))
        if cut.upto and not session.client.profile.capabilities.compaction:
            session.notify(
                "The context of the model was nearly full: it works on with a summary of the"
                " beginning of the conversation. You keep all of it."
            )
        history, gauge = session.history, session.gauge
        used = gauge.fixed + sum(gauge.weights(history.messages))
        cost = UNSET if history.cost is None else Cost(history.cost, CURRENCY)
        session.tell(UsageChanged(used, self._model.info.context_window, cost))

    async def _summary(self, messages: list[Message]) -> str:
        """What the model makes of the messages, or what can be made without it."""
        text = ""
        if self._model.id.partition("/")[0] != OFFLINE:
            text = (await self._asked(messages)).strip()
        return text or mechanical(messages, self._room.summary)

    async def _asked(self, messages: list[Message]) -> str:
        """The summary of the model; empty if there is none."""
        session = self._session
        request = self._request(messages)
        sources, limits = session.runtime.sources, session.runtime.settings.retry
        retries = Retries(replace(limits, tries=min(limits.tries, _TRIES)), sources.chance)
        while True:
            self._requests += 1
            try:
                return await self._streamed(request)
            except ProviderError as error:
                wait = retries.wait_after(error, sources.clock())
                if wait is None:
                    session.notify(f"The model could not summarise the conversation: {error}")
                    return ""
                session.notify(
                    f"{error} Trying to summarise again in {wait:.3g} s"
                    f" (try {retries.failures + 1} of {retries.tries})."
                )
            session.tell(CompactionChanged(self._id, "in_progress", None))
            await sources.sleep(wait)

    def _request(self, messages: list[Message]) -> ModelRequest:
        """A request for a summary that fits the window itself, whatever the messages weigh."""
        model, room, gauge = self._model.info, self._room, self._session.gauge
        info = replace(model, max_output=min(model.max_output, room.summary))
        key, most = f"{self._session.cache_key}-summary", room.window // 2
        while True:
            content = summary_request(messages, self._instruction, most)
            request = ModelRequest(info, SUMMARISER, (content,), cache_key=key)
            if sum(gauge.weights(request.messages)) <= room.limit or most < _LEAST:
                return request
            # Some scripts have more tokens per character than others.
            most //= 2

    async def _streamed(self, request: ModelRequest) -> str:
        session = self._session
        async with session.runtime.catalogue.provider_of(self._model).stream(request) as events:
            async for event in events:
                if isinstance(event, Answer):
                    self._spent(event.usage)
                    return event.message.text
                if isinstance(event, TextDelta) and event.text:
                    session.tell(CompactionSummaryAdded(self._id, Text(event.text)))
                    await session.keep_up()
        raise ProviderError(
            "The summary of the model ended before it was complete.", retryable=True
        )

    def _spent(self, usage: ModelUsage) -> None:
        self._usage = added(self._usage, usage)
        cost = cost_of(self._model.info, usage)
        self._session.append(Spent(self._model.id, usage, cost))
