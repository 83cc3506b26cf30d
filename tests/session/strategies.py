"""Realistic session events for property tests: every kind, every mix of omitted, null and value.

Ids come from small pools, so that events of one list meet the same things again and again.
"""

import base64
from typing import Any

from hypothesis import strategies as st
from msgspec import UNSET

from parley.session import content, event, option

words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12
)
texts = st.one_of(words, st.text(st.characters(codec="utf-8", exclude_categories=["Cs"])))
paths = words.map(lambda name: "/project/" + name.replace("/", "_"))
uris = paths.map(lambda path: "file://" + path)
base64s = st.binary(max_size=12).map(lambda data: base64.b64encode(data).decode())
times = st.datetimes(allow_imaginary=False).map(lambda time: time.isoformat() + "Z")
tokens = st.integers(0, 2**63 - 1)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)
json_objects = st.dictionaries(words, json_values, max_size=2)

META_KEYS = ("traceparent", "example.com/a", "b")
# As a patch: a key that is null removes that key.
meta_patches: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(META_KEYS), json_values, max_size=3
)
metas = st.none() | meta_patches

message_ids = st.sampled_from(["m1", "m2", "m3"])
tool_call_ids = st.sampled_from(["t1", "t2", "t3"])
terminal_ids = st.sampled_from(["term1", "term2", "t1"])
plan_ids = st.sampled_from(["main", "second", "third"])
compaction_ids = st.sampled_from(["c1", "c2"])
session_ids = st.sampled_from(["child1", "child2"])
speakers: st.SearchStrategy[event.Speaker] = st.sampled_from(["user", "agent", "thought"])


