"""Events to updates and back: the same events, up to the documented projection."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from parley.protocol.v2.git_patch import git_patch
from parley.protocol.v2.updates import Incoming, Outgoing
from parley.schema import v2
from parley.schema.codec import decode, encode
from parley.session import content, event, option
from parley.session.content import Text
from parley.session.event import ChunkAdded, Event, MessageChanged, StateChanged, ToolCallChanged
from parley.session.state import SessionState
from tests.protocol.v2.wire import check_payload
from tests.session import strategies

Losses = list[tuple[str, str]]


def updates_of(
    events: list[Event],
    *,
    unstable: bool = True,
    losses: Losses | None = None,
    checked: bool = True,
) -> list[v2.SessionUpdate]:
    """What goes over the wire for some events, checked against the schema and read again."""
    found = [] if losses is None else losses
    outgoing = Outgoing(lambda *loss: found.append(loss), unstable=unstable)
    sent: list[v2.SessionUpdate] = []
    for each in events:
        for update in outgoing.updates_for(each):
            params = encode(v2.UpdateSessionNotification(session_id="s", update=update))
            if checked:
                check_payload("session/update", json.loads(params), answer=False)
            sent.append(decode(v2.UpdateSessionNotification, params).update)
    return sent


def trip(events: list[Event], *, checked: bool = True) -> list[Event]:
    incoming = Incoming(lambda *_: pytest.fail("nothing is lost on the way in"))
    sent = updates_of(events, checked=checked)
    return [each for update in sent for each in incoming.events_from(update)]


@settings(max_examples=150, deadline=None)
@given(strategies.events)
def test_an_event_comes_back_as_what_the_projection_says(original: Event) -> None:
    (back,) = trip([original])
    if not _put_right(original):
        assert back == projected(original)
    # What was put right stays as it is.
    assert trip([back], checked=False) == [back]


@settings(max_examples=150, deadline=None)
@given(strategies.event_lists)
def test_the_state_at_the_other_end_is_the_same(events: list[Event]) -> None:
    events = [projected(each, keep_ids=True) for each in events if not _put_right(each)]
    there = SessionState.from_events(trip(events, checked=False))
    here = SessionState.from_events(events)
    assert _facts(there) == _facts(here)


@settings(max_examples=150, deadline=None)
@given(strategies.event_lists)
def test_a_replay_gives_the_same_updates(events: list[Event]) -> None:
    """V2-RES-04"""
    assert updates_of(events, checked=False) == updates_of(events, checked=False)


@settings(max_examples=100, deadline=None)
@given(strategies.events)
def test_nothing_unstable_is_sent_where_it_is_not_spoken(original: Event) -> None:
    """NEG-17"""
    losses: Losses = []
    sent = updates_of([original], unstable=False, losses=losses)
    for update in sent:
        assert list(_unstable(update)) == []
    assert sent or losses


def _unstable(value: Any) -> Any:
    if isinstance(value, v2.SessionStateUpdate | v2.StateUpdate) and value.state == "unknown":
        yield "unknown"
    if hasattr(value, "__struct_fields__"):
        if value.UNSTABLE:
            yield type(value).__name__
        for name in value.__struct_fields__:
            member = getattr(value, name)
            if name in value.UNSTABLE_FIELDS and member is not UNSET:
                yield name
            yield from _unstable(member)
    elif isinstance(value, list):
        for item in value:
            yield from _unstable(item)


def _put_right(each: Event) -> bool:
    return isinstance(each, event.OptionsChanged | event.CommandsChanged)


def _facts(state: SessionState) -> Any:
    """What two sessions are compared by, without the ids of messages."""
    transcript = [item.facts() for item in state.transcript]
    for item in transcript:
        if item["item"] == "message":
            del item["id"]
    return {
        "transcript": transcript,
        "terminals": {id: each.facts() for id, each in state.terminals.items()},
        "subagents": {id: each.facts() for id, each in state.subagents.items()},
        "plans": list(state.plans.values()),
        "once": (state.info, state.usage, state.run),
        "others": (list(state.others), list(state.notices)),
    }


# The projection.


def projected(each: Event, *, keep_ids: bool = False) -> Event:
    match each:
        case event.ChunkAdded(message_id=None) if not keep_ids:
            id = f"unnamed-{each.speaker}-1"
            return replace(each, content=_block(each.content), message_id=id)
        case event.ChunkAdded() | event.CompactionSummaryAdded() | event.SessionMessageChunkAdded():
            return replace(each, content=_block(each.content))
        case event.MessageChanged() | event.SessionMessageChanged():
            return replace(each, content=_all(each.content, _block))
        case event.CompactionChanged():
            return replace(each, summary=_all(each.summary, _block))
        case event.ToolCallChanged():
            return replace(each, content=_all(each.content, _item))
        case event.ToolContentAdded():
            return replace(each, item=_item(each.item))
        case event.PlanChanged(plan=option.OtherPlan(kind=kind, raw=raw)):
            plan = option.OtherPlan(kind, {**raw, "type": kind, "planId": each.id})
            return replace(each, plan=plan)
        case event.StateChanged():
            return _state(each)
        case event.SubagentChanged(state=event.StateChanged() as state):
            return replace(each, state=_state(state))
        case event.OtherHappened(kind=kind, raw=raw):
            return replace(each, raw={**raw, "sessionUpdate": kind})
        case _:
            return each


def _all(values: Any, project: Any) -> Any:
    return tuple(map(project, values)) if values else values


def _block(block: Any) -> Any:
    if isinstance(block, content.OtherBlock):
        return replace(block, raw={**block.raw, "type": block.kind})
    return block


def _item(item: Any) -> Any:
    match item:
        case content.ContentItem():
            return replace(item, content=_block(item.content))
        case content.OtherItem(kind=kind, raw=raw):
            return replace(item, raw={**raw, "type": kind})
        case content.DiffItem(changes=changes, patch=patch):
            text = git_patch(changes) if patch is None else None
            made = content.Patch(text) if text is not None else patch
            return replace(item, changes=tuple(map(_change, changes)), patch=made)
        case _:
            return item


def _change(change: content.FileChange) -> content.FileChange:
    has_text = change.old_text is not None or change.new_text is not None
    paired = change.operation in ("move", "copy", "_chmod") and change.old_path is not None
    lone = change.operation in ("move", "copy") and change.old_path is None
    return replace(
        change,
        operation="add" if lone else change.operation,
        old_path=change.old_path if paired else None,
        file_type="text" if has_text else None,
        old_text=None,
        new_text=None,
    )


def _state(state: StateChanged) -> StateChanged:
    work = None
    if state.background is not None:
        found: list[event.BackgroundWork] = []
        for each in state.background:
            first = not any((each.kind, each.id) == (other.kind, other.id) for other in found)
            if first or each.kind.startswith("_"):
                found.append(each)
        work = tuple(map(_work, found))
    if state.state != "idle":
        return StateChanged(state.state, background=work, meta=state.meta)
    failure = None
    if state.stop_reason == "error":
        failure = state.failure or event.Failure(-32603, "the agent gave no details")
    return replace(state, background=work, failure=failure)


def _work(work: event.BackgroundWork) -> event.BackgroundWork:
    if not work.kind.startswith("_"):
        return event.BackgroundWork(work.kind, work.id, meta=work.meta)
    raw = {**({"id": work.id} if work.raw is None else work.raw), "type": work.kind}
    return event.BackgroundWork(work.kind, str(raw.get("id", "")), raw)


# Chunks without an id.


def ids(*events: Event, token: str = "") -> list[str]:
    outgoing = Outgoing(lambda *_: None, token=token)
    sent = [update for each in events for update in outgoing.updates_for(each)]
    return [update.message_id for update in sent if isinstance(update, v2.ContentChunk)]


A, T, U = (ChunkAdded(speaker, Text("x")) for speaker in ("agent", "thought", "user"))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((A, A), ["unnamed-agent-1"] * 2),
        ((A, T, A), ["unnamed-agent-1", "unnamed-thought-2", "unnamed-agent-3"]),
        ((A, ToolCallChanged("t"), A), ["unnamed-agent-1", "unnamed-agent-2"]),
        ((ToolCallChanged("t"), A, ToolCallChanged("t"), A), ["unnamed-agent-1"] * 2),
        ((A, StateChanged("running"), A), ["unnamed-agent-1", "unnamed-agent-2"]),
        (
            (StateChanged("running"), A, StateChanged("requires_action"), A),
            ["unnamed-agent-1"] * 2,
        ),
        ((A, StateChanged("idle"), A), ["unnamed-agent-1", "unnamed-agent-2"]),
        ((replace(A, message_id="m"), A), ["m", "m"]),
        ((MessageChanged("agent", "m"), A), ["m"]),
        ((MessageChanged("user", "m"), A), ["unnamed-agent-1"]),
    ],
)
def test_a_chunk_without_an_id_joins_the_open_message(
    events: tuple[Event, ...], expected: list[str]
) -> None:
    """V2-MSG-01"""
    assert ids(*events) == expected


def test_ids_of_a_session_that_goes_on_do_not_meet_the_earlier_ones() -> None:
    assert ids(U, token="7f-") == ["unnamed-user-7f-1"]


def test_a_tool_call_named_in_a_question_splits_too() -> None:
    outgoing = Outgoing(lambda *_: None)
    (first,) = outgoing.updates_for(A)
    outgoing.met("t")
    (second,) = outgoing.updates_for(A)
    assert isinstance(first, v2.ContentChunk)
    assert isinstance(second, v2.ContentChunk)
    assert first.message_id != second.message_id


# What version 2 cannot say.


@pytest.mark.parametrize(
    ("original", "loss", "sent"),
    [
        (event.NoticeGiven(""), "notice.title", 0),
        (event.UsageChanged(-1, 5), "usage", 0),
        (event.UsageChanged(1, 5, event.Cost(float("nan"), "USD")), "usage.cost", 1),
        (event.InfoChanged(updated_at="yesterday"), "session.updated_at", 1),
        (event.OtherHappened("tool_call", {}), "update.kind", 0),  # V2-TC-02
        (event.OtherHappened("plan", {}), "update.kind", 0),
        (event.OtherHappened("current_mode_update", {}), "update.kind", 0),
        (event.OtherHappened("agent_message_chunk", {}), "update.kind", 0),
        (event.TerminalChanged("x", cwd="relative"), "terminal.cwd", 1),
        (event.TerminalChanged("x", exit=event.ExitStatus(2**70)), "terminal.exit", 1),
        (event.TerminalChanged("x", size=event.TerminalSize(0, 1)), "terminal.size", 1),
        (
            ToolCallChanged("t", locations=(content.Location("/x", 0),)),
            "location.line",
            1,
        ),
    ],
)
def test_what_cannot_be_said_is_told(original: Event, loss: str, sent: int) -> None:
    losses: Losses = []
    assert len(updates_of([original], losses=losses)) == sent
    assert [what for what, _ in losses] == [loss]


@pytest.mark.parametrize(
    ("original", "loss", "sent"),
    [
        (event.PlanRemoved("p"), "plan.removed", {"type": "items", "planId": "p", "entries": []}),
        (
            event.PlanChanged("p", option.PlanFile("file:///p")),
            "plan.file",
            {
                "type": "items",
                "planId": "p",
                "entries": [{"content": "file:///p", "priority": "medium", "status": "pending"}],
            },
        ),
    ],
)
def test_plans_of_the_unstable_part_become_lists(original: Event, loss: str, sent: Any) -> None:
    losses: Losses = []
    (update,) = updates_of([original], unstable=False, losses=losses)
    assert json.loads(encode(update))["plan"] == sent
    assert [what for what, _ in losses] == [loss]


@pytest.mark.parametrize("each", [None, 5, "x"])
def test_what_is_no_event_is_refused(each: Any) -> None:
    with pytest.raises(TypeError):
        Outgoing(lambda *_: None).updates_for(each)
    with pytest.raises(TypeError):
        Incoming(lambda *_: None).events_from(each)


# What comes in.


def read(update: dict[str, Any], losses: Losses | None = None) -> list[Event]:
    found = [] if losses is None else losses
    model = decode(v2.SessionUpdate, json.dumps(update).encode())
    return Incoming(lambda *loss: found.append(loss)).events_from(model)


@pytest.mark.parametrize(
    "raw",
    [
        {"sessionUpdate": "_weather", "sun": {"a": [1]}, "_meta": {"b": None}},
        {"sessionUpdate": "future", "x": None},
        {
            "sessionUpdate": "agent_message_chunk",
            "messageId": "m",
            "content": {"type": "_h", "x": 1},
        },
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "t",
            "content": [{"type": "_chart", "x": 1}],
        },
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "t",
            "content": [
                {"type": "diff", "changes": [{"operation": "_chmod", "path": "/x", "mode": 1}]}
            ],
        },
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "t",
            "content": [
                {
                    "type": "diff",
                    "changes": [{"operation": "_link", "path": "/x", "oldPath": "/y"}],
                    "patch": {"format": "_own", "text": "..."},
                }
            ],
            "kind": "_own",
            "status": "future",
        },
        {"sessionUpdate": "plan_update", "plan": {"type": "_graph", "planId": "p", "nodes": []}},
        {
            "sessionUpdate": "config_option_update",
            "configOptions": [
                {"type": "_slider", "configId": "c", "name": "C", "description": "d", "max": 5}
            ],
        },
        {
            "sessionUpdate": "available_commands_update",
            "availableCommands": [
                {"type": "_macro", "name": "m", "description": "M", "steps": [1]},
                {
                    "type": "command",
                    "name": "n",
                    "description": "N",
                    "input": {"type": "_form", "x": 1},
                },
            ],
        },
        {
            "sessionUpdate": "state_update",
            "state": "_paused",
            "background": [{"type": "_j", "x": 1}],
        },
        {"sessionUpdate": "notice", "severity": "_loud", "title": "x"},
        {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "_odd"},
    ],
)
def test_unknown_values_survive_unchanged(raw: dict[str, Any]) -> None:
    """DEC-08, EXT-13"""
    (sent,) = updates_of(read(raw))
    assert json.loads(encode(sent)) == raw


@pytest.mark.parametrize(
    ("members", "content_"),
    [({}, UNSET), ({"content": None}, None), ({"content": []}, ()), ({"content": 5}, UNSET)],
)
def test_a_message_keeps_clears_or_replaces_its_content(members: Any, content_: Any) -> None:
    """V2-MSG-04, DEC-01, DEC-10"""
    update = {"sessionUpdate": "agent_message", "messageId": "m", **members}
    assert read(update) == [MessageChanged("agent", "m", content_)]


@pytest.mark.parametrize(
    ("members", "meta"),
    [
        ({}, UNSET),
        ({"_meta": None}, None),
        ({"_meta": {"a": None}}, {"a": None}),
        ({"_meta": {}}, {}),
    ],
)
def test_metadata_of_an_update_is_a_patch(members: Any, meta: Any) -> None:
    """EXT-14"""
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "t", **members}
    assert read(update) == [ToolCallChanged("t", meta=meta)]


def test_metadata_of_a_chunk_belongs_to_the_chunk() -> None:
    """EXT-15"""
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "m"}
    words = {"type": "text", "text": "x"}
    with_meta = read({**update, "content": words, "_meta": {"a": 1}})
    assert with_meta == [ChunkAdded("agent", Text("x"), "m", {"a": 1})]
    assert read({**update, "content": words, "_meta": None}) == [
        ChunkAdded("agent", Text("x"), "m")
    ]
    state = SessionState.from_events(with_meta)
    assert state.messages["agent:m"].meta is None


def test_output_is_decoded_chunk_by_chunk_and_bad_output_says_nothing() -> None:
    """V2-TRM-04, V2-TRM-05, V2-TRM-06"""
    chunk = {"sessionUpdate": "terminal_output_chunk", "terminalId": "x"}
    events = [*read({**chunk, "data": "8J+Y"}), *read({**chunk, "data": "gA=="})]
    assert [each.data for each in events] == ["😀".encode()[:3], "😀".encode()[3:]]  # type: ignore[union-attr]
    losses: Losses = []
    assert read({**chunk, "data": "%%%"}, losses) == []
    update = {"sessionUpdate": "terminal_update", "terminalId": "x"}
    bad = {**update, "output": {"data": "%%%"}, "command": "ls"}
    assert read(bad, losses) == [event.TerminalChanged("x", command="ls")]
    assert [what for what, _ in losses] == ["terminal.output"] * 2


@pytest.mark.parametrize(
    ("status", "exit"),
    [
        ({}, event.ExitStatus()),
        ({"exitCode": -1073741510}, event.ExitStatus(-1073741510)),
        ({"exitCode": None, "signal": "SIGKILL"}, event.ExitStatus(None, "SIGKILL")),
        (None, None),
        (5, UNSET),
    ],
)
def test_any_exit_status_says_that_the_command_has_ended(status: Any, exit: Any) -> None:
    """V2-TRM-08"""
    update = {"sessionUpdate": "terminal_update", "terminalId": "x", "exitStatus": status}
    assert read(update) == [event.TerminalChanged("x", exit=exit)]


@pytest.mark.parametrize(
    ("members", "cost"),
    [
        ({}, UNSET),
        ({"cost": None}, None),
        ({"cost": {"amount": 1, "currency": "USD"}}, event.Cost(1, "USD")),
        ({"cost": {"amount": "x"}}, UNSET),
    ],
)
def test_the_cost_is_kept_cleared_or_replaced(members: Any, cost: Any) -> None:
    """V2-USE-01, DEC-13"""
    big = 2**63 - 1
    update = {"sessionUpdate": "usage_update", "used": big, "size": 5, **members}
    assert read(update) == [event.UsageChanged(big, 5, cost)]


@settings(max_examples=100, deadline=None)
@given(st.lists(strategies.terminal_outputs, max_size=5))
def test_output_arrives_byte_for_byte(events: list[Event]) -> None:
    assert trip(events) == events
