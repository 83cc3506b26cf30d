"""Variables, expectations and pointers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.conformance.scenario_values import (
    ABSENT,
    ANY,
    UnknownVariable,
    difference,
    escaped,
    filled,
    pointed_at,
    shown,
    variables_in,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-100, 100) | st.text("${}ab", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("${a}", 1),
        ("x${a}${b}", 'x1{"k":2}'),
        ("$${a}", "${a}"),
        ("$a {a}", "$a {a}"),
        (["${b}", {"c": "${a}"}, None, 1.5], [{"k": 2}, {"c": 1}, None, 1.5]),
        ("${any}", ANY),
        ("${absent}", ABSENT),
        ("${t}!", "text!"),
    ],
)
def test_variables_are_replaced_and_keep_their_type_where_they_stand_alone(
    value: Any, expected: Any
) -> None:
    assert filled(value, {"a": 1, "b": {"k": 2}, "t": "text"}) == expected


def test_a_variable_without_a_value_is_an_error() -> None:
    with pytest.raises(UnknownVariable):
        filled({"x": ["${nobody}"]}, {})


def test_the_variables_of_a_value_are_found_at_any_depth() -> None:
    assert variables_in({"a": ["${x}", "y ${y}", "$${z}", 1, None]}) == {"x", "y"}


@given(JSON)
def test_what_is_escaped_comes_back_as_it_was(value: Any) -> None:
    assert filled(escaped(value), {}) == value


@given(JSON)
def test_every_value_is_what_it_is_expected_to_be(value: Any) -> None:
    assert difference(value, value) is None
    assert difference(ANY, value) is None


@pytest.mark.parametrize(
    ("expected", "actual", "found"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, None),
        ({"a": ABSENT}, {"b": 2}, None),
        ({"a": ABSENT}, {"a": None}, "`/a` is there: null"),
        ({"a": ANY}, {"a": None}, None),
        ({"a": ANY}, {}, '`/a` is missing, not "${any}"'),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "`/a/b` is 2, not 1"),
        ({"a": {}}, {"a": []}, "`/a` is [], not an object"),
        ([1, 2], [1], "it has 1 items, not 2"),
        ([1, {"a": 2}], [1, {"a": 3}], "`/1/a` is 3, not 2"),
        ([1], {}, "it is {}, not an array"),
        (1, True, "it is true, not 1"),
        (False, 0, "it is 0, not false"),
        ("a", None, 'it is null, not "a"'),
    ],
)
def test_the_first_difference_is_named_with_its_place(
    expected: Any, actual: Any, found: str | None
) -> None:
    assert difference(expected, actual) == found


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [("", {"a": [{"b/c": 1, "d~e": 2}]}), ("/a/0/b~1c", 1), ("/a/0/d~0e", 2)],
)
def test_a_pointer_finds_its_value(pointer: str, expected: Any) -> None:
    assert pointed_at({"a": [{"b/c": 1, "d~e": 2}]}, pointer) == expected


@pytest.mark.parametrize("pointer", ["/b", "/a/1", "/a/x", "/a/0/b~1c/deeper"])
def test_a_pointer_to_nothing_is_an_error(pointer: str) -> None:
    with pytest.raises(LookupError):
        pointed_at({"a": [{"b/c": 1}]}, pointer)


def test_a_long_value_is_cut() -> None:
    assert shown("x" * 300, limit=5) == '"xxxx… (302 characters)'
    assert shown({"absent": ABSENT}) == '{"absent":"${absent}"}'
