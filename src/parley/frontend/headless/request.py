"""What a run is to do, and how it reaches the agent. Made by the command line."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from msgspec import Struct

from parley.frontend.headless.context import Context
from parley.sdk.client import Client
from parley.sdk.conversation import AgentConnection
from parley.session.role import McpServer


class RunRequest(Struct, frozen=True):
    prompts: tuple[str, ...]
    cwd: str
    context: Context = Context()
    directories: tuple[str, ...] = ()
    servers: tuple[McpServer, ...] = ()
    session: str | None = None
    """The id of a stored session to go on with."""
    latest: bool = False
    """Whether to go on with the last session of the directory."""
    model: str | None = None
    mode: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    timeout: float | None = None
    grace: float = 5.0
    """Seconds that the agent has to end a turn that was cancelled, before the run leaves."""


class AgentLink(Protocol):
    """The agent, before and after there is a connection to it."""

    command: str
    """As a person would type it."""

    def connect(self, client: Client) -> AbstractAsyncContextManager[AgentConnection]:
        """Start the agent and introduce the client; leaving the block ends both."""
        ...

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last lines that it wrote to its stderr."""
        ...

    @property
    def last_frame(self) -> str | None:
        """What was said last, by whom and how long it was; never what it contained."""
        ...
