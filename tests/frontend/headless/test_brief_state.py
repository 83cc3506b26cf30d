"""The state of a run does not grow."""

from parley.frontend.headless.brief_state import KEPT_CALLS, BriefState
from parley.session.content import ContentItem, Text
from parley.session.event import (
    ChunkAdded,
    MessageChanged,
    PlanChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolContentAdded,
    UsageChanged,
)
from parley.session.option import PlanItems


def test_text_and_output_are_not_kept() -> None:
    state = BriefState("s")
    state.take(ChunkAdded("agent", Text("hello")))
    state.apply(ChunkAdded("agent", Text("hello")))
    state.take(MessageChanged("agent", "m", (Text("hello"),)))
    state.take(TerminalOutputAdded("t", b"x"))
    assert (len(state.transcript), len(state.messages), len(state.terminals)) == (0, 0, 0)


def test_tool_calls_add_up_without_their_output() -> None:
    state = BriefState("s", [ToolCallChanged("t", title="Run", raw_input={"command": "ls"})])
    state.take(ToolCallChanged("t", status="completed", raw_output="large"))
    state.take(ToolContentAdded("t", ContentItem(Text("one"))))
    call = state.tool_calls["t"]
    assert (call.title, call.status, call.raw_input) == ("Run", "completed", {"command": "ls"})
    assert (call.raw_output, len(call.content)) == (None, 1)


def test_the_oldest_call_that_is_over_makes_room() -> None:
    state = BriefState("s")
    state.take(ToolCallChanged("open"))
    state.take(ToolCallChanged("over", status="completed"))
    for number in range(KEPT_CALLS + 50):
        state.take(ToolCallChanged(f"t{number}", status="completed"))
    assert len(state.tool_calls) == KEPT_CALLS
    assert "open" in state.tool_calls
    assert "over" not in state.tool_calls


def test_calls_that_never_end_are_bounded_too() -> None:
    state = BriefState("s")
    for number in range(KEPT_CALLS + 5):
        state.take(ToolCallChanged(f"t{number}"))
    assert len(state.tool_calls) == KEPT_CALLS
    for _ in range(3000):
        state.take(ToolContentAdded("t99", ContentItem(Text("x"))))
    assert len(state.tool_calls["t99"].content) == 1000


def test_plans_are_bounded_and_the_rest_is_as_everywhere() -> None:
    state = BriefState("s")
    for number in range(100):
        state.take(PlanChanged(f"p{number}", PlanItems(())))
    state.take(UsageChanged(1, 2))
    assert list(state.plans)[-1] == "p99"
    assert len(state.plans) == 16
    assert state.usage is not None
