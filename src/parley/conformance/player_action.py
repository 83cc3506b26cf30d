"""What a script wants done next. Plain data: the driver does it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Send:
    """Send a frame, now or after some seconds while the script goes on."""

    frame: bytes
    delay: float = 0


@dataclass(frozen=True, slots=True, eq=False)
class Await:
    """Receive something. The same object again means that the same wait goes on."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Sleep:
    """Do nothing for a while."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Complain:
    """Write to stderr."""

    text: str


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Close the connection or one direction of it."""

    what: Literal["output", "input", "both"]


@dataclass(frozen=True, slots=True)
class Die:
    """End the process at once."""

    status: int
    stderr: str


@dataclass(frozen=True, slots=True)
class Freeze:
    """Say nothing more until the peer goes away, or for some seconds."""

    reading: bool
    seconds: float | None


Action = Send | Await | Sleep | Complain | Disconnect | Die | Freeze
