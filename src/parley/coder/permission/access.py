"""What a tool call would touch, in words that a policy can judge. Pure data.

A tool says it before it runs; the policy decides from it and from nothing else. Paths are absolute
and real: symbolic links are resolved.
"""

from typing import Literal

from msgspec import Struct

Category = Literal["read", "write", "execute"]
"""Read-only tools need no permission inside the workspace; the others do."""


class ReadsPath(Struct, frozen=True, tag=True):
    path: str


class WritesPath(Struct, frozen=True, tag=True):
    path: str


class RunsCommand(Struct, frozen=True, tag=True):
    """A command line for the shell, exactly as it will run, and where."""

    command: str
    cwd: str


class FetchesUrl(Struct, frozen=True, tag=True):
    url: str


class CallsServer(Struct, frozen=True, tag=True):
    """A tool of an MCP server, which can do whatever that server can do."""

    server: str
    tool: str
    arguments: str
    """JSON, exactly as the server gets it."""


class Delegates(Struct, frozen=True, tag=True):
    """A sub-agent works on a task. What it does in turn is judged call by call."""

    task: str
    tools: tuple[str, ...]
    reads_only: bool
    """Whether no tool that it may use changes anything."""


class TouchesNothing(Struct, frozen=True, tag=True):
    """Only the session itself changes, for instance its plan."""


Access = (
    ReadsPath | WritesPath | RunsCommand | FetchesUrl | CallsServer | Delegates | TouchesNothing
)
