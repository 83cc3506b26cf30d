"""Short lines on stderr beside the output: tool calls, the plan, notices, questions, the end.

Every text of an agent is made safe here, and cut to one line.
"""

from collections.abc import Callable

from parley.frontend.headless.diff_text import changed_lines
from parley.frontend.headless.output import Answered, Opened, Result, Trouble, TurnEnd
from parley.frontend.headless.question_text import wrapped
from parley.frontend.headless.screen import ProgressText, Screen, Tone
from parley.frontend.headless.trouble_text import lines_of
from parley.frontend.visible import one_line, visible
from parley.session.activity import ToolCall
from parley.session.content import DiffItem, Text
from parley.session.event import (
    FINAL_STATUSES,
    ChunkAdded,
    CompactionChanged,
    Event,
    InfoChanged,
    NoticeGiven,
    OptionsChanged,
    OtherHappened,
    PlanChanged,
    StateChanged,
    SubagentChanged,
    ToolCallChanged,
)
from parley.session.option import PlanItems, PlanMarkdown, Select
from parley.session.state import SessionState

# Of a line where no terminal says how wide it may be.
_WIDTH = 200
# Of a text before it is cut to the line that it stands in: more than any terminal has.
_MOST_CELLS = 20_000
_MARKS: dict[str, tuple[str, Tone]] = {
    "completed": ("✓", "good"),
    "failed": ("✗", "bad"),
    "cancelled": ("-", "warning"),
}
_TONES: dict[str, Tone] = {"warning": "warning", "error": "bad"}
_THOUGHT_BYTES = 8192


class StatusLines:
    """Says on stderr what happens, as much of it as a person wants to know."""

    def __init__(
        self,
        screen: Screen,
        progress: ProgressText,
        clock: Callable[[], float],
        *,
        verbose: bool = False,
    ) -> None:
        self._screen = screen
        self._progress = progress
        self._clock = clock
        self._verbose = verbose
        self._state: SessionState | None = None
        self._told: dict[str, str] = {}
        self._plan = ""
        self._mode: str | None = None
        self._thought: list[str] = []
        self._thinking = False

    def follow(self, state: SessionState) -> None:
        """Look at this state for what an event leaves out."""
        self._state = state
        self._mode = state.mode.current if state.mode else None

    def opened(self, opened: Opened) -> None:
        info = opened.agent.info
        words = "goes on with" if opened.resumed else "opened"
        if self._verbose:
            self._note(
                f"{info.label} {info.version} {words} session {opened.session_id}"
                f" (version {opened.agent.version})",
                "dim",
            )
        self._doing("waiting for the agent")

    def event(self, session_id: str, event: Event) -> None:
        if isinstance(event, ChunkAdded):
            self._chunk(event)
            return
        self._end_thought()
        match event:
            case ToolCallChanged():
                self._tool_call(event)
            case PlanChanged():
                self._planned(event)
            case NoticeGiven():
                text = f"{_safe(event.severity)}: {_safe(event.title)}"
                text += f": {_safe(event.description)}" if event.description else ""
                self._note(text, _TONES.get(event.severity, "plain"))
            case CompactionChanged():
                self._note(f"compaction of the conversation: {_safe(event.status)}", "dim")
            case SubagentChanged(title=str(title)):
                self._note(f"sub-agent: {_safe(title)}", "dim")
            case OptionsChanged():
                self._optioned(event)
            case StateChanged(state="running"):
                self._doing("thinking")
            case OtherHappened() if self._verbose:
                self._note(f"an update of an unknown kind: {_safe(event.kind)}", "dim")
            case InfoChanged(title=str(title)) if self._verbose:
                self._note(f"title: {_safe(title)}", "dim")
            case _:
                pass

    def answered(self, answered: Answered) -> None:
        if answered.how == "person":
            return  # Who decided knows.
        if answered.allowed:
            if self._verbose:
                self._note(f"allowed by {answered.because}: {_safe(answered.about)}", "dim")
            return
        self._note(f"✗ refused ({answered.because}): {_safe(answered.about)}", "warning")

    def turn_ended(self, end: TurnEnd) -> None:
        self._end_thought()
        self._progress.set(None, self._clock())
        self._screen.hide_progress()
        failure = end.failure
        if failure is not None:
            text = f"the agent could not go on: {visible(failure.message)} ({failure.code})"
            self._screen.note(text, "bad")
        elif end.stop_reason != "end_turn":
            self._note(_stopped(end.stop_reason), "warning")
        if end.usage is not None and self._verbose:
            self._note(f"tokens: {end.usage.input} in, {end.usage.output} out", "dim")

    def failed(self, trouble: Trouble) -> None:
        self._progress.set(None, self._clock())
        self._screen.hide_progress()
        facts = self._screen.facts
        for line, tone in lines_of(trouble):
            # Nothing is cut from a report, but a terminal would break its lines anywhere.
            whole = wrapped(line, facts.columns) if facts.stderr_is_terminal else line
            self._screen.note(whole, tone)

    def finished(self, result: Result) -> None:
        context = result.context
        if not context or not self._verbose:
            return
        cost = f", {context['cost']} {context['currency']}" if "cost" in context else ""
        self._note(f"context: {context['used']} of {context['size']} tokens{cost}", "dim")

    def say(self, text: str, tone: Tone = "plain") -> None:
        """Something about the run itself."""
        self._note(text, tone)

    def _chunk(self, event: ChunkAdded) -> None:
        if event.speaker == "agent":
            if self._thinking:
                self._end_thought()
            return
        if event.speaker != "thought":
            return
        if not self._thinking:
            self._thinking = True
            self._doing("thinking")
        if self._verbose and isinstance(event.content, Text):
            self._thought.append(event.content.text)
            if sum(map(len, self._thought)) > _THOUGHT_BYTES:
                self._end_thought()

    def _end_thought(self) -> None:
        self._thinking = False
        if self._thought:
            text, self._thought = "".join(self._thought), []
            self._screen.note(visible(text.strip()), "dim")

    def _tool_call(self, event: ToolCallChanged) -> None:
        call = self._state.tool_calls.get(event.id) if self._state else None
        if call is None:
            return
        title = call.title or call.name or call.kind
        if not call.final:
            self._doing(title)
            return
        if self._told.get(call.id) == call.status:
            return
        self._told[call.id] = call.status
        if len(self._told) > _WIDTH:
            del self._told[next(iter(self._told))]
        mark, tone = _MARKS[call.status]
        self._note(f"{mark} {_safe(title)}{_counted(call)}{_why(call)}", tone)
        self._doing("thinking")

    def _planned(self, event: PlanChanged) -> None:
        match event.plan:
            case PlanItems(entries=entries):
                over = sum(each.status in FINAL_STATUSES for each in entries)
                now = next((each.content for each in entries if each.status == "in_progress"), "")
                text = f"plan: {over} of {len(entries)} done" + (
                    f"; now: {_safe(now)}" if now else ""
                )
            case PlanMarkdown(content=content):
                text = f"plan: {_safe(content)}"
            case _:
                text = "plan: changed"
        if text != self._plan:
            self._plan = text
            self._note(text, "dim")

    def _optioned(self, event: OptionsChanged) -> None:
        """A change of the mode is worth a line, since it changes what goes unasked."""
        mode = next(
            (
                each
                for each in event.options
                if isinstance(each, Select) and each.category == "mode"
            ),
            None,
        )
        if mode is not None and mode.current != self._mode:
            if self._mode is not None:
                self._note(f"mode: {_safe(mode.current)}", "warning")
            self._mode = mode.current

    def _doing(self, what: str) -> None:
        self._progress.set(one_line(what, _WIDTH), self._clock())

    def _note(self, text: str, tone: Tone = "plain") -> None:
        facts = self._screen.facts
        width = max(facts.columns - 1, 10) if facts.stderr_is_terminal else _WIDTH
        self._screen.note(one_line(text, width), tone)


