"""Tool calls and terminals: fields keep their three states."""

from typing import Any

import pytest
from hypothesis import given, settings
from msgspec import UNSET

from parley.protocol.v2.tool_call import (
    terminal_from,
    terminal_output_chunk,
    terminal_output_from,
    terminal_update,
    tool_call_from,
    tool_call_model,
    tool_call_update,
    tool_content_chunk,
    tool_content_from,
)
from parley.schema import v2
from parley.schema.codec import decode, encode
from parley.session.content import ContentItem, Text
from parley.session.event import (
    Event,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolContentAdded,
)
from tests.session import strategies


def no_loss(what: str, detail: str) -> None:
    pytest.fail(what)


@settings(max_examples=60, deadline=None)
@given(strategies.terminal_changes)
def test_every_change_of_a_terminal_comes_back(event: Event) -> None:
    assert isinstance(event, TerminalChanged)
    update = decode(v2.SessionUpdate, encode(terminal_update(event, no_loss)))
    assert isinstance(update, v2.TerminalUpdate)
    assert terminal_from(update, no_loss) == event


@pytest.mark.parametrize("data", [b"", b"\x00\xff", "ä".encode()])
def test_output_is_bytes(data: bytes) -> None:
    event = TerminalOutputAdded("t", data, {"m": 1})
    assert terminal_output_from(terminal_output_chunk(event), no_loss) == event


def test_a_tool_call_says_the_same_in_an_update_and_in_a_question() -> None:
    event = ToolCallChanged("t", title=None, status="_odd", cancellable=True, raw_input=None)
    update, model = tool_call_update(event, no_loss), tool_call_model(event, no_loss)
    assert tool_call_from(update) == tool_call_from(model) == event
    assert b"sessionUpdate" in encode(update)
    assert b"sessionUpdate" not in encode(model)


@pytest.mark.parametrize(
    ("members", "cancellable"),
    [
        ({}, UNSET),
        ({"capabilities": None}, False),
        ({"capabilities": {}}, False),
        ({"capabilities": {"cancel": None}}, False),
        ({"capabilities": {"cancel": {}}}, True),
    ],
)
def test_controls_are_unchanged_none_or_replaced(members: Any, cancellable: Any) -> None:
    """V2-TCX-05"""
    tool = decode(v2.ToolCallUpdate, encode({"toolCallId": "t", **members}))
    assert tool_call_from(tool).cancellable is cancellable
    shell = decode(v2.TerminalUpdate, encode({"terminalId": "t", **members}))
    assert terminal_from(shell, no_loss).cancellable is cancellable


def test_one_more_item_comes_back() -> None:
    """V2-TC-04"""
    event = ToolContentAdded("t", ContentItem(Text("x")), {"m": 1})
    assert tool_content_from(tool_content_chunk(event, no_loss)) == event
