"""What the model says in one turn: requests, their streams, what they cost, and trying again.

A request that fails after the client has seen text is not repeated, since the client would see the
text twice. What was said is kept as an answer, and the model is asked to go on where it stopped.
"""

from msgspec import UNSET
from msgspec.structs import replace

from parley.coder.catalogue import Offered
from parley.coder.compaction import make_room
from parley.coder.conversation import Conversation
from parley.coder.cost import CURRENCY, cost_of
from parley.coder.errors import ProviderError
from parley.coder.message import AgentMessage, CallPart, TextPart, UserMessage
from parley.coder.providers.provider import (
    Answer,
    CallBegun,
    ModelEvent,
    ModelRequest,
    ModelUsage,
    TextDelta,
    ThoughtDelta,
)
from parley.coder.request import answering_model, model_request
from parley.coder.retry import Retries
from parley.coder.shown_call import begun_call, ended_call
from parley.coder.store.entry import Said, Spent
from parley.session.content import Text
from parley.session.event import ChunkAdded, Cost, Speaker, UsageChanged

GO_ON = (
    "The connection was lost while you answered. What you wrote so far has arrived."
    " Go on exactly where it stops, without repeating anything."
)
CUT_OFF = "The call was not complete when the answer of the model was cut off."


class Turn:
    """The model's part of a turn."""

    def __init__(self, session: Conversation) -> None:
        self._session = session
        self.id = session.runtime.sources.new_id()
        self._said: list[str] = []
        # Text of the running answer that the client was told.
        self._open: tuple[Speaker, str] | None = None
        # Who speaks, and the id of the message that grows.
        self._begun: list[tuple[str, str]] = []
        # Calls that the model has begun to write: its id for each, and the one that is shown.

    async def answer(self) -> Answer:
        """The next answer of the model, told to the client and part of the conversation.

        Raises:
            ProviderError: there is none, and trying again is of no use any more.
        """
        session = self._session
        model = await answering_model(session)
        sources = session.runtime.sources
        retries = Retries(session.runtime.settings.retry, sources.chance)
        self._open = None
        squeezed = False
        while True:
            request = await self._request(model)
            session.tally.add(requests=1)
            try:
                return self._complete(model, request, await self._streamed(model, request))
            except ProviderError as error:
                if error.kind == "context" and not squeezed:
                    squeezed = True
                    session.gauge.overflowed(request)
                    if await self._made_room(model, request):
                        self._cut_off_by_failure()
                        continue
                wait = retries.wait_after(error, sources.clock())
                if wait is None:
                    raise
                self._cut_off_by_failure()
                # What a person can do about it is of use once nobody tries any more.
                what = str(error).partition("\n")[0].removesuffix(".")
                session.notify(
                    f"{what}. Trying again in {wait:.3g} s"
                    f" (try {retries.failures + 1} of {retries.tries})."
                )
            await sources.sleep(wait)

    def cut_off(self, status: str) -> bool:
        """The answer ends here: what the client saw of it stays in the conversation.

        Says whether that was any text.
        """
        text = "".join(self._said)
        self._said.clear()
        if text:
            self._session.append(Said(AgentMessage((TextPart(text),))))
        for _, shown in self._begun:
            self._session.tell(ended_call(shown, CUT_OFF, status=status))
        self._begun.clear()
        return bool(text)

    def _cut_off_by_failure(self) -> None:
        if self.cut_off("failed"):
            self._session.append(Said(UserMessage((TextPart(GO_ON),))))
        else:
            self._open = None

    async def _request(self, model: Offered) -> ModelRequest:
        """The next request; the conversation is made shorter before if it would not fit."""
        request = await model_request(self._session, model)
        if await self._made_room(model, request):
            request = await model_request(self._session, model)
        return request

    async def _made_room(self, model: Offered, request: ModelRequest) -> bool:
        """Whether the conversation is shorter now, since the request was too large."""
        done = await make_room(self._session, model, request)
        if done is None:
            return False
        self._session.tally.add(done.usage, done.requests)
        return True

    async def _streamed(self, model: Offered, request: ModelRequest) -> Answer:
        session = self._session
        provider = session.runtime.catalogue.provider_of(model)
        async with provider.stream(request) as events:
            async for event in events:
                if isinstance(event, Answer):
                    return event
                self._take(event)
                await session.keep_up()
        raise ProviderError("The answer of the model ended before it was complete.", retryable=True)

    def _take(self, event: ModelEvent) -> None:
        match event:
            case TextDelta(text=text) if text:
                self._said.append(text)
                self._grow("agent", text)
            case ThoughtDelta(text=text) if text:
                self._grow("thought", text)
            case CallBegun(id=id, name=name):
                self._open = None
                self._begin(id, name)
            case _:
                pass

    def _grow(self, speaker: Speaker, text: str) -> None:
        if self._open is None or self._open[0] != speaker:
            self._open = (speaker, self._session.runtime.sources.new_id())
        self._session.tell(ChunkAdded(speaker, Text(text), self._open[1]))

    def _begin(self, id: str, name: str) -> str:
        """Show a call; models use an id twice, and clients and other models must not see that."""
        session = self._session
        shown, number = id, 1
        while not shown or shown in session.history.call_ids:
            number += 1
            shown = f"{id or 'call'}-{number}"
        session.tell(begun_call(shown, name, session.tools.get(name)))
        self._begun.append((id, shown))
        return shown

    def _complete(self, model: Offered, request: ModelRequest, answer: Answer) -> Answer:
        """The answer with ids of its own, as it enters the conversation."""
        session = self._session
        if not self._said and answer.message.text:
            self._grow("agent", answer.message.text)  # The provider does not stream.
        parts = tuple(
            self._named(part) if isinstance(part, CallPart) else part
            for part in answer.message.content
        )
        message = AgentMessage(parts)
        self._said.clear()
        self.cut_off("failed")  # Calls that were begun and never made.
        session.tally.add(answer.usage)
        session.gauge.learn(request, answer.usage)
        cost = cost_of(model.info, answer.usage)
        entries = (Said(message),) if parts else ()
        session.append(*entries, Spent(model.id, answer.usage, cost))
        self._tell_usage(model, answer.usage)
        return Answer(message, answer.cause, answer.usage)

    def _tell_usage(self, model: Offered, usage: ModelUsage) -> None:
        used, cost = usage.input + usage.output, self._session.history.cost
        if used:  # Not every model counts, and a full context must not look empty.
            total = Cost(cost, CURRENCY) if cost is not None else UNSET
            self._session.tell(UsageChanged(used, model.info.context_window, total))

    def _named(self, call: CallPart) -> CallPart:
        begun = next((each for each in self._begun if each[0] == call.id), None)
        if begun is None:
            begun = (call.id, self._begin(call.id, call.name))
        self._begun.remove(begun)
        return replace(call, id=begun[1])
