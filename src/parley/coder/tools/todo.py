"""The tool that keeps the plan: what the model writes down is what the person sees."""

from collections.abc import Mapping
from typing import Any

from parley.coder.errors import ToolError
from parley.coder.permission.access import TouchesNothing
from parley.coder.providers.provider import ToolSpec
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.session.event import ToolKind
from parley.session.option import PlanEntry, PlanItems

STATUSES = ("pending", "in_progress", "completed", "cancelled")
PRIORITIES = ("high", "medium", "low")
MOST_ITEMS = 100

_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]"}


class Todo:
    """`todo`: replace the plan."""

    spec = ToolSpec(
        "todo",
        "Write down the plan for work of several steps, and keep it up to date: the person sees "
        "it. Every call gives the whole list. Have one item `in_progress` at a time and mark it "
        "`completed` as soon as it is done. Not for work of one or two steps.",
        {
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "content": {"type": "string", "description": "What is to be done."},
                            "status": {"type": "string", "enum": list(STATUSES)},
                            "priority": {"type": "string", "enum": list(PRIORITIES)},
                        },
                        "required": ["content", "status"],
                    },
                },
            },
            "required": ["items"],
        },
    )
    kind: ToolKind = "other"
    category: Category = "read"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        entries = tuple(_entry(item) for item in given.objects("items", least=0))
        given.done()
        if len(entries) > MOST_ITEMS:
            raise ToolError(f"a plan has at most {MOST_ITEMS} items, not {len(entries)}")

        async def run(progress: Progress) -> Outcome:
            desk.set_plan(PlanItems(entries))
            return Outcome(_listed(entries))

        done = sum(entry.status == "completed" for entry in entries)
        title = f"Update the plan: {done} of {len(entries)} done" if entries else "Clear the plan"
        return Prepared(title, (TouchesNothing(),), run)


def _entry(item: Arguments) -> PlanEntry:
    entry = PlanEntry(
        item.text("content"),
        priority=item.choice("priority", PRIORITIES, default="medium"),
        status=item.choice("status", STATUSES, default="pending"),
    )
    item.done()
    return entry


def _listed(entries: tuple[PlanEntry, ...]) -> str:
    if not entries:
        return "The plan is empty."
    return "\n".join(f"{_MARKS[entry.status]} {entry.content}" for entry in entries)
