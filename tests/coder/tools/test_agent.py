"""The tool that starts sub-agents: what it takes, and what a person is asked."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.permission.access import Delegates
from parley.coder.tools.agent import Agent
from parley.coder.tools.read_file import ReadFile
from parley.coder.tools.tool import Desk, Outcome, Prepared, Progress, Task, Tool
from parley.coder.tools.write_file import WriteFile
from parley.coder.workspace.workspace import Workspace
from tests.coder.tools.witness import Witness

TOOLS: dict[str, Tool] = {"read_file": ReadFile(), "write_file": WriteFile()}


class Hands:
    """A crew that writes down what it is given."""

    def __init__(self) -> None:
        self.wanted: list[str] = []
        self.tasks: list[Task] = []

    def equipment(self, wanted: str) -> Mapping[str, Tool]:
        self.wanted.append(wanted)
        return TOOLS if wanted == "full" else {"read_file": TOOLS["read_file"]}

    async def work(self, task: Task, progress: Progress) -> Outcome:
        self.tasks.append(task)
        return Outcome("done")


def _prepared(crew: Hands | None, **arguments: Any) -> Prepared:
    desk = Desk("s", Workspace(("/",)), crew=crew)
    return asyncio.run(Agent().prepare(arguments, desk))


def _outcome(prepared: Prepared) -> Outcome:
    async def scenario() -> Outcome:
        return await prepared.run(Witness())

    return asyncio.run(scenario())


def test_a_sub_agent_reads_only_unless_more_is_asked_for() -> None:
    crew = Hands()
    prepared = _prepared(crew, description=" Look \n around ", prompt="find it")
    assert prepared.title == "Agent: Look around"
    assert prepared.access == (Delegates("find it", ("read_file",), reads_only=True),)
    assert _outcome(prepared) == Outcome("done")
    assert crew.tasks == [Task("Look around", "find it", {"read_file": TOOLS["read_file"]})]


def test_tools_and_rounds_can_be_chosen() -> None:
    crew = Hands()
    prepared = _prepared(crew, description="x", prompt="y", tools="full", max_rounds="3")
    assert prepared.access == (Delegates("y", ("read_file", "write_file"), reads_only=False),)
    _outcome(prepared)
    assert crew.tasks[0].rounds == 3


def test_a_list_of_tools_is_understood_too() -> None:
    crew = Hands()
    _prepared(crew, description="x", prompt="y", tools=["grep", "glob"])
    assert crew.wanted == ["grep, glob"]


def test_a_name_is_one_short_line() -> None:
    title = _prepared(Hands(), description="a\u202eb" * 100, prompt="y").title
    assert "\u202e" not in title
    assert len(title) <= 47


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"prompt": "y"}, "needs `description`"),
        ({"description": "x"}, "needs `prompt`"),
        ({"description": " ", "prompt": "y"}, "must not be empty"),
        ({"description": "x", "prompt": " \n"}, "must not be empty"),
        ({"description": "x", "prompt": "y" * 100_001}, "more than 100000 characters"),
        ({"description": "x", "prompt": "y", "tools": [1]}, "`tools` of `agent` must be a string"),
        ({"description": "x", "prompt": "y", "tools": {}}, "`tools` of `agent` must be a string"),
        ({"description": "x", "prompt": "y", "max_rounds": 0}, "must be at least 1"),
        ({"description": "x", "prompt": "y", "model": "z"}, "has no argument `model`"),
    ],
)
def test_arguments_that_are_wrong_are_refused(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(ToolError, match=problem):
        _prepared(Hands(), **arguments)


def test_without_a_crew_there_are_no_sub_agents() -> None:
    with pytest.raises(ToolError, match="There are no sub-agents here"):
        _prepared(None, description="x", prompt="y")
