"""What every tool is: a description for the model, and a way to prepare and run one call.

A call has two steps. `prepare` checks the arguments and finds out what the call would do, without
doing it: the person who is asked for permission sees exactly that, and exactly that runs. `run`
does it. Between the two the world may change; `run` refuses what is no longer what was prepared.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from msgspec import Struct

from parley.coder.message import ImagePart, Message
from parley.coder.permission.access import Access, Category
from parley.coder.providers.provider import ToolSpec
from parley.coder.workspace.jobs import Jobs
from parley.coder.workspace.workspace import Workspace
from parley.session.content import Location, ToolItem
from parley.session.event import Event, ToolKind
from parley.session.option import Plan


class Outcome(Struct, frozen=True, omit_defaults=True):
    """What a call came to."""

    text: str
    """For the model."""
    content: tuple[ToolItem, ...] | None = None
    """For the person; `None` leaves what is shown already, and shows `text` if that is nothing."""
    raw_output: Any = None
    """For clients that show results in their own way; `None` stands for `text`."""
    failed: bool = False
    """The tool did its work, and the result is a failure: a command that exits with 1."""
    images: tuple[ImagePart, ...] = ()
    locations: tuple[Location, ...] | None = None


class Progress(Protocol):
    """How a running call reports; nothing here waits."""

    call_id: str

    def show(self, *items: ToolItem) -> None:
        """Replace what is shown of the call."""
        ...

    def emit(self, event: Event) -> None:
        """Report something else of the session, for instance a terminal's output."""
        ...

    async def drain(self) -> None:
        """Wait while the client is behind."""
        ...


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that could run now: what a person and the policy must know of it, and the work."""

    title: str
    """What happens, in one line: `Edit src/app.py`."""
    access: tuple[Access, ...]
    run: Callable[[Progress], Awaitable[Outcome]]
    """Raises `ToolError`; cancelling it ends what it started."""
    locations: tuple[Location, ...] = ()
    preview: tuple[ToolItem, ...] = ()
    """What is shown before it runs: the diff of an edit."""


class Task(Struct, frozen=True):
    """What a sub-agent is to do, and with what."""

    description: str
    """A few words that a person knows it by."""
    prompt: str
    tools: "Mapping[str, Tool]"
    rounds: int | None = None
    """Requests to the model that it may make; `None` is as many as the settings allow."""


class Crew(Protocol):
    """The sub-agents of one session."""

    def equipment(self, wanted: str) -> "Mapping[str, Tool]":
        """The tools that a word stands for: `read`, `full`, or names with commas between them.

        Raises:
            ToolError: there is no such tool, or sub-agents may not have it.
        """
        ...

    async def work(self, task: Task, progress: Progress) -> Outcome:
        """Let a sub-agent work, and give what came of it."""
        ...


async def _nothing_said() -> Sequence[Message]:
    return ()


@dataclass(slots=True)
class Desk:
    """What the tools of one session work with."""

    session_id: str
    workspace: Workspace
    seen: dict[str, str] = field(default_factory=dict[str, str])
    """Files the model has read or written, by real path, with the hash of what it saw."""
    set_plan: Callable[[Plan], None] = lambda plan: None
    """Show a plan to the client, and keep it for the model."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of commands; it has no keys in it."""
    conversation: Callable[[], Awaitable[Sequence[Message]]] = _nothing_said
    """Everything that was said with the model, also what it is not given any more."""
    jobs: Jobs = field(default_factory=Jobs)
    """The commands that run in the background."""
    crew: Crew | None = None
    """The sub-agents; they have none of their own."""
    own: tuple[str, ...] = ()
    """Real paths of the agent itself, which nothing changes unasked."""


class Tool(Protocol):
    spec: ToolSpec
    kind: ToolKind
    category: Category

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        """Find out what a call would do.

        Raises:
            ToolError: the arguments are wrong, or it cannot be done.
        """
        ...
