"""The two interfaces that applications implement, and the requests they exchange.

`AgentRole` is what a client sees of an agent and what an agent's author implements. `ClientRole`
is what an agent sees of a client and what a client's author implements. `parley.protocol` puts a
wire between the two: `serve` gives an `AgentRole` a transport, `connect` makes one of a transport.

Which version is spoken is not visible here. Cancellation is the cancellation of the task.
"""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from msgspec import Struct

from parley.session.content import Block, Meta
from parley.session.event import Event, ExitStatus, Failure, StopReason, TurnUsage
from parley.session.option import Command, Option, OptionValue
from parley.session.profile import AgentProfile, ClientProfile
from parley.session.question import (
    Elicitation,
    ElicitationAnswer,
    PermissionAnswer,
    PermissionQuestion,
)


class StdioServer(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="stdio"):
    name: str
    command: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    meta: Meta | None = None


class HttpServer(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="http"):
    name: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    sse: bool = False
    """The older transport over server-sent events; version 1 only."""
    meta: Meta | None = None


class AcpServer(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="acp"):
    """A server that the client itself provides over the connection. Unstable."""

    name: str
    server_id: str
    meta: Meta | None = None


McpServer = StdioServer | HttpServer | AcpServer


class SystemPrompt(Struct, frozen=True, omit_defaults=True):
    content: tuple[Block, ...]
    mode: Literal["append", "override"] | str = "append"
    meta: Meta | None = None


class SessionRequest(Struct, frozen=True, omit_defaults=True):
    """Where a session works and with what. Paths are absolute."""

    cwd: str
    additional_directories: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    system_prompt: SystemPrompt | None = None
    meta: Meta | None = None


class SessionSetup(Struct, frozen=True, omit_defaults=True):
    """The answer to a request that opened a session."""

    session_id: str
    options: tuple[Option, ...] = ()
    commands: tuple[Command, ...] = ()
    meta: Meta | None = None


class SessionInfo(Struct, frozen=True, omit_defaults=True):
    session_id: str
    cwd: str
    title: str | None = None
    updated_at: str | None = None
    additional_directories: tuple[str, ...] = ()
    archived: bool | None = None
    meta: Meta | None = None


class SessionPage(Struct, frozen=True, omit_defaults=True):
    sessions: tuple[SessionInfo, ...] = ()
    next_cursor: str | None = None
    meta: Meta | None = None


class Prompt(Struct, frozen=True, omit_defaults=True):
    """A message of the user. `message_id` is the id under which it entered the conversation."""

    content: tuple[Block, ...]
    message_id: str | None = None
    meta: Meta | None = None


class Ending(Struct, frozen=True, omit_defaults=True):
    """How a turn ended."""

    stop_reason: StopReason = "end_turn"
    usage: TurnUsage | None = None
    failure: Failure | None = None
    """Set when, and only when, `stop_reason` is `error`."""
    meta: Meta | None = None


class ClientRole(Protocol):
    """A client, as an agent sees it."""

    @property
    def profile(self) -> ClientProfile: ...

    @property
    def files(self) -> "Files | None":
        """The client's view of files, unsaved buffers included; `None` where it offers none."""
        ...

    @property
    def terminals(self) -> "Terminals | None":
        """Terminals that the client runs; `None` where it offers none."""
        ...

    def emit(self, session_id: str, event: Event) -> None:
        """Report an event. Never waits; events of one session arrive in this order."""
        ...

    @property
    def blocked(self) -> bool:
        """Whether events are made faster than the client takes them, so that one should `drain`."""
        ...

    async def drain(self) -> None:
        """Wait while the client is behind; returns at once when it is not."""
        ...

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        """Ask for a permission. A failure of any kind comes back as `Dismissed`."""
        ...

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        """Ask for input. A failure of any kind comes back as `Cancelled`."""
        ...

    def complete_elicitation(self, elicitation_id: str) -> None:
        """What a `UrlQuestion` was about has happened."""
        ...

    async def call(self, method: str, params: Any) -> Any:
        """An extension method of the client; its name starts with an underscore."""
        ...

    def tell(self, method: str, params: Any) -> None:
        """An extension notification to the client."""
        ...


class Files(Protocol):
    """Text files as the client sees them."""

    can_read: bool
    can_write: bool

    async def read(
        self, session_id: str, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str: ...

    async def write(self, session_id: str, path: str, content: str) -> None: ...


class TerminalOutput(Struct, frozen=True, omit_defaults=True):
    text: str
    truncated: bool
    exit: ExitStatus | None = None


class Terminals(Protocol):
    """Commands that the client runs. A terminal is a context manager and releases itself."""

    async def create(
        self,
        session_id: str,
        command: str,
        args: tuple[str, ...] = (),
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        output_limit: int | None = None,
    ) -> "Terminal": ...


class Terminal(Protocol):
    id: str

    async def __aenter__(self) -> "Terminal": ...

    async def __aexit__(self, *_: object) -> None: ...

    async def output(self) -> TerminalOutput: ...

    async def wait(self) -> ExitStatus: ...

    async def kill(self) -> None: ...

    async def release(self) -> None:
        """Idempotent; the terminal cannot be used afterwards."""
        ...


class AgentRole(Protocol):
    """An agent, as a client sees it. A method it lacks raises `MethodNotFound`."""

    async def initialize(self, client: ClientRole) -> AgentProfile:
        """Called once per connection, before anything else."""
        ...

    async def login(self, method_id: str) -> None: ...

    async def logout(self) -> None: ...

    async def new_session(self, request: SessionRequest) -> SessionSetup: ...

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        """Open a stored session; its whole history is emitted before this returns."""
        ...

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        """Open a stored session without its history."""
        ...

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup: ...

    async def list_sessions(
        self, *, cwd: str | None = None, cursor: str | None = None, archived: str | None = None
    ) -> SessionPage: ...

    async def close_session(self, session_id: str) -> None: ...

    async def delete_session(self, session_id: str) -> None: ...

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        """One turn; returns when it is over. Cancelling the task cancels the turn.

        A cancelled turn raises `CancelledError` as any task does. With an `Ending` as its only
        argument it still tells what it has used.
        The wire calls it for one prompt of a session at a time; others wait their turn.
        """
        ...

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        """Change an option; returns the complete list as it is now."""
        ...

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None: ...

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None: ...

    async def call(self, method: str, params: Any) -> Any:
        """An extension method; its name starts with an underscore. Unstable methods too."""
        ...

    def tell(self, method: str, params: Any) -> None:
        """An extension notification."""
        ...


@runtime_checkable
class Interruptible(Protocol):
    """An agent that also works when no prompt of the client runs, and can be stopped then."""

    async def interrupt(self, session_id: str) -> None: ...


@runtime_checkable
class Inserting(Protocol):
    """An agent that keeps a prompt before the client is told that it has been taken."""

    async def insert(self, session_id: str, prompt: Prompt) -> None:
        """The prompt is part of the session from here on; `prompt` follows, with the same id.

        Version 2 tells its client so before the work begins; version 1 never does, and does not
        call this. Raising refuses the prompt.
        """
        ...
