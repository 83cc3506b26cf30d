"""One sub-agent: its own conversation with the model, everything else borrowed from its session.

The session sees its tool calls as calls of its own, with the name of the sub-agent before their
titles; its text is the content of the call that started it. What its requests cost counts for the
session. Only its report becomes part of the session's conversation.
"""

from collections.abc import Sequence
from dataclasses import replace as changed

from msgspec.structs import replace

from parley.coder.budget import Gauge
from parley.coder.catalogue import Offered
from parley.coder.context import Facts
from parley.coder.conversation import Conversation
from parley.coder.cost import CURRENCY
from parley.coder.errors import ProviderError
from parley.coder.history import History
from parley.coder.instructions import Instructions
from parley.coder.message import AgentMessage, Message, TextPart, ToolMessage, UserMessage
from parley.coder.options import Chosen
from parley.coder.rounds import Stop, rounds, turn_limit
from parley.coder.store.entry import Entry, Remembered, Said, Spent
from parley.coder.subagents.report import Report, bounded
from parley.coder.tally import Tally
from parley.coder.tools.tool import Outcome, Progress, Task
from parley.coder.turn import Turn
from parley.session.content import ContentItem, Text
from parley.session.event import (
    PARENT_CALL,
    ChunkAdded,
    CompactionChanged,
    CompactionSummaryAdded,
    Cost,
    Event,
    ToolCallChanged,
    UsageChanged,
)
from parley.session.option import Plan
from parley.session.question import (
    PermissionAnswer,
    PermissionQuestion,
    ToolCallSubject,
    decide,
)

_SHORTENED = "(Its conversation became too long for the model and was shortened.)"
_DUTY = """\
You are a sub-agent: another agent gave you the task, and waits for your report. Nobody can answer \
questions, so decide yourself and say what you decided. Your last message is the report, and \
nothing else of yours is read: what you found and did, with paths and lines, and what is left \
open. You may make {} requests in all; keep the last one for the report."""


