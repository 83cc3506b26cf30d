"""Schemas of tools as Gemini takes them, each judged by the fake as well."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.providers.gemini_schema import gemini_schema
from tests.coder.providers.fakes.gemini import judge_schema


def member(schema: dict[str, Any], **definitions: Any) -> Any:
    """What becomes of one member of a tool's arguments."""
    cleaned = gemini_schema({"properties": {"x": schema}, "$defs": definitions})
    assert cleaned is not None
    judge_schema(cleaned)
    return cleaned["properties"]["x"]


def test_a_tool_without_arguments_has_no_schema() -> None:
    assert gemini_schema({"type": "object", "properties": {}}) is None
    assert gemini_schema({}) is None


def test_what_gemini_knows_is_kept_and_the_rest_is_left_out() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "path": {"type": "string", "description": "A path.", "minLength": 1, "default": ""},
            "lines": {"type": "array", "items": {"type": "integer", "exclusiveMinimum": 0}},
        },
        "required": ["path", "gone", "path"],
    }
    cleaned = gemini_schema(schema)
    assert cleaned == {
        "type": "OBJECT",
        "properties": {
            "path": {"type": "STRING", "description": "A path.", "minLength": 1},
            "lines": {"type": "ARRAY", "items": {"type": "INTEGER"}},
        },
        "required": ["path"],
    }
    judge_schema(cleaned)


@pytest.mark.parametrize(
    ("schema", "cleaned"),
    [
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        ({"type": ["null"]}, {"type": "STRING", "nullable": True}),
        ({}, {"type": "STRING"}),
        (True, {"type": "STRING"}),
        ({"items": {"type": "number"}}, {"type": "ARRAY", "items": {"type": "NUMBER"}}),
        ({"type": "array"}, {"type": "ARRAY", "items": {"type": "STRING"}}),
        ({"type": "object"}, {"type": "OBJECT"}),
        (
            {"properties": {"y": {"type": "boolean"}}},
            {"type": "OBJECT", "properties": {"y": {"type": "BOOLEAN"}}},
        ),
        ({"const": "a"}, {"type": "STRING", "enum": ["a"]}),
        ({"type": "string", "enum": ["a", "", 3]}, {"type": "STRING", "enum": ["a"]}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "INTEGER"}),
        ({"type": "string", "format": "uri"}, {"type": "STRING"}),
        ({"type": "integer", "format": "int64"}, {"type": "INTEGER", "format": "int64"}),
    ],
)
def test_each_form_has_its_translation(schema: dict[str, Any], cleaned: dict[str, Any]) -> None:
    assert member(schema) == cleaned


def test_variants_stay_unless_only_null_stands_beside_one() -> None:
    text, number, null = {"type": "string"}, {"type": "number"}, {"type": "null"}
    both = [{"type": "STRING"}, {"type": "NUMBER"}]
    assert member({"anyOf": [text, number], "title": "T"}) == {"title": "T", "anyOf": both}
    assert member({"oneOf": [text, number, null]}) == {"nullable": True, "anyOf": both}
    assert member({"anyOf": [text, null], "description": "d"}) == {
        "type": "STRING",
        "nullable": True,
        "description": "d",
    }
    assert member({"anyOf": [null]}) == {"type": "STRING", "nullable": True}


def test_variants_beside_properties_are_left_out() -> None:
    schema = {"properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}]}
    assert gemini_schema(schema) == {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}


def test_references_are_replaced_by_what_they_mean() -> None:
    point = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    cleaned = {"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}, "required": ["n"]}
    assert member({"$ref": "#/$defs/Point"}, Point=point) == cleaned
    described = member({"$ref": "#/$defs/Point", "description": "where"}, Point=point)
    assert described == {**cleaned, "description": "where"}
    assert member({"allOf": [{"$ref": "#/$defs/Point"}]}, Point=point) == cleaned
    assert member({"$ref": "#/elsewhere"}) == {"type": "STRING"}


def test_a_schema_that_refers_to_itself_comes_to_an_end() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    assert member({"$ref": "#/$defs/Node"}, Node=node)["type"] == "OBJECT"
    assert member({"$ref": "#/$defs/Loop"}, Loop={"$ref": "#/$defs/Loop"}) == {"type": "STRING"}
    variants = {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/V"}, {"type": "string"}]}
    assert member({"$ref": "#/$defs/V"}, V=variants)["nullable"] is True
    rows = {"type": "array", "items": {"$ref": "#/$defs/R"}}
    assert member({"$ref": "#/$defs/R"}, R=rows)["type"] == "ARRAY"


KINDS = st.sampled_from(["string", "integer", "number", "boolean", "null", "invented"])
SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": KINDS | st.lists(KINDS, max_size=3),
            "enum": st.lists(st.text(max_size=3) | st.integers(), max_size=3),
            "format": st.sampled_from(["date-time", "int32", "uri"]),
            "x-other": st.booleans(),
        },
    ),
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array")}, optional={"items": inner})
        | st.fixed_dictionaries(
            {"properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3)},
            optional={"required": st.lists(st.sampled_from("abcd")), "allOf": st.lists(inner)},
        )
        | st.fixed_dictionaries({"anyOf": st.lists(inner, max_size=3)})
    ),
    max_leaves=8,
)


@given(SCHEMAS)
def test_whatever_the_schema_gemini_takes_it(schema: dict[str, Any]) -> None:
    assert member(schema) is not None
