"""What a session has beside its transcript, and what `apply` answers."""

from typing import Any, get_args

import msgspec
import pytest

from parley.session.change import Change, ChangeKind
from parley.session.content import Text
from parley.session.event import (
    BackgroundWork,
    ChunkAdded,
    CommandsChanged,
    Cost,
    Event,
    Failure,
    InfoChanged,
    NoticeGiven,
    OptionsChanged,
    OtherHappened,
    PlanChanged,
    PlanRemoved,
    StateChanged,
    SubagentChanged,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    UsageChanged,
)
from parley.session.option import (
    Command,
    OtherOption,
    OtherPlan,
    PlanItems,
    PlanMarkdown,
    Select,
    Toggle,
)
from parley.session.state import Info, SessionState, Usage

DOLLAR, EURO = Cost(1.0, "USD"), Cost(2.0, "EUR")
FIRST, SECOND = PlanMarkdown("first"), PlanMarkdown("second")


def after(*events: Event) -> SessionState:
    return SessionState.from_events(events)


def test_a_new_session_is_idle_and_empty() -> None:
    state = SessionState("s1")
    assert (state.session_id, state.run, state.busy) == ("s1", StateChanged("idle"), False)
    assert (state.info, state.usage, state.mode, state.model) == (Info(), None, None, None)
    assert (list(state.transcript), state.commands, state.options) == ([], (), ())
    assert state.events() == []