class NoStatusLines(StatusLines):
    """Only what went wrong: for `--quiet`, and where the output tells everything itself."""

    def event(self, session_id: str, event: Event) -> None:
        pass

    def answered(self, answered: Answered) -> None:
        pass

    def opened(self, opened: Opened) -> None:
        pass

    def finished(self, result: Result) -> None:
        pass


def _safe(text: str) -> str:
    """A text of the agent alone: a mark at its start must not change our words before it."""
    return one_line(text, _MOST_CELLS)


def _stopped(reason: str) -> str:
    match reason:
        case "refusal":
            return "the model refused to go on"
        case "max_tokens":
            return "stopped: the model's limit of tokens was reached"
        case "max_turn_requests":
            return "stopped: the limit of requests in one turn was reached"
        case "cancelled":
            return "cancelled"
        case _:
            return f"stopped for a reason that is not known here: {_safe(reason)}"


def _counted(call: ToolCall) -> str:
    """How many lines a finished edit added and removed."""
    changes = [each for item in call.content if isinstance(item, DiffItem) for each in item.changes]
    if call.status != "completed" or not changes:
        return ""
    counts = [changed_lines(each) for each in changes]
    known = [each for each in counts if each is not None]
    if len(known) != len(counts):
        return ""
    return f" (+{sum(added for added, _ in known)} -{sum(gone for _, gone in known)})"


def _why(call: ToolCall) -> str:
    """The first line of what a failed call says."""
    if call.status != "failed":
        return ""
    for item in call.content:
        content = getattr(item, "content", None)
        if isinstance(content, Text) and content.text.strip():
            return f": {_safe(content.text.strip().splitlines()[0])}"
    return ""
