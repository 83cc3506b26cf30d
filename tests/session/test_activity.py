"""Tool calls, shown terminals and sub-agents: what a row of updates adds up to."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from parley.session.activity import ShownTerminal, Subagent, ToolCall
from parley.session.content import ContentItem, Location, TerminalItem, Text
from parley.session.event import (
    ExitStatus,
    StateChanged,
    SubagentChanged,
    TerminalChanged,
    TerminalSize,
    ToolCallChanged,
    ToolContentAdded,
)
from tests.session.strategies import tool_call_changes

ONE, TWO = ContentItem(Text("one")), TerminalItem("term")
FULL_CALL = ToolCallChanged(
    id="t",
    title="Read",
    name="read_file",
    kind="read",
    status="in_progress",
    content=(ONE,),
    locations=(Location("/project/a", 3),),
    raw_input={"path": "/project/a"},
    raw_output=[1],
    cancellable=True,
    meta={"a": 1},
)
FULL_TERMINAL = TerminalChanged(
    id="term",
    command="make",
    cwd="/project",
    output=b"built",
    exit=ExitStatus(0),
    size=TerminalSize(80, 24),
    cancellable=True,
    meta={"a": 1},
)
FULL_SUBAGENT = SubagentChanged(
    session_id="s",
    title="Search",
    description="Looks around",
    state=StateChanged("running"),
    cwd="/project",
    additional_directories=("/other",),
    cancellable=True,
    meta={"a": 1},
)
CALL_DEFAULTS: dict[str, Any] = {
    "title": None,
    "name": None,
    "kind": "other",
    "status": "pending",
    "content": (),
    "locations": (),
    "raw_input": None,
    "raw_output": None,
    "cancellable": False,
}
TERMINAL_DEFAULTS: dict[str, Any] = {
    "command": None,
    "cwd": None,
    "output": b"",
    "exit": None,
    "size": None,
}
SUBAGENT_DEFAULTS: dict[str, Any] = {
    "title": None,
    "description": None,
    "state": None,
    "cwd": None,
    "additional_directories": None,
}
NULLABLE = [name for name in CALL_DEFAULTS if name != "cancellable"]


def _call(*events: ToolCallChanged) -> ToolCall:
    call = ToolCall("t")
    for event in events:
        call.change(event)
    return call


def _terminal(*events: TerminalChanged, limit: int | None = None) -> ShownTerminal:
    terminal = ShownTerminal("term", limit)
    for event in events:
        terminal.change(event)
    return terminal


def _subagent(*events: SubagentChanged) -> Subagent:
    subagent = Subagent("s")
    for event in events:
        subagent.change(event)
    return subagent


@pytest.mark.parametrize("name", CALL_DEFAULTS)
def test_v2_tc_03_an_omitted_field_of_a_tool_call_is_kept(name: str) -> None:
    call = _call(FULL_CALL, ToolCallChanged("t"))
    assert getattr(call, name) == getattr(FULL_CALL, name)


@pytest.mark.parametrize("name", NULLABLE)
def test_v2_tc_03_null_resets_that_field_of_a_tool_call_alone(name: str) -> None:
    call = _call(FULL_CALL, ToolCallChanged("t", **{name: None}))
    for each, default in CALL_DEFAULTS.items():
        assert getattr(call, each) == (default if each == name else getattr(FULL_CALL, each))


@pytest.mark.parametrize("name", CALL_DEFAULTS)
def test_a_new_tool_call_has_the_defaults(name: str) -> None:
    assert getattr(_call(), name) == CALL_DEFAULTS[name]


def test_dec_10_three_updates_with_and_without_a_title() -> None:
    call = ToolCall("t")
    seen: list[str | None] = []
    for title in ("first", UNSET, None):
        call.change(ToolCallChanged("t", title=title))
        seen.append(call.title)
    assert seen == ["first", "first", None]


@given(st.lists(tool_call_changes))
def test_a_tool_call_is_what_each_field_was_told_last(events: list[ToolCallChanged]) -> None:
    expected = dict(CALL_DEFAULTS)
    for event in events:
        for name, default in CALL_DEFAULTS.items():
            told = getattr(event, name)
            if told is not UNSET:
                expected[name] = default if told is None else told
    call = _call(*events)
    assert {name: getattr(call, name) for name in expected} == expected


def test_v2_tc_04_a_chunk_appends_and_a_later_list_replaces_all() -> None:
    call = _call(FULL_CALL)
    call.add(ToolContentAdded("t", TWO))
    assert call.content == (ONE, TWO)
    call.change(ToolCallChanged("t", content=(TWO,)))
    assert call.content == (TWO,)


@pytest.mark.parametrize(
    ("status", "final"),
    [
        ("pending", False),
        ("in_progress", False),
        ("paused", False),
        ("_own", False),
        ("completed", True),
        ("failed", True),
        ("cancelled", True),
    ],
)
def test_v2_tc_06_an_unknown_status_means_that_a_call_goes_on(status: str, final: bool) -> None:
    assert _call(ToolCallChanged("t", status=status)).final is final


@pytest.mark.parametrize("event", [FULL_CALL, ToolCallChanged("t")])
def test_a_tool_call_is_made_again_by_one_event(event: ToolCallChanged) -> None:
    assert _call(event).events() == [event]


def test_ext_15_the_meta_of_a_content_chunk_stays_with_what_it_brought() -> None:
    call = _call(ToolCallChanged("t", meta={"a": 1}))
    for item, meta in [(ONE, None), (TWO, {"a": 2}), (ONE, {})]:
        call.add(ToolContentAdded("t", item, meta))
    assert call.meta == {"a": 1}
    assert call.events() == [
        ToolCallChanged("t", content=(ONE,), meta={"a": 1}),
        ToolContentAdded("t", TWO, {"a": 2}),
        ToolContentAdded("t", ONE),
    ]
    call.change(ToolCallChanged("t", content=None))
    assert call.events() == [ToolCallChanged("t", meta={"a": 1})]


def test_a_content_chunk_that_makes_a_tool_call_by_itself_is_enough() -> None:
    call = ToolCall("t")
    call.add(ToolContentAdded("t", ONE, {"a": 1}))
    assert call.events() == [ToolContentAdded("t", ONE, {"a": 1})]


@pytest.mark.parametrize("name", TERMINAL_DEFAULTS)
def test_null_resets_that_field_of_a_terminal_alone(name: str) -> None:
    terminal = _terminal(FULL_TERMINAL, TerminalChanged("term", **{name: None}))
    for each, default in TERMINAL_DEFAULTS.items():
        expected = default if each == name else getattr(FULL_TERMINAL, each)
        assert getattr(terminal, each) == expected


@pytest.mark.parametrize("event", [FULL_TERMINAL, TerminalChanged("term")])
def test_a_terminal_keeps_what_is_omitted_and_is_made_again_by_one_event(
    event: TerminalChanged,
) -> None:
    assert _terminal(event, TerminalChanged("term")).events() == [event]


def test_a_terminal_can_stop_being_cancellable() -> None:
    terminal = _terminal(FULL_TERMINAL, TerminalChanged("term", cancellable=False))
    assert terminal.cancellable is False


def test_v2_trm_04_a_snapshot_of_output_replaces_and_is_never_merged() -> None:
    terminal = _terminal(TerminalChanged("term", output=b"abc"))
    terminal.add(b"def")
    assert terminal.output == b"abcdef"
    terminal.change(TerminalChanged("term", output=b"abcd"))
    assert terminal.output == b"abcd"


def test_v2_trm_06_a_character_may_be_split_between_two_chunks() -> None:
    terminal = ShownTerminal("term")
    for byte in "a😀b".encode():
        terminal.add(bytes([byte]))
    assert terminal.output.decode() == "a😀b"


def test_v2_trm_08_an_empty_exit_status_is_one() -> None:
    assert _terminal(TerminalChanged("term", exit=ExitStatus())).exit is not None


def test_the_limit_keeps_the_last_bytes_and_counts_the_others() -> None:
    terminal = ShownTerminal("term", limit=4)
    terminal.add(b"abc")
    assert (terminal.output, terminal.dropped) == (b"abc", 0)
    terminal.add(b"defg")
    assert (terminal.output, terminal.dropped) == (b"defg", 3)
    terminal.change(TerminalChanged("term", output=b"0123456"))
    assert (terminal.output, terminal.dropped) == (b"3456", 3)
    terminal.change(TerminalChanged("term", output=None))
    assert (terminal.output, terminal.dropped) == (b"", 0)


@given(st.lists(st.binary(max_size=9)), st.integers(0, 20))
def test_the_limit_does_not_see_how_output_was_cut(parts: list[bytes], limit: int) -> None:
    terminal = ShownTerminal("term", limit)
    for part in parts:
        terminal.add(part)
    whole = b"".join(parts)
    assert terminal.output == whole[max(len(whole) - limit, 0) :]
    assert terminal.dropped == len(whole) - len(terminal.output)


@pytest.mark.parametrize("name", SUBAGENT_DEFAULTS)
def test_null_resets_that_field_of_a_subagent_alone(name: str) -> None:
    subagent = _subagent(FULL_SUBAGENT, SubagentChanged("s", **{name: None}))
    for each, default in SUBAGENT_DEFAULTS.items():
        expected = default if each == name else getattr(FULL_SUBAGENT, each)
        assert getattr(subagent, each) == expected


@pytest.mark.parametrize(
    "event",
    [FULL_SUBAGENT, SubagentChanged("s"), SubagentChanged("s", additional_directories=())],
)
def test_a_subagent_keeps_what_is_omitted_and_is_made_again_by_one_event(
    event: SubagentChanged,
) -> None:
    assert _subagent(event, SubagentChanged("s")).events() == [event]
