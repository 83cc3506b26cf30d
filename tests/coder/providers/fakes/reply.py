"""What a fake model API is told to answer, in the words of no API: the same script plays on all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Received:
    """One request as it came; header names are in lower case."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Say:
    """Text, streamed as the given pieces."""

    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Think:
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Call:
    """A tool call. `arguments` is a JSON object, or the raw text of something that is none."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict[str, Any])
    id: str | None = None
    """The fake makes one when it is missing; some servers send none, which "" stands for."""
    pieces: int = 3
    """How many pieces the arguments are streamed in, where the API streams them."""


@dataclass(frozen=True)
class Tokens:
    input: int = 100
    output: int = 10
    thought: int = 0
    cached_read: int = 0
    cached_write: int = 0


Stop = Literal["end", "tool_calls", "max_tokens", "refusal"]


@dataclass(frozen=True)
class Reply:
    """A whole answer of the model."""

    parts: tuple[Say | Think | Call, ...]
    tokens: Tokens | None = Tokens()
    """`None`: the server does not count."""
    stop: Stop | None = None
    """`None` follows from the parts: calls or none."""

    @property
    def cause(self) -> Stop:
        if self.stop is not None:
            return self.stop
        return "tool_calls" if any(isinstance(part, Call) for part in self.parts) else "end"


def says(*pieces: str) -> Reply:
    return Reply((Say(pieces),))


def calls(*wanted: Call) -> Reply:
    return Reply(wanted)


@dataclass(frozen=True)
class Status:
    """An error status instead of an answer; no body lets the API write its own."""

    code: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    message: str = "scripted failure"
    error_code: str | None = None
    body: bytes | None = None


@dataclass(frozen=True)
class Cut:
    """The stream ends after some frames: by a reset, or as if it were complete."""

    reply: Reply
    after: int
    cleanly: bool = False


@dataclass(frozen=True)
class Stall:
    """After some frames nothing comes any more, until the client hangs up."""

    reply: Reply
    after: int


@dataclass(frozen=True)
class Slow:
    """Each frame comes `gap` seconds after the one before."""

    reply: Reply
    gap: float


@dataclass(frozen=True)
class Inject:
    """Raw bytes are put into the stream before frame number `at`."""

    reply: Reply
    at: int
    raw: bytes


@dataclass(frozen=True)
class Silent:
    """No answer at all, until the client hangs up."""


@dataclass(frozen=True)
class Raw:
    """These frames as they are, with status 200."""

    frames: tuple[bytes, ...]


Scripted = Reply | Status | Cut | Stall | Slow | Inject | Silent | Raw
Script = Sequence[Scripted] | Callable[[Received], Scripted]


def huge_event(size: int) -> bytes:
    """An event of so many bytes."""
    return b"data: " + b"x" * size + b"\n\n"


MALFORMED = b'data: {"this is": not JSON}\n\n'
