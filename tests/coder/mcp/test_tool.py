"""A tool of a server, as the loop handles it."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.mcp.offer import Listed, offers
from parley.coder.mcp.tool import McpTool
from parley.coder.permission.access import CallsServer
from parley.coder.tools.tool import Outcome
from tests.coder.tools.file_desk import desk_on, prepared, ran


async def echo(tool: str, arguments: Mapping[str, Any]) -> Outcome:
    return Outcome(f"{tool} {dict(arguments)}")


def tool(name: str = "find it") -> McpTool:
    (offer,), _ = offers("docs", [Listed(name, "", {})])
    return McpTool("docs", offer, echo)


def test_a_call_says_everything_before_it_runs(tmp_path: Path) -> None:
    ready = prepared(tool(), desk_on(tmp_path), a=[1], b="x")
    assert ready.title == "Call find it of docs"
    shown = '{\n  "a": [\n    1\n  ],\n  "b": "x"\n}'
    assert ready.access == (CallsServer("docs", "find it", shown),)
    assert ran(ready).text == "find it {'a': [1], 'b': 'x'}"


def test_whatever_a_server_says_its_tools_count_as_dangerous() -> None:
    assert tool().category == "execute"


def test_a_title_shows_what_is_hidden_in_a_name(tmp_path: Path) -> None:
    assert prepared(tool("a\u202e\nb"), desk_on(tmp_path)).title == "Call a\\u202e\\nb of docs"


def test_arguments_without_end_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="larger than"):
        asyncio.run(tool().prepare({"a": "x" * 1_100_000}, desk_on(tmp_path)))
