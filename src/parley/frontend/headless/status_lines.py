"""Short lines on stderr beside the output: tool calls, the plan, notices, questions, the end.

Every text of an agent is made safe here. Titles are cut to one line; what says why something went
wrong, and what to do about it, is shown whole.
"""

from collections.abc import Callable, Iterator

from parley.frontend.headless.diff_text import changed_lines
from parley.frontend.headless.output import Answered, Opened, Result, Trouble, TurnEnd
from parley.frontend.headless.question_text import wrapped
from parley.frontend.headless.screen import Line, ProgressText, Screen, Tone
from parley.frontend.headless.trouble_text import lines_of
from parley.frontend.visible import cells, joined, one_line, visible
from parley.session.activity import ToolCall
from parley.session.content import DiffItem, Text
from parley.session.event import (
    FINAL_STATUSES,
    PARENT_CALL,
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
_COMPACTIONS: dict[str, tuple[str, Tone]] = {
    "completed": ("the conversation was shortened", "dim"),
    "failed": ("the conversation could not be shortened", "warning"),
    "cancelled": ("the conversation was not shortened: cancelled", "warning"),
}
# Before what a line that is too long for the terminal goes on with.
_GOES_ON = "    "
_THOUGHT_BYTES = 8192
# Calls that are remembered.
_KEPT = 200


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
        self._parents: dict[str, str] = {}
        """Calls that others are a part of: those of sub-agents."""
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
                text = joined(_lines(event.title), _lines(event.description or ""))
                self._tell(f"{_safe(event.severity)}: {text}", _TONES.get(event.severity, "plain"))
            case CompactionChanged():
                self._compacted(event)
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
        about = one_line(answered.about, self._width())
        self._tell(f"✗ refused ({answered.because}): {about}", "warning")

    def turn_ended(self, end: TurnEnd) -> None:
        self._end_thought()
        self._progress.set(None, self._clock())
        self._screen.hide_progress()
        failure = end.failure
        if failure is not None:
            code = f" ({failure.code})" if self._verbose else ""
            self._tell(f"the agent could not go on{code}: {_lines(failure.message)}", "bad")
        elif end.stop_reason != "end_turn":
            self._note(_stopped(end.stop_reason), "warning")
        if end.usage is not None and self._verbose:
            self._note(f"tokens: {end.usage.input} in, {end.usage.output} out", "dim")

    def failed(self, trouble: Trouble) -> None:
        self._progress.set(None, self._clock())
        self._screen.hide_progress()
        for line, tone in lines_of(trouble):
            self._tell(line, tone)

    def finished(self, result: Result) -> None:
        context = result.context
        if not context or not self._verbose:
            return
        cost = f", {context['cost']} {context['currency']}" if "cost" in context else ""
        self._note(f"context: {context['used']} of {context['size']} tokens{cost}", "dim")

    def say(self, text: str, tone: Tone = "plain") -> None:
        """Something about the run itself."""
        self._tell(text, tone)

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
        if isinstance(parent := (call.meta or {}).get(PARENT_CALL), str):
            _keep(self._parents, parent)
        title = call.title or call.name or call.kind
        # The state may be ahead of the event, and lines are in the order of events.
        status = event.status
        if not isinstance(status, str) or status not in _MARKS:
            self._doing(title)
            return
        if self._told.get(call.id) == status:
            return
        _keep(self._told, call.id, status)
        mark, tone = _MARKS[status]
        count = _counted(call) if status == "completed" else ""
        why = _why(call) if status == "failed" else ""
        # The title is cut and not the reason, which is told nowhere else.
        room = self._width() - 2 - cells(count)
        shown = one_line(title, max(room - cells(why) - 2, room // 2) if why else room)
        self._tell(f"{mark} {joined(shown + count, why)}", tone)
        if self._verbose and call.id in self._parents:
            for line in "\n".join(_texts(call)).split("\n"):
                self._tell(f"    {one_line(line)}", "dim")
        self._doing("thinking")

    def _compacted(self, event: CompactionChanged) -> None:
        if event.status == "in_progress":
            self._doing("shortening the conversation")
            return
        unknown: Line = (f"compaction of the conversation: {_safe(event.status)}", "dim")
        text, tone = _COMPACTIONS.get(event.status, unknown)
        why = event.error if event.status == "failed" and isinstance(event.error, str) else ""
        self._tell(joined(text, _lines(why)), tone)

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

    def _width(self) -> int:
        facts = self._screen.facts
        return max(facts.columns - 1, 10) if facts.stderr_is_terminal else _WIDTH

    def _note(self, text: str, tone: Tone = "plain") -> None:
        """One line, cut where it is too long."""
        self._screen.note(one_line(text, self._width()), tone)

    def _tell(self, text: str, tone: Tone = "plain") -> None:
        """Safe text, whole; a terminal would break its lines anywhere."""
        facts = self._screen.facts
        whole = wrapped(text, facts.columns, _GOES_ON) if facts.stderr_is_terminal else text
        self._screen.note(whole, tone)


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


def _lines(text: str) -> str:
    """A text of the agent with its lines; all but the first are indented, so that none is ours."""
    return "\n  ".join(one_line(line) for line in text.strip().split("\n"))


def _keep(kept: dict[str, str], key: str, value: str = "") -> None:
    """Remember something, and not too many of them."""
    kept[key] = value
    if len(kept) > _KEPT:
        del kept[next(iter(kept))]


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
    if not changes:
        return ""
    counts = [changed_lines(each) for each in changes]
    known = [each for each in counts if each is not None]
    if len(known) != len(counts):
        return ""
    return f" (+{sum(added for added, _ in known)} -{sum(gone for _, gone in known)})"


def _why(call: ToolCall) -> str:
    """The first line of what a failed call says, and no mark of a block of code."""
    lines = (line.strip() for text in _texts(call) for line in text.split("\n"))
    return next((_safe(line) for line in lines if line and not line.startswith("```")), "")


def _texts(call: ToolCall) -> Iterator[str]:
    for item in call.content:
        content = getattr(item, "content", None)
        if isinstance(content, Text):
            yield content.text
