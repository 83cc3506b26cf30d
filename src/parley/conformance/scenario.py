"""The scenario format: what a scripted peer says and expects, as data read from JSON.

Owns the shape of a scenario. It knows nothing of transports and of what methods mean.
`docs/testing.md` describes the format.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from parley.errors import AcpError

FORMAT = 1
"""The version of the format that this package reads."""

Role = Literal["agent", "client"]
Kind = Literal["request", "notification"]
Json = Any
Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]


class ScenarioError(AcpError):
    """A scenario is not one. The text names the scenario and the step."""


class Step(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do"):
    """What all steps have. The tag in `do` says which step it is."""

    note: str = ""
    """For the reader of the scenario; it changes nothing."""


class ErrorObject(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    code: int
    message: str
    data: Json = UNSET


class Receive(Step, frozen=True, tag="receive", rename={"name": "as"}):
    """Wait for a message; with `result` or `error`, answer it at once."""

    method: str
    kind: Kind | None = None
    params: Json = UNSET
    """What must be in the params; other members may be there too."""
    skip: bool = False
    """Whether messages of the method with other params are passed over."""
    save: dict[str, str] = {}
    """Variables, each with the JSON pointer of its value in the params."""
    name: str | None = None
    """What an `answer` step calls it; the method, unless given."""
    optional: bool = False
    """Whether the peer may end the conversation here instead."""
    result: Json = UNSET
    error: ErrorObject | UnsetType = UNSET
    fault: Literal["wrong_shape"] | None = None


class Answer(Step, frozen=True, tag="answer"):
    """Answer a request that was received, in time or late, well or badly."""

    to: str | None = None
    """Which request; the last one that is open, unless given."""
    result: Json = UNSET
    error: ErrorObject | UnsetType = UNSET
    delay: Seconds = 0
    """Seconds until it leaves, while the script goes on."""
    fault: Literal["wrong_shape", "twice", "wrong_id"] | None = None


class Ignore(Step, frozen=True, tag="ignore"):
    """Never answer a request that was received."""

    to: str | None = None


class Request(Step, frozen=True, tag="request", rename={"name": "as"}):
    """Send a request and, unless `wait` is false, wait for its answer."""

    method: str
    params: Json = UNSET
    name: str | None = None
    id: int | str | UnsetType | None = UNSET
    result: Json = UNSET
    """What must be in the result."""
    error: Json = UNSET
    """What must be in the error. Without it, an error is a mismatch."""
    either: bool = False
    """Whether any answer will do, a result or an error."""
    save: dict[str, str] = {}
    wait: bool = True
    extra: dict[str, Json] = {}
    """Members beside `jsonrpc`, `id`, `method` and `params`."""
    fault: Literal["wrong_shape"] | None = None


class Expect(Step, frozen=True, tag="expect"):
    """Wait for the answer to a request that was sent with `wait` false, or for one by its id."""

    of: str | None = None
    """Which request; the last one that is open, unless given."""
    id: int | str | UnsetType | None = UNSET
    """The id itself, null too: what answers a message that was none."""
    result: Json = UNSET
    error: Json = UNSET
    either: bool = False
    """Whether any answer will do, a result or an error."""
    save: dict[str, str] = {}


class Notify(Step, frozen=True, tag="notify"):
    """Send a notification."""

    method: str
    params: Json = UNSET
    extra: dict[str, Json] = {}
    fault: Literal["wrong_shape"] | None = None


class Wait(Step, frozen=True, tag="wait"):
    """Wait until a number of messages have come, whatever they say."""

    count: Count
    method: str | None = None


class WaitForEnd(Step, frozen=True, tag="wait_for_end"):
    """Wait until the peer ends the conversation."""


class Repeat(Step, frozen=True, tag="repeat"):
    """Play steps several times. The counter runs from 1."""

    times: Count
    steps: "tuple[AnyStep, ...]"
    counter: str = "n"


class Pause(Step, frozen=True, tag="pause"):
    """Do nothing for a while."""

    seconds: Seconds


# Faults. What they send is not checked.


class Raw(Step, frozen=True, tag="raw"):
    """Send bytes that need not be a message."""

    text: str | None = None
    base64: str | None = None


class InvalidJson(Step, frozen=True, tag="invalid_json"):
    """Send a message that breaks off."""

    text: str = '{"jsonrpc":"2.0","method":"session/upd'


class Noise(Step, frozen=True, tag="noise"):
    """Print lines where only messages belong."""

    text: str


class Oversized(Step, frozen=True, tag="oversized"):
    """Send a notification of at least `size` bytes; `${padding}` in the params grows."""

    size: Count
    method: str = "_parley/oversized"
    params: Json = field(default_factory=lambda: {"padding": "${padding}"})


class Flood(Step, frozen=True, tag="flood"):
    """Send a notification many times without waiting for anything."""

    times: Count
    method: str
    params: Json = UNSET
    counter: str = "n"


class Stderr(Step, frozen=True, tag="stderr"):
    """Complain on stderr."""

    text: str
    times: Count = 1


class Close(Step, frozen=True, tag="close"):
    """Close the connection, or one direction of it where the transport can."""

    what: Literal["output", "input", "both"] = "both"


class Crash(Step, frozen=True, tag="crash"):
    """End the process at once."""

    status: int = 1
    stderr: str = ""


class Hang(Step, frozen=True, tag="hang"):
    """Say nothing more until the peer goes away, or for some seconds."""

    reading: bool = True
    """Whether what the peer sends is still read."""
    seconds: Seconds | None = None


AnyStep = (
    Receive
    | Answer
    | Ignore
    | Request
    | Expect
    | Notify
    | Wait
    | WaitForEnd
    | Repeat
    | Pause
    | Raw
    | InvalidJson
    | Noise
    | Oversized
    | Flood
    | Stderr
    | Close
    | Crash
    | Hang
)


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """A message that may come at any time, and what answers it if it is a request."""

    method: str
    result: Json = UNSET
    error: ErrorObject | UnsetType = UNSET
    fault: Literal["wrong_shape"] | None = None


class Scenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One side of a conversation."""

    scenario: Literal[1]
    """The version of this format."""
    name: str
    plays: Role
    protocol: Literal[1, 2]
    steps: tuple[AnyStep, ...]
    about: str = ""
    variables: dict[str, Json] = {}
    always: tuple[Rule, ...] = ()
    ids: int | str = 1
    """The first id of the peer's own requests, or the text that its ids begin with."""
    timeout: Seconds = 10.0
    """How many seconds each wait may take."""


def steps_in(steps: Sequence[AnyStep]) -> Iterator[AnyStep]:
    """All steps, those inside a `repeat` too."""
    for step in steps:
        yield step
        if isinstance(step, Repeat):
            yield from steps_in(step.steps)
