"""Absent values, three states, and what is kept as it came."""

from typing import Any

import pytest
from msgspec import UNSET

from parley.protocol.v2.loss import given, mapped, members_of, told
from parley.schema import v2
from parley.schema.base import Extra


@pytest.mark.parametrize("value", ["", 0, False, {}, []])
def test_a_value_is_a_value_however_empty(value: Any) -> None:
    assert given(value) is value
    assert told(value) is value


def test_nothing_is_omitted_and_null_is_nothing() -> None:
    """DEC-14"""
    assert given(None) is UNSET
    assert told(UNSET) is None
    assert told(None) is None


@pytest.mark.parametrize(("value", "expected"), [(UNSET, UNSET), (None, None), (0, "0"), (1, "1")])
def test_a_conversion_leaves_the_three_states_apart(value: Any, expected: Any) -> None:
    """DEC-10"""
    assert mapped(value, str) == expected


def test_all_members_of_a_model_are_kept() -> None:
    """DEC-06, DEC-08"""
    block = v2.OtherContentBlock.of({"type": "_x", "a": {"b": [None]}})
    assert members_of(block) == {"type": "_x", "a": {"b": [None]}}
    text = v2.TextContent(text="x", extra=Extra({"future": 1}))
    assert members_of(text) == {"type": "text", "text": "x", "future": 1}
