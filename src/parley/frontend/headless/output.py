"""What a run reports, and the interface of whatever shows it."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from parley.frontend.headless.exit_code import ExitCode
from parley.session.event import Event, Failure, TurnUsage
from parley.session.profile import AgentProfile
from parley.session.question import PermissionQuestion

OUTPUTS = ("text", "json", "final")

How = Literal["rule", "person", "nobody"]


class Opened(Struct, frozen=True):
    """A session is open and the first prompt can be sent."""

    session_id: str
    cwd: str
    agent: AgentProfile
    resumed: bool = False


class Answered(Struct, frozen=True):
    """A permission question was answered."""

    session_id: str
    question: PermissionQuestion
    about: str
    """What it was for, in one line of raw text."""
    allowed: bool
    how: How
    because: str
    option_id: str | None = None


class TurnEnd(Struct, frozen=True):
    """A turn is over."""

    session_id: str
    turn: int
    stop_reason: str
    code: ExitCode
    seconds: float
    usage: TurnUsage | None = None
    failure: Failure | None = None


class Trouble(Struct, frozen=True):
    """Why a run ended before its time, with everything that is known about it."""

    code: ExitCode
    message: str
    agent: str | None = None
    """The command line."""
    ended: str | None = None
    """How its process ended."""
    stderr: tuple[str, ...] = ()
    pending: str | None = None
    """The request that was not answered."""
    last_frame: str | None = None
    hint: str | None = None


class Result(Struct, frozen=True):
    """How a run ended."""

    code: ExitCode
    session_id: str | None = None
    turns: int = 0
    stop_reason: str | None = None
    refused: int = 0
    """Permissions that were refused, by whomever."""
    seconds: float = 0.0
    context: dict[str, Any] | None = None
    """How full the context is, and the cost, as far as the agent reports it."""


class Output(Protocol):
    """Shows what happens. Events are never waited for; the runner asks for room."""

    def opened(self, opened: Opened) -> None: ...

    def events(self, session_id: str, events: Sequence[Event]) -> None:
        """What happened meanwhile, all at once: there may be hundreds of thousands."""
        ...

    def answered(self, answered: Answered) -> None: ...

    async def turn_ended(self, end: TurnEnd) -> None:
        """May wait for room: this is where an output shows what it held back."""
        ...

    def failed(self, trouble: Trouble) -> None: ...

    def finished(self, result: Result) -> None: ...
