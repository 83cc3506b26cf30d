"""The tool that keeps the plan."""

import asyncio
from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.permission.access import TouchesNothing
from parley.coder.tools.todo import Todo
from parley.coder.tools.tool import Desk, Outcome
from parley.coder.workspace.workspace import Workspace
from parley.session.option import Plan, PlanEntry, PlanItems
from tests.coder.tools.witness import Witness, call


def _todo(items: Any) -> tuple[list[Plan], Outcome]:
    """Write a plan; the plans that were shown, and what came of it."""
    plans: list[Plan] = []
    desk = Desk("s", Workspace(("/",)), set_plan=plans.append)

    async def scenario() -> Outcome:
        return await call(Todo(), desk, {"items": items})

    return plans, asyncio.run(scenario())


def test_the_list_becomes_the_plan() -> None:
    plans, outcome = _todo(
        [
            {"content": "Read", "status": "completed", "priority": "high"},
            {"content": "Write", "status": "in_progress"},
            {"content": "Test", "status": "pending", "priority": "low"},
            {"content": "Rest", "status": "cancelled"},
        ]
    )
    assert plans == [
        PlanItems(
            (
                PlanEntry("Read", "high", "completed"),
                PlanEntry("Write", "medium", "in_progress"),
                PlanEntry("Test", "low", "pending"),
                PlanEntry("Rest", "medium", "cancelled"),
            )
        )
    ]
    assert outcome.text == "[x] Read\n[>] Write\n[ ] Test\n[-] Rest"


def test_an_empty_list_clears_the_plan() -> None:
    plans, outcome = _todo([])
    assert plans == [PlanItems(())]
    assert outcome.text == "The plan is empty."


def test_the_title_says_how_far_it_is() -> None:
    desk = Desk("s", Workspace(("/",)))

    async def scenario() -> None:
        items = [{"content": "a", "status": "completed"}, {"content": "b"}]
        prepared = await Todo().prepare({"items": items}, desk)
        assert prepared.title == "Update the plan: 1 of 2 done"
        assert prepared.access == (TouchesNothing(),)
        assert (await Todo().prepare({"items": []}, desk)).title == "Clear the plan"
        # Without anybody to show it to, nothing happens.
        await prepared.run(Witness())

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("items", "why"),
    [
        (None, "needs `items`"),
        ("text", "must be a list"),
        ([1], "must be an object"),
        ([{"status": "pending"}], r"needs `items\[0\].content`"),
        ([{"content": "a", "status": "done"}], "must be one of `pending`"),
        ([{"content": "a", "priority": "urgent"}], "must be one of `high`"),
        ([{"content": "a", "when": "now"}], "no argument"),
        ([{"content": "a"}] * 101, "at most 100 items"),
    ],
)
def test_a_list_that_is_no_plan_is_refused(items: Any, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        _todo(items)
