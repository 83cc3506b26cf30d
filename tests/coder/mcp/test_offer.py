"""What a server lists, as it is offered to models."""

from typing import Any

import pytest

from parley.coder.mcp.offer import (
    LARGEST_SCHEMA,
    LONGEST_DESCRIPTION,
    MOST_TOOLS,
    Listed,
    offers,
)


def test_a_tool_is_offered_with_its_words_and_where_they_come_from() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    (offer,), left_out = offers("docs", [Listed("find it", " Finds. ", schema)])
    assert offer.tool == "find it"
    assert (offer.spec.name, offer.spec.schema) == ("docs__find_it", schema)
    assert offer.spec.description.startswith("Finds.\n(A tool of the MCP server `docs`.")
    assert left_out == ()


def test_a_schema_that_says_nothing_becomes_one_that_apis_take() -> None:
    (offer,), _ = offers("docs", [Listed("find", "", {})])
    assert offer.spec.schema == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [],
        {"type": "string"},
        {"properties": []},
        {"description": "x" * LARGEST_SCHEMA},
        {"description": "\ud800"},
    ],
)
def test_a_schema_that_no_api_takes_leaves_the_tool_out(schema: Any) -> None:
    offered, left_out = offers("docs", [Listed("bad", "", schema), Listed("good", "", {})])
    assert [offer.tool for offer in offered] == ["good"]
    assert left_out == ("bad",)


def test_long_descriptions_and_long_lists_are_cut() -> None:
    listed = [Listed(f"t{n}", "x" * 100_000, {}) for n in range(MOST_TOOLS + 2)]
    offered, left_out = offers("docs", listed)
    assert len(offered) == MOST_TOOLS
    assert left_out == (f"t{MOST_TOOLS}", f"t{MOST_TOOLS + 1}")
    assert all(len(offer.spec.description) < LONGEST_DESCRIPTION + 200 for offer in offered)