class SubAgent:
    """Implements `Conversation` for the calls of one task."""

    def __init__(self, session: Conversation, task: Task, name: str, progress: Progress) -> None:
        self._session = session
        self._task = task
        self._name = name
        self._call_id = progress.call_id
        self._report = Report(lambda text: progress.show(ContentItem(Text(text))))
        self._said: list[Message] = []
        self._limits = session.runtime.settings.subagents
        self._rounds = min(task.rounds or self._limits.requests, self._limits.requests)
        self.id = session.id
        self.cache_key = f"{session.id}-{session.runtime.sources.new_id()}"
        self.duty = _DUTY.format(self._rounds)
        self.runtime, self.client, self.log = session.runtime, session.client, session.log
        self.questions, self.writing = session.questions, session.writing
        self.stops, self.servers, self.undo = session.stops, session.servers, session.undo
        self.skills = session.skills
        self.history = History()
        # Ids are told apart in the whole session, and its answers and its turn hold here too.
        self.history.call_ids = session.history.call_ids
        self.history.remembered = session.history.remembered
        self.history.turn = session.history.turn
        self.tally = Tally(session.tally)
        self.desk = changed(
            session.desk, seen={}, set_plan=_no_plan, conversation=self._everything, crew=None
        )
        self.tools = task.tools
        self.gauge = Gauge()
        self.instructions = Instructions(session.desk.workspace)

    async def work(self) -> Outcome:
        """Do the task; what came of it. Cancelling it ends its calls.

        A background job that it started is one of the session, and ends with that.
        """
        self.append(Said(UserMessage((TextPart(self._task.prompt),))))
        turn = Turn(self)
        try:
            return self._outcome(await rounds(self, turn, self._limit))
        except ProviderError as error:
            turn.cut_off("failed")
            return self._failure(str(error))
        finally:
            # Nothing is open here unless it was cut short.
            turn.cut_off("cancelled")

    @property
    def chosen(self) -> Chosen:
        return self._session.chosen

    @property
    def model(self) -> Offered:
        return self._session.model

    @property
    def told_unconfined(self) -> bool:
        return self._session.told_unconfined

    @told_unconfined.setter
    def told_unconfined(self, told: bool) -> None:
        self._session.told_unconfined = told

    @property
    def broken_hooks(self) -> dict[str, str]:
        return self._session.broken_hooks

    def append(self, *entries: Entry) -> None:
        for entry in entries:
            if isinstance(entry, Remembered | Spent):
                self._session.append(entry)
            if not isinstance(entry, Remembered):  # The list of those is that of the session.
                self.history.apply(entry)
            if isinstance(entry, Said):
                self._said.append(entry.message)
                self._report.end_paragraph()

    def tell(self, *events: Event) -> None:
        for event in events:
            match event:
                case ChunkAdded(speaker="agent", content=Text(text=text)):
                    self._report.add(text)
                case ToolCallChanged():
                    self._report.tell()
                    self._session.tell(self._named(event))
                case UsageChanged():
                    self._tell_cost()
                case CompactionChanged(status="completed"):
                    self._report.end_paragraph()
                    self._report.add(_SHORTENED)
                    self._report.end_paragraph()
                case ChunkAdded() | CompactionChanged() | CompactionSummaryAdded():
                    pass  # The conversation of the session is not the one that this is about.
                case _:
                    self._session.tell(event)

    def notify(self, title: str, description: str | None = None) -> None:
        self._session.notify(f"{self._name}: {title}", description)

    async def ask(self, question: PermissionQuestion) -> PermissionAnswer:
        """Ask in the name of the sub-agent. Who closes the question stops the sub-agent."""
        subject = question.subject
        if isinstance(subject, ToolCallSubject):
            subject = replace(subject, tool_call=self._named(subject.tool_call))
        asked = replace(
            question,
            title=f"{self._name}: {question.title}",
            subject=subject,
            description=f"The sub-agent `{self._name}` asks.\n{question.description or ''}",
        )
        answer = await self._session.ask(asked)
        stop = self.stops.get(self._call_id)
        if stop is not None and decide(question.options, answer).dismissed:
            stop()
        return answer

    async def keep_up(self) -> None:
        await self._session.keep_up()

    async def facts(self) -> Facts:
        return await self._session.facts()

    def _limit(self) -> str:
        limits = self._limits
        used = self.tally.usage.input + self.tally.usage.output
        if self.tally.requests >= self._rounds:
            which = "max_rounds" if self._rounds < limits.requests else "subagent_requests"
            return f"It made {self._rounds} requests to the model, which is its limit (`{which}`)."
        if used >= limits.tokens:
            return f"It used {used} tokens, and its limit is {limits.tokens} (`subagent_tokens`)."
        return turn_limit(self._session)

    def _outcome(self, stop: Stop) -> Outcome:
        match stop.reason:
            case "end_turn":
                text = bounded(self._last_words()) or "The sub-agent ended without a word."
                return Outcome(text, (ContentItem(Text(text)),))
            case "max_tokens":
                return self._failure("Its answer was cut off at the output limit of the model.")
            case "refusal":
                return self._failure("The model refused to go on.")
            case _:
                return self._failure(stop.limit)

    def _failure(self, reason: str) -> Outcome:
        text = f"The sub-agent did not finish. {reason}"
        if said := bounded(self._last_words()):
            text = f"{text}\n\nWhat it said last:\n{said}"
        return Outcome(text, (ContentItem(Text(text)),), failed=True)

    def _last_words(self) -> str:
        """What it said behind its last calls; if that is nothing, the last that it said at all."""
        words: list[str] = []
        for message in reversed(self._said):
            if isinstance(message, AgentMessage) and message.text:
                words.append(message.text)
            elif isinstance(message, ToolMessage) and words:
                break
        return "".join(reversed(words)).strip()

    def _named(self, event: ToolCallChanged) -> ToolCallChanged:
        if not isinstance(event.title, str):
            return event
        title = f"{self._name}: {event.title}"
        return replace(event, title=title, meta={PARENT_CALL: self._call_id})

    def _tell_cost(self) -> None:
        """What the session has cost by now; its own context is as full as before."""
        history = self._session.history
        if history.context is not None and history.cost is not None:
            self._session.tell(replace(history.context, cost=Cost(history.cost, CURRENCY)))

    async def _everything(self) -> Sequence[Message]:
        return self._said


def _no_plan(plan: Plan) -> None:
    """The plan is that of the session."""
