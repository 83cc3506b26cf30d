"""The same session through v1-v1, v2-v2, v1-bridge-v2 and v2-bridge-v1 ends in the same state.

What the two versions cannot both say is not left to chance: a difference is allowed only where a
loss was reported, and only of the kind that the loss names.
"""

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.session import content, event, option
from tests.interaction.chains import Seen, play
from tests.session import strategies as some

SESSIONS = 210

_blocks = st.one_of(
    some.plain_texts,
    st.builds(content.Image, some.base64s, st.just("image/png")),
    st.builds(content.Link, some.uris, some.words),
    st.builds(content.Resource, some.uris, some.texts),
)
_items = st.one_of(
    st.builds(content.ContentItem, _blocks),
    st.builds(
        lambda path, old, new: content.DiffItem(
            (content.FileChange("modify", path, old_text=old, new_text=old + new),)
        ),
        some.paths,
        some.words,
        some.words,
    ),
)
_entries = st.builds(
    option.PlanEntry,
    some.words,
    st.sampled_from(["high", "medium", "low"]),
    st.sampled_from(["pending", "in_progress", "completed"]),
)
_choices = st.lists(some.words, min_size=1, max_size=3, unique=True)
_selects = st.builds(
    lambda id, values, category: option.Select(
        id, id, values[0], tuple(option.Choice(value, value) for value in values), None, category
    ),
    st.sampled_from(["o1", "o2"]),
    _choices,
    st.sampled_from([None, "mode", "thought_level"]),
)

common_events: st.SearchStrategy[event.Event] = st.one_of(
    st.builds(
        lambda speaker, block, id: event.ChunkAdded(speaker, block, f"{speaker}-{id}"),
        st.sampled_from(["agent", "thought"]),
        _blocks,
        some.message_ids,
    ),
    st.builds(
        event.ToolCallChanged,
        some.tool_call_ids,
        title=some.words,
        kind=st.sampled_from(["read", "edit", "execute", "other"]),
        status=st.sampled_from(["pending", "in_progress", "completed", "failed"]),
        content=st.lists(_items, max_size=2).map(tuple),
        locations=st.lists(
            st.builds(content.Location, some.paths, st.integers(1, 9999)), max_size=2
        ).map(tuple),
        raw_input=some.json_objects,
    ),
    st.builds(event.ToolContentAdded, some.tool_call_ids, _items),
    st.builds(
        event.PlanChanged,
        st.just("main"),
        st.builds(option.PlanItems, st.lists(_entries, max_size=3).map(tuple)),
    ),
    st.builds(
        event.CommandsChanged,
        st.lists(
            st.builds(option.Command, st.sampled_from(["init", "review"]), some.words),
            max_size=2,
            unique_by=lambda command: command.name,
        ).map(tuple),
    ),
    st.builds(
        event.OptionsChanged,
        st.lists(_selects, max_size=2, unique_by=lambda each: each.id).map(tuple),
    ),
    st.builds(event.InfoChanged, some.words),
    st.builds(event.UsageChanged, some.tokens, some.tokens),
)
"""Events that both versions can say in full."""


def _in_order(events: list[event.Event]) -> list[event.Event]:
    """The events of an agent that reports a tool call before it adds to it."""
    begun: set[str] = set()
    ordered: list[event.Event] = []
    for each in events:
        if isinstance(each, event.ToolCallChanged):
            begun.add(each.id)
        if not isinstance(each, event.ToolContentAdded) or each.id in begun:
            ordered.append(each)
    return ordered


def _chains(events: list[event.Event]) -> dict[str, Seen]:
    async def all_four() -> dict[str, Seen]:
        return {
            f"{client}-{agent}": await play(client, agent, events)
            for client in (1, 2)
            for agent in (1, 2)
        }

    return asyncio.run(all_four())


def _comparable(snapshot: dict[str, Any]) -> dict[str, Any]:
    """The state without what no version promises: ids of messages that came without, patches."""
    comparable = dict(snapshot)
    comparable["transcript"] = [_comparable_item(item) for item in snapshot["transcript"]]
    return comparable


def _comparable_item(item: dict[str, Any]) -> dict[str, Any]:
    if item["item"] == "message":
        return item | {"id": "any"}
    if "locations" not in item:
        return item
    return item | {"content": [_comparable_content(each) for each in item["content"]]}


def _comparable_content(item: dict[str, Any]) -> dict[str, Any]:
    """A diff is compared by what it changes: one version has texts, the other a patch."""
    if item.get("type") != "diff":
        return item
    return {"type": "diff", "paths": sorted(each["path"] for each in item["changes"])}


@pytest.mark.timeout(240)
@settings(max_examples=SESSIONS, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(common_events, max_size=12).map(_in_order))
def test_what_both_versions_can_say_is_the_same_through_all_four_chains(
    events: list[event.Event],
) -> None:
    seen = _chains(events)
    states = {name: _comparable(each.snapshot) for name, each in seen.items()}
    assert states["1-1"] == states["2-2"]
    assert states["1-2"] == states["2-2"]
    assert states["2-1"] == states["2-2"]
    unexpected = {loss.what for each in seen.values() for loss in each.losses} - {"diff"}
    assert unexpected == set()


_anything = st.one_of(
    strategy
    for kind, strategy in some.EVENTS.items()
    # A state is the wire's own to report, sub-agents are unstable, and a message of the user is
    # the prompt here.
    if kind
    not in (
        event.StateChanged,
        event.SubagentChanged,
        event.SessionMessageChanged,
        event.SessionMessageChunkAdded,
    )
).filter(lambda each: getattr(each, "speaker", None) != "user")


@pytest.mark.timeout(240)
@settings(max_examples=SESSIONS // 2, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(_anything, min_size=1, max_size=3))
def test_a_difference_between_the_chains_comes_with_a_loss_that_was_reported(
    events: list[event.Event],
) -> None:
    seen = _chains(events)
    intended = _comparable(seen["2-2"].snapshot)
    for name, each in seen.items():
        if _comparable(each.snapshot) != intended:
            assert each.losses or seen["2-2"].losses, f"{name} differs and nothing was reported"
