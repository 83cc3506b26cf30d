"""What the tests of file tools share: a desk on a scratch folder, calls and refusals."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.tools.read_file import ReadFile
from parley.coder.tools.tool import Desk, Outcome, Prepared, Tool
from parley.coder.workspace.workspace import Workspace
from tests.coder.tools.witness import Witness, call


def desk_on(*roots: Path) -> Desk:
    return Desk("session", Workspace(tuple(map(str, roots))))


def outcome(tool: Tool, desk: Desk, **arguments: Any) -> Outcome:
    return asyncio.run(call(tool, desk, arguments))


def answer(tool: Tool, desk: Desk, **arguments: Any) -> str:
    return outcome(tool, desk, **arguments).text


def prepared(tool: Tool, desk: Desk, **arguments: Any) -> Prepared:
    return asyncio.run(tool.prepare(arguments, desk))


def ran(ready: Prepared) -> Outcome:
    async def scenario() -> Outcome:
        return await ready.run(Witness())

    return asyncio.run(scenario())


def refusal(tool: Tool, desk: Desk, **arguments: Any) -> str:
    with pytest.raises(ToolError) as caught:
        answer(tool, desk, **arguments)
    return str(caught.value)


def seen(desk: Desk, path: str) -> None:
    """Let the model read a file."""
    answer(ReadFile(), desk, path=path)
