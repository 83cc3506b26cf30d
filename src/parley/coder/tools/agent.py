"""The tool that lets sub-agents work: what they are given is said here, the work is not."""

from collections.abc import Mapping
from typing import Any, cast

from parley.coder.errors import ToolError
from parley.coder.permission.access import Delegates
from parley.coder.providers.provider import ToolSpec
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress, Task
from parley.session.event import ToolKind

NAME = "agent"
READ, FULL = "read", "full"
MOST_DESCRIPTION = 40
"""Characters of the words that a sub-agent is known by."""
_MOST_PROMPT = 100_000
_MOST_ROUNDS = 1_000


class Agent:
    """`agent`: let a sub-agent do a piece of the work."""

    spec = ToolSpec(
        NAME,
        "Let a sub-agent do a piece of the work and report: a broad search, a survey of one part "
        "of the project, a change that stands by itself. It starts without your conversation, "
        "so the prompt must say everything: what is wanted, what is known, which files, what the "
        "report should hold. It cannot ask back, and its last message is all you get. Several "
        "calls in one answer run at the same time; give them different files if they change "
        "any. Not for what one or two calls of your own would do.",
        {
            "type": "object",
            "properties": {
                "description": {
                    "type": "string",
                    "description": "Two to five words by which the person knows it.",
                },
                "prompt": {"type": "string", "description": "The whole task."},
                "tools": {
                    "type": "string",
                    "description": f"`{READ}`: only tools that read, the default. `{FULL}`: all of "
                    "them. Or names of tools with commas between them.",
                },
                "max_rounds": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "Requests to the model that it may make at most.",
                },
            },
            "required": ["description", "prompt"],
        },
    )
    kind: ToolKind = "execute"
    category: Category = "execute"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        crew = desk.crew
        if crew is None:
            raise ToolError("There are no sub-agents here; do the work yourself.")
        given = Arguments(_with_names(arguments), self.spec.name)
        description = " ".join(given.text("description").split())
        prompt = given.text("prompt")
        wanted = given.optional_text("tools") or READ
        rounds = given.optional_integer("max_rounds", least=1, most=_MOST_ROUNDS)
        given.done()
        if not description or not prompt.strip():
            raise ToolError("`description` and `prompt` must not be empty")
        if len(prompt) > _MOST_PROMPT:
            raise ToolError(f"`prompt` has more than {_MOST_PROMPT} characters; name files instead")
        task = Task(one_line(description, MOST_DESCRIPTION), prompt, crew.equipment(wanted), rounds)
        reads_only = all(tool.category == "read" for tool in task.tools.values())

        async def run(progress: Progress) -> Outcome:
            return await crew.work(task, progress)

        access = Delegates(prompt, tuple(task.tools), reads_only)
        return Prepared(f"Agent: {task.description}", (access,), run)


def _with_names(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same, with a list of tools written as one text: models give either."""
    tools = arguments.get("tools")
    if not isinstance(tools, list):
        return arguments
    names = cast("list[Any]", tools)
    if not all(isinstance(name, str) for name in names):
        return arguments
    return {**arguments, "tools": ", ".join(names)}