@pytest.mark.parametrize(
    ("event", "first", "second"),
    [
        (
            TerminalChanged("term"),
            Change("terminal", "term", created=True),
            Change("terminal", "term"),
        ),
        (
            TerminalOutputAdded("term", b"x"),
            Change("terminal", "term", created=True),
            Change("terminal", "term"),
        ),
        (PlanChanged("p", FIRST), Change("plan", "p", created=True), Change("plan", "p")),
        (PlanRemoved("p"), Change("plan", "p"), Change("plan", "p")),
        (SubagentChanged("s"), Change("subagent", "s", created=True), Change("subagent", "s")),
        (CommandsChanged(()), Change("commands"), Change("commands")),
        (OptionsChanged(()), Change("options"), Change("options")),
        (InfoChanged(), Change("info"), Change("info")),
        (UsageChanged(1, 2), Change("usage"), Change("usage")),
        (StateChanged("idle"), Change("state"), Change("state")),
        (NoticeGiven("x"), Change("notice", created=True), Change("notice", created=True)),
        (
            OtherHappened("_x", {}),
            Change("other", "_x", created=True),
            Change("other", "_x", created=True),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_event_names_the_one_thing_it_changed(
    event: Event, first: Change, second: Change
) -> None:
    state = SessionState()
    assert [state.apply(event), state.apply(event)] == [first, second]
    assert {first.kind, second.kind} <= set(get_args(ChangeKind))


def test_v2_trm_03_what_is_said_of_a_terminal_before_anything_shows_it_is_kept() -> None:
    state = after(TerminalOutputAdded("term", b"ab"), TerminalChanged("term", command="make"))
    assert (state.terminals["term"].output, state.terminals["term"].command) == (b"ab", "make")


def test_the_output_limit_is_for_each_terminal() -> None:
    state = SessionState(output_limit=3)
    for id, data in [("one", b"abcdef"), ("two", b"xyz")]:
        state.apply(TerminalOutputAdded(id, data))
    kept = {id: (each.output, each.dropped) for id, each in state.terminals.items()}
    assert kept == {"one": (b"def", 3), "two": (b"xyz", 0)}


def test_v2_trm_02_a_terminal_and_a_tool_call_with_one_id_are_two_things() -> None:
    state = after(ToolCallChanged("x", title="call"), TerminalChanged("x", command="make"))
    assert (state.tool_calls["x"].title, state.terminals["x"].command) == ("call", "make")


def test_v2_pln_02_plans_are_kept_by_id_and_replaced_whole() -> None:
    other = OtherPlan("_graph", {"nodes": []})
    state = after(
        PlanChanged("a", FIRST, {"m": 1}),
        PlanChanged("b", SECOND),
        PlanChanged("a", other),
    )
    assert state.plans == {"a": PlanChanged("a", other), "b": PlanChanged("b", SECOND)}
    assert list(state.plans) == ["a", "b"]


def test_a_removed_plan_is_gone_and_comes_back_at_the_end() -> None:
    state = after(PlanChanged("a", FIRST), PlanChanged("b", SECOND), PlanRemoved("a"))
    assert list(state.plans) == ["b"]
    assert state.apply(PlanChanged("a", FIRST)) == Change("plan", "a", created=True)
    assert list(state.plans) == ["b", "a"]


def test_commands_and_options_are_complete_lists() -> None:
    plan, help = Command("plan", "Make a plan"), Command("help", "Show help")
    fast = Toggle("fast", "Fast", True)
    state = after(
        CommandsChanged((plan, help)),
        CommandsChanged((help,)),
        OptionsChanged((fast, Toggle("old", "Old", False))),
        OptionsChanged((fast,)),
    )
    assert (state.commands, state.options) == ((help,), (fast,))


def test_mode_and_model_are_the_first_select_options_of_their_category() -> None:
    mode = Select("a", "Mode", "ask", category="mode")
    model = Select("b", "Model", "large", category="model")
    state = after(
        OptionsChanged(
            (
                Toggle("t", "Toggle", True, category="mode"),
                OtherOption("o", "Other", "_x", {}, category="model"),
                Select("mode", "Without a category", "x"),
                mode,
                model,
                Select("c", "Second mode", "x", category="mode"),
            )
        )
    )
    assert (state.mode, state.model) == (mode, model)


@pytest.mark.parametrize(
    ("event", "after_it"),
    [
        (InfoChanged(), Info("t", "2026", {"a": 1})),
        (InfoChanged(title="new"), Info("new", "2026", {"a": 1})),
        (InfoChanged(title=None), Info(None, "2026", {"a": 1})),
        (InfoChanged(updated_at=None), Info("t", None, {"a": 1})),
        (InfoChanged(updated_at="2027"), Info("t", "2027", {"a": 1})),
        (InfoChanged(meta={"b": 2}), Info("t", "2026", {"a": 1, "b": 2})),
        (InfoChanged(meta={"a": None}), Info("t", "2026", None)),
        (InfoChanged(meta=None), Info("t", "2026", None)),
    ],
)
def test_info_is_patched(event: InfoChanged, after_it: Info) -> None:
    assert after(InfoChanged("t", "2026", {"a": 1}), event).info == after_it


@pytest.mark.parametrize(
    ("event", "after_it"),
    [
        (UsageChanged(3, 4), Usage(3, 4, DOLLAR)),
        (UsageChanged(3, 4, None), Usage(3, 4, None)),
        (UsageChanged(3, 4, EURO), Usage(3, 4, EURO)),
        (UsageChanged(3, 4, meta={"b": 1}), Usage(3, 4, DOLLAR, {"b": 1})),
    ],
)
def test_v2_use_01_an_omitted_cost_is_kept_and_null_clears_it(
    event: UsageChanged, after_it: Usage
) -> None:
    assert after(UsageChanged(1, 2, DOLLAR, {"a": 1}), event).usage == after_it


def test_usage_without_any_cost_has_none() -> None:
    assert after(UsageChanged(1, 2)).usage == Usage(1, 2)


@pytest.mark.parametrize(
    ("name", "busy"),
    [
        ("idle", False),
        ("running", True),
        ("requires_action", True),
        ("unknown", True),
        ("_paused", True),
    ],
)
def test_v2_prm_20_a_state_nobody_knows_counts_as_busy(name: str, busy: bool) -> None:
    assert after(StateChanged(name)).busy is busy


def test_the_state_of_the_session_is_the_whole_latest_report() -> None:
    failed = StateChanged(
        "idle", "error", Failure(-32603, "broken"), None, (BackgroundWork("terminal", "term"),)
    )
    state = after(StateChanged("running"), failed)
    assert state.run == failed
    state.apply(StateChanged("running"))
    assert (state.run.failure, state.run.background) == (None, None)


def test_notices_are_bounded_and_no_part_of_the_conversation() -> None:
    state = SessionState(notice_limit=2)
    for title in "abc":
        state.apply(NoticeGiven(title))
    assert [notice.title for notice in state.notices] == ["b", "c"]
    assert state.events() == []
    assert state.snapshot() == SessionState().snapshot()


def test_unknown_events_are_kept_up_to_a_bound_and_counted() -> None:
    state = SessionState(other_limit=2)
    unknown = [OtherHappened("_x", {"n": n}) for n in range(3)]
    for event in unknown:
        state.apply(event)
    assert (list(state.others), state.other_count) == (unknown[1:], 3)
    assert state.events() == unknown[1:]


def test_open_tool_calls_are_those_that_are_not_over() -> None:
    state = after(
        ToolCallChanged("a"),
        ToolCallChanged("b", status="in_progress"),
        ToolCallChanged("c", status="_own"),
        ToolCallChanged("d", status="failed"),
        ToolCallChanged("a", status="completed"),
    )
    assert [call.id for call in state.open_tool_calls()] == ["b", "c"]


def test_v2_cnc_09_a_call_marked_cancelled_still_takes_later_updates() -> None:
    state = after(ToolCallChanged("a", status="in_progress"))
    for call in state.open_tool_calls():
        state.apply(ToolCallChanged(call.id, status="cancelled"))
    assert state.open_tool_calls() == []
    state.apply(ToolCallChanged("a", status="completed", raw_output="late"))
    assert (state.tool_calls["a"].status, state.tool_calls["a"].raw_output) == ("completed", "late")


def test_the_rebuilding_events_come_in_an_order_that_knows_what_it_names() -> None:
    events: list[Event] = [
        StateChanged("running"),
        ToolCallChanged("t"),
        TerminalChanged("term", output=b"x"),
        SubagentChanged("s"),
        UsageChanged(1, 2, DOLLAR),
        PlanChanged("p", PlanItems(())),
        CommandsChanged((Command("c", "d"),)),
        OptionsChanged((Toggle("o", "O", True),)),
        InfoChanged("t"),
        OtherHappened("_x", {}),
    ]
    # Info, options, commands, sub-agents, terminals, plans, usage, unknown ones, transcript, state.
    order = (8, 7, 6, 3, 2, 5, 4, 9, 1, 0)
    assert after(*events).events() == [events[i] for i in order]


def test_a_snapshot_is_plain_json() -> None:
    state = after(
        ChunkAdded("agent", Text("a"), "m", {"k": 1}),
        ToolCallChanged("t", raw_input=("a", {"b": (1,)})),
        TerminalOutputAdded("term", b"\xff\x00"),
        SubagentChanged("s", additional_directories=("/a",), state=StateChanged("running")),
        UsageChanged(1, 2, DOLLAR),
    )
    snapshot = state.snapshot()
    assert msgspec.json.decode(msgspec.json.encode(snapshot)) == snapshot
    assert snapshot["terminals"]["term"]["output"] == "/wA="
    assert snapshot["transcript"][1]["raw_input"] == ["a", {"b": [1]}]


_EVERYTHING: list[tuple[str, Any]] = [
    ("transcript", ChunkAdded("agent", Text("a"))),
    ("transcript", ChunkAdded("agent", Text(""))),
    ("transcript", ToolCallChanged("t")),
    ("terminals", TerminalChanged("term")),
    ("plans", PlanChanged("p", FIRST)),
    ("subagents", SubagentChanged("s")),
    ("commands", CommandsChanged((Command("c", "d"),))),
    ("options", OptionsChanged((), {"a": 1})),
    ("info", InfoChanged(title="")),
    ("usage", UsageChanged(0, 0)),
    ("run", StateChanged("idle", "end_turn")),
    ("others", OtherHappened("_x", {})),
]


@pytest.mark.parametrize(("part", "event"), _EVERYTHING)
def test_a_snapshot_sees_every_part_of_a_session(part: str, event: Event) -> None:
    before, now = SessionState().snapshot(), after(event).snapshot()
    assert {name for name in before if before[name] != now[name]} == {part}
