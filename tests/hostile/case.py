"""What a hostile case is: bytes that go in, answers that must come out, and what it may cost."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tests.hostile.raw_client import BOUND, RawAgent

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
CANCELLED = -32800

FRAME_LIMIT = 64 * 1024 * 1024
"""The default limit of one message, in bytes."""


@dataclass(frozen=True)
class Answer:
    """One answer that must come: with this id, and with a result or an error of this code."""

    id: Any
    code: int | None = None


@dataclass(frozen=True)
class Case:
    """Something hostile and what must come back: these answers, no others, then life goes on."""

    name: str
    writes: Callable[[], Iterable[bytes]]
    answers: tuple[Answer, ...] = ()
    chunks: tuple[str, ...] = ()
    """What the agent says in its turns, when the input asks for turns."""
    inputs: int = 1
    megabytes: float = 16
    """How much the memory of the agent may grow."""
    seconds: float = BOUND
    versions: tuple[int, ...] = (1, 2)
    apart: bool = False
    """Whether each write waits until the agent has read the one before."""


@dataclass(frozen=True)
class Cost:
    """What a case cost the agent."""

    inputs: int
    seconds: float
    peak_megabytes: float


def case(
    name: str,
    *writes: bytes,
    answers: Iterable[Answer] = (),
    inputs: int | None = None,
    **more: Any,
) -> Case:
    """A case whose input is short enough to be written down; each write is one input."""
    count = len(writes) if inputs is None else inputs
    return Case(name, lambda: writes, tuple(answers), inputs=count, **more)


def refused(name: str, code: int, *lines: bytes, id_: Any = None, **more: Any) -> Case:
    """A case in which every line is answered with the same error."""
    return case(
        name, *(each + b"\n" for each in lines), answers=[Answer(id_, code)] * len(lines), **more
    )


def perform(agent: RawAgent, each: Case) -> Cost:
    """Send the input and check what comes back, that the agent lives, and what it cost."""
    assert agent.answers == [], "left over from before"
    before = agent.gauge.forget_peak()
    started = time.monotonic()
    if each.apart:
        for write in each.writes():
            agent.send([write])
            agent.await_consumed()
    else:
        agent.send(each.writes())
    agent.pump(lambda: agent.sent() and _enough(agent, each), each.seconds)
    agent.fence()
    seconds = time.monotonic() - started
    seen, wanted = _seen(agent), _wanted(each)
    assert seen == wanted, f"unwanted: {_brief(seen - wanted)}, missing: {_brief(wanted - seen)}"
    assert tuple(agent.chunks()) == each.chunks, "it said something else"
    peak = agent.gauge.peak()
    assert peak - before <= each.megabytes, f"{peak - before:.1f} MB more than before"
    agent.forget()
    return Cost(each.inputs, seconds, peak)


def _enough(agent: RawAgent, each: Case) -> bool:
    # In version 2 a turn goes on behind the answer, so what it says is waited for as well.
    if len(agent.answers) < len(each.answers):
        return False
    return agent.chunks_told >= len(each.chunks)


def _seen(agent: RawAgent) -> Counter[tuple[str, int | None]]:
    return Counter(
        (_exact(each["id"]), each["error"]["code"] if "error" in each else None)
        for each in agent.answers
    )


def _wanted(each: Case) -> Counter[tuple[str, int | None]]:
    return Counter((_exact(answer.id), answer.code) for answer in each.answers)


def _brief(answers: Counter[tuple[str, int | None]]) -> str:
    return ", ".join(f"{n} x {code} for {id_[:40]}" for (id_, code), n in answers.items())[:1000]


def _exact(id_: Any) -> str:
    """The id with its type: 7 is not "7", and 1 is not 1.0."""
    return json.dumps(id_)
