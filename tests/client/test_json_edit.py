"""A member is added to a JSON text, and every other character stays."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.client.json_edit import MOST_DEPTH, NotClear, with_entry

VALUE = {"command": "parley", "args": ["acp"]}


def added(text: str, value: Any = 1) -> str | None:
    return with_entry(text, "agents", "Parley", value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "agents": {\n    "Parley": 1\n  }\n}\n'),
        ("// mine\n", '// mine\n{\n  "agents": {\n    "Parley": 1\n  }\n}\n'),
        ("{}", '{\n  "agents": {\n    "Parley": 1\n  }\n}'),
        ('{ "a": 1 }\n', '{ "a": 1,\n  "agents": {\n    "Parley": 1\n  }\n}\n'),
        (
            '{\n    "a": 1 // one\n}\n',
            '{\n    "a": 1, // one\n    "agents": {\n        "Parley": 1\n    }\n}\n',
        ),
        (
            '{\n\t"a": [1, 2,],\n\t/* last */\n}\n',
            '{\n\t"a": [1, 2,],\n\t/* last */\n\t"agents": {\n\t\t"Parley": 1\n\t},\n}\n',
        ),
        (
            '{\n  "agents": {\n    "Other": {"b": "}"}, // }\n  },\n  "c": 0\n}',
            '{\n  "agents": {\n    "Other": {"b": "}"}, // }\n    "Parley": 1,\n  },\n  "c": 0\n}',
        ),
        (
            '{\r\n  "agents": {}\r\n}\r\n',
            '{\r\n  "agents": {\r\n    "Parley": 1\r\n  }\r\n}\r\n',
        ),
        ('\ufeff{"agents":{}}', '\ufeff{"agents":{\n  "Parley": 1\n}}'),
    ],
)
def test_the_rest_of_the_text_stays_as_it_is(before: str, after: str) -> None:
    assert added(before) == after


def test_what_is_there_already_is_left_alone() -> None:
    text = added("{ /* a */ }", VALUE)
    assert text is not None
    assert added(text, VALUE) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"agents": {"Parley": 2}}', "`agents` has another `Parley` already"),
        ('{"agents": {}, "agents": {}}', "it has `agents` more than once"),
        ('{"agents": {"Parley": 1, "Parley": 2}}', "it has `Parley` more than once"),
        ('{"agents": []}', "`agents` is no object"),
        ("[]", "its outermost value is no object"),
        ("{", "line 1 is not JSON"),
        ('{\n"a" 1}', "line 2 is not JSON"),
        ('{"a": 1 "b": 2}', "line 1 is not JSON"),
        ("{1: 2}", "line 1 is not JSON"),
        ('{"a": [1 2]}', "line 1 is not JSON"),
        ('{"a": yes}', "line 1 is not JSON"),
        ("{\"a\": 'b'}", "line 1 is not JSON"),
        ("{} {}", "line 1 is not JSON"),
        ("{} /* open", "line 1 is not JSON"),
        ('{"a": NaN}', "line 1 is not JSON"),
        ('{"a": ' + "[" * (MOST_DEPTH + 1), "it is nested too deeply"),
    ],
)
def test_whatever_is_not_clear_is_refused(text: str, problem: str) -> None:
    with pytest.raises(NotClear) as raised:
        added(text)
    assert str(raised.value) == problem


NAMES = st.sampled_from(["a", "b", "agents", "//", "{", "Parley"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(NAMES, VALUES, max_size=4), st.sampled_from([None, 1, 2, 4, "\t"]))
def test_the_new_text_says_what_the_old_one_said_and_the_entry(
    before: dict[str, Any], indent: int | str | None
) -> None:
    text = json.dumps(before, indent=indent, ensure_ascii=False)
    agents = before.get("agents", {})
    try:
        made = added(text, VALUE)
    except NotClear:
        assert not isinstance(agents, dict) or "Parley" in agents
    else:
        assert made is not None
        assert json.loads(made) == {**before, "agents": {**agents, "Parley": VALUE}}


@given(st.text('{}[]:,"a1/* \n\\', max_size=30))
def test_any_text_is_changed_well_or_refused(text: str) -> None:
    try:
        made = added(text, VALUE)
    except NotClear:
        return
    # Nothing of the old text is lost: what was added stands in between.
    rest = iter(made or text)
    assert all(letter in rest for letter in text.rstrip())
