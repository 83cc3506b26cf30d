"""The faults of a script: what each of them does."""

import base64
from collections.abc import Iterator

from parley.conformance.player_action import Action, Complain, Die, Disconnect, Freeze, Send
from parley.conformance.scenario import Close, Crash, Hang, InvalidJson, Noise, Raw, Stderr
from parley.rpc.message import RequestId

Fault = Raw | InvalidJson | Noise | Stderr | Close | Crash | Hang


def actions_of(step: Fault) -> Iterator[Action]:
    """What a fault does."""
    match step:
        case Raw():
            data = base64.b64decode(step.base64 or "")
            yield Send(data if step.text is None else step.text.encode())
        case InvalidJson():
            yield Send(step.text.encode())
        case Noise():
            yield from (Send(line.encode()) for line in step.text.split("\n"))
        case Stderr():
            yield from (Complain(step.text) for _ in range(step.times))
        case Close():
            yield Disconnect(step.what)
        case Crash():
            yield Die(step.status, step.stderr)
        case Hang():
            yield Freeze(step.reading, step.seconds)


def wrong_id(id_: RequestId) -> RequestId:
    """An id of the same type that nobody has asked with."""
    return id_ + 1_000_000 if isinstance(id_, int) else f"{id_}-wrong"