def optional(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A value or nothing."""
    return st.none() | values


def omitted(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A value or an omitted field."""
    return st.just(UNSET) | values


def three_state(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An omitted field, null, or a value."""
    return st.sampled_from([UNSET, None]) | values


def tuples_of(values: st.SearchStrategy[Any], max_size: int = 3) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=max_size).map(tuple)


# Content.

annotations = st.builds(
    content.Annotations,
    audience=optional(tuples_of(st.sampled_from(["user", "assistant"]))),
    last_modified=optional(times),
    priority=optional(st.floats(0, 1)),
    meta=metas,
)
plain_texts = st.builds(content.Text, texts)
_marks = {"annotations": optional(annotations), "meta": metas}
_icons = st.builds(content.Icon, uris, mime_type=st.just("image/png"), meta=metas)
_resource_body = st.one_of(
    st.fixed_dictionaries({"text": texts}), st.fixed_dictionaries({"blob": base64s})
)
resources = st.builds(
    lambda uri, body, marks: content.Resource(uri=uri, **body, **marks),
    uris,
    _resource_body,
    st.fixed_dictionaries({"contents_meta": metas, **_marks}),
)
other_blocks = st.builds(content.OtherBlock, st.just("_hologram"), json_objects)
blocks: st.SearchStrategy[content.Block] = st.one_of(
    plain_texts,
    st.builds(content.Text, texts, **_marks),
    st.builds(content.Image, base64s, st.just("image/png"), uri=optional(uris), **_marks),
    st.builds(content.Audio, base64s, st.just("audio/wav"), **_marks),
    st.builds(
        content.Link,
        uris,
        words,
        title=optional(words),
        size=optional(tokens),
        icons=optional(tuples_of(_icons, 1)),
        **_marks,
    ),
    resources,
    other_blocks,
)

locations = st.builds(content.Location, paths, optional(st.integers(1, 9999)), metas)
file_changes = st.builds(
    content.FileChange,
    st.sampled_from(["add", "delete", "modify", "move", "copy", "_chmod"]),
    paths,
    old_path=optional(paths),
    old_text=optional(texts),
    new_text=optional(texts),
    meta=metas,
)
tool_items: st.SearchStrategy[content.ToolItem] = st.one_of(
    st.builds(content.ContentItem, blocks, metas),
    st.builds(
        content.DiffItem,
        tuples_of(file_changes),
        optional(st.builds(content.Patch, texts, meta=metas)),
        metas,
    ),
    st.builds(content.TerminalItem, terminal_ids, metas),
    st.builds(content.OtherItem, st.just("_chart"), json_objects),
)

# Options, commands, plans.

choices = st.builds(option.Choice, words, words, optional(words), metas)
_groups = st.builds(option.ChoiceGroup, words, words, tuples_of(choices), metas)
selects = st.builds(
    option.Select,
    words,
    words,
    words,
    tuples_of(choices | _groups),
    category=st.sampled_from([None, "mode", "model", "thought_level", "_own"]),
    meta=metas,
)
options: st.SearchStrategy[option.Option] = st.one_of(
    selects,
    st.builds(option.Toggle, words, words, st.booleans(), meta=metas),
    st.builds(option.OtherOption, words, words, st.just("_slider"), json_objects),
)
commands = st.builds(
    option.Command, words, words, hint=optional(words), raw=optional(json_objects), meta=metas
)
_entries = st.builds(
    option.PlanEntry,
    words,
    st.sampled_from(["high", "medium", "low"]),
    st.sampled_from(["pending", "in_progress", "completed", "cancelled"]),
    metas,
)
plans: st.SearchStrategy[option.Plan] = st.one_of(
    st.builds(option.PlanItems, tuples_of(_entries), metas),
    st.builds(option.PlanMarkdown, texts, metas),
    st.builds(option.PlanFile, uris, metas),
    st.builds(option.OtherPlan, st.just("_graph"), json_objects),
)

# Events that have a place in the transcript.

chunks = st.builds(event.ChunkAdded, speakers, blocks, optional(message_ids), metas)
unnamed_text_chunks = st.builds(event.ChunkAdded, speakers, plain_texts)
message_changes = st.builds(
    event.MessageChanged,
    speakers,
    message_ids,
    content=three_state(tuples_of(blocks)),
    meta=three_state(meta_patches),
)
tool_call_changes = st.builds(
    event.ToolCallChanged,
    tool_call_ids,
    title=three_state(words),
    name=three_state(words),
    kind=three_state(st.sampled_from(["read", "edit", "execute", "_own"])),
    status=three_state(
        st.sampled_from(["pending", "in_progress", "paused", "completed", "failed", "cancelled"])
        | st.just("_waiting")
    ),
    content=three_state(tuples_of(tool_items)),
    locations=three_state(tuples_of(locations)),
    raw_input=three_state(json_values),
    raw_output=three_state(json_values),
    cancellable=omitted(st.booleans()),
    meta=three_state(meta_patches),
)
tool_contents = st.builds(event.ToolContentAdded, tool_call_ids, tool_items, metas)
compaction_changes = st.builds(
    event.CompactionChanged,
    compaction_ids,
    st.sampled_from(["in_progress", "completed", "failed", "cancelled"]),
    summary=three_state(tuples_of(blocks)),
    error=three_state(words),
    meta=three_state(meta_patches),
)
compaction_chunks = st.builds(event.CompactionSummaryAdded, compaction_ids, blocks, metas)
session_message_changes = st.builds(
    event.SessionMessageChanged,
    message_ids,
    three_state(session_ids),
    three_state(session_ids),
    three_state(message_ids),
    three_state(message_ids),
    three_state(tuples_of(blocks)),
    three_state(meta_patches),
)
session_message_chunks = st.builds(event.SessionMessageChunkAdded, message_ids, blocks, metas)

# The state of the session, which also separates turns.

_failures = st.builds(event.Failure, st.integers(-32999, -32000), words, json_values)
_turn_usages = st.builds(
    event.TurnUsage, tokens, tokens, tokens, optional(tokens), optional(tokens), meta=metas
)
_background = st.builds(
    event.BackgroundWork,
    st.sampled_from(["terminal", "tool_call", "subagent", "_job"]),
    words,
    optional(json_objects),
    metas,
)
state_changes = st.builds(
    event.StateChanged,
    st.sampled_from(["running", "idle", "requires_action", "unknown", "_paused"]),
    st.sampled_from([None, "end_turn", "max_tokens", "refusal", "cancelled", "error", "_own"]),
    optional(_failures),
    optional(_turn_usages),
    optional(tuples_of(_background)),
    metas,
)

# Events that have no place in the transcript and so leave it alone.

terminal_changes = st.builds(
    event.TerminalChanged,
    terminal_ids,
    command=three_state(words),
    cwd=three_state(paths),
    output=three_state(st.binary(max_size=20)),
    exit=three_state(
        st.builds(
            event.ExitStatus,
            optional(st.integers(-(2**31), 2**31)),
            optional(st.just("SIGKILL")),
            metas,
        )
    ),
    size=three_state(
        st.builds(event.TerminalSize, st.integers(1, 500), st.integers(1, 200), metas)
    ),
    cancellable=omitted(st.booleans()),
    meta=three_state(meta_patches),
)
terminal_outputs = st.builds(event.TerminalOutputAdded, terminal_ids, st.binary(max_size=20), metas)
plan_changes = st.builds(event.PlanChanged, plan_ids, plans, metas)
plan_removals = st.builds(event.PlanRemoved, plan_ids, metas)
command_changes = st.builds(event.CommandsChanged, tuples_of(commands), metas)
option_changes = st.builds(event.OptionsChanged, tuples_of(options), metas)
info_changes = st.builds(
    event.InfoChanged, three_state(words), three_state(times), three_state(meta_patches)
)
_costs = st.builds(event.Cost, st.floats(0, 1e6), st.sampled_from(["USD", "EUR"]), metas)
usage_changes = st.builds(event.UsageChanged, tokens, tokens, three_state(_costs), metas)
notices = st.builds(
    event.NoticeGiven,
    words,
    st.sampled_from(["info", "warning", "error"]),
    optional(words),
    metas,
)
subagent_changes = st.builds(
    event.SubagentChanged,
    session_ids,
    title=three_state(words),
    description=three_state(words),
    state=three_state(state_changes),
    cwd=three_state(paths),
    additional_directories=three_state(tuples_of(paths)),
    cancellable=omitted(st.booleans()),
    meta=three_state(meta_patches),
)
others = st.builds(event.OtherHappened, st.just("_weather"), json_objects)

EVENTS: dict[type, st.SearchStrategy[event.Event]] = {
    event.ChunkAdded: chunks,
    event.MessageChanged: message_changes,
    event.ToolCallChanged: tool_call_changes,
    event.ToolContentAdded: tool_contents,
    event.TerminalChanged: terminal_changes,
    event.TerminalOutputAdded: terminal_outputs,
    event.PlanChanged: plan_changes,
    event.PlanRemoved: plan_removals,
    event.CommandsChanged: command_changes,
    event.OptionsChanged: option_changes,
    event.InfoChanged: info_changes,
    event.UsageChanged: usage_changes,
    event.StateChanged: state_changes,
    event.NoticeGiven: notices,
    event.CompactionChanged: compaction_changes,
    event.CompactionSummaryAdded: compaction_chunks,
    event.SubagentChanged: subagent_changes,
    event.SessionMessageChanged: session_message_changes,
    event.SessionMessageChunkAdded: session_message_chunks,
    event.OtherHappened: others,
}
"""One strategy for each kind of event."""

transcript_events: st.SearchStrategy[event.Event] = st.one_of(
    chunks,
    unnamed_text_chunks,
    message_changes,
    tool_call_changes,
    tool_contents,
    state_changes,
    compaction_changes,
    compaction_chunks,
    session_message_changes,
    session_message_chunks,
)
"""What makes the transcript, and the state that separates its turns."""

side_events: st.SearchStrategy[event.Event] = st.one_of(
    terminal_changes,
    terminal_outputs,
    plan_changes,
    plan_removals,
    command_changes,
    option_changes,
    info_changes,
    usage_changes,
    notices,
    subagent_changes,
    others,
)
"""What has no place in the transcript."""

events: st.SearchStrategy[event.Event] = transcript_events | side_events
event_lists = st.lists(events, max_size=25)
