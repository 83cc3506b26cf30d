"""The three states of a field, and the rule for `meta`."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from parley.session.patch import given as given_field
from parley.session.patch import patched, patched_meta
from tests.session.strategies import META_KEYS, json_values, meta_patches, three_state


@pytest.mark.parametrize(
    ("new", "after"),
    [(UNSET, "old"), (None, "empty"), ("new", "new"), ("", "")],
)
def test_omitted_keeps_null_resets_and_a_value_replaces(new: Any, after: str) -> None:
    assert patched("old", new, "empty") == after


def test_false_is_a_value_and_not_null() -> None:
    assert patched(True, False, True) is False


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ({"a": 1}, UNSET, {"a": 1}),
        ({"a": 1}, None, None),
        ({"a": 1}, {}, {"a": 1}),
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
        ({"a": 1}, {"a": None}, None),
        ({"a": {"x": 1, "y": 2}}, {"a": {"x": 3}}, {"a": {"x": 3}}),
        ({"a": {"x": 1}}, {"a": {"x": None}}, {"a": {"x": None}}),
        ({"a": 1}, {"a": False, "b": 0}, {"a": False, "b": 0}),
        (None, UNSET, None),
        (None, None, None),
        (None, {}, None),
        (None, {"a": 1}, {"a": 1}),
        (None, {"a": None}, None),
    ],
)
def test_ext_14_meta_is_patched_by_top_level_key(old: Any, new: Any, after: Any) -> None:
    assert patched_meta(old, new) == after


@given(meta_patches, st.lists(three_state(meta_patches)))
def test_patching_meta_changes_no_object_that_came_in(first: Any, rest: list[Any]) -> None:
    before = deepcopy([first, *rest])
    stored = patched_meta(None, first)
    for each in rest:
        stored = patched_meta(stored, each)
    assert [first, *rest] == before


@given(st.lists(meta_patches))
def test_each_key_of_meta_has_the_value_it_was_given_last(patches: list[dict[str, Any]]) -> None:
    stored = None
    for each in patches:
        stored = patched_meta(stored, each)
    last = {
        key: next((each[key] for each in reversed(patches) if key in each), None)
        for key in META_KEYS
    }
    assert (stored or {}) == {key: value for key, value in last.items() if value is not None}


@given(json_values)
def test_the_field_that_is_given_sets_the_value_on_something_new(value: Any) -> None:
    assert patched(None, given_field(value), None) == value
