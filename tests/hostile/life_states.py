"""The states in which an agent may be when its client goes away, and how to get it there."""

import fcntl
import sys
import termios
import time
from collections.abc import Callable

from tests.hostile.raw_client import BOUND, NEW_SESSION, AgentHangs, RawAgent, line, prompt_params

_FULL = 60_000
"""Bytes in the pipe from the agent that leave no room for more than a few lines."""


def just_started(_: RawAgent) -> None:
    """Nothing was said; even the imports may still run."""


def initialized(agent: RawAgent) -> None:
    agent.initialize()


def in_the_middle_of_a_line(agent: RawAgent) -> None:
    agent.initialize()
    agent.send([b'{"jsonrpc":"2.0","id":1,"meth'])
    agent.await_consumed()


def in_an_endless_line(agent: RawAgent) -> None:
    agent.initialize()
    agent.send([b"x" * 1_000_000] * 80)
    agent.await_consumed()


def after_noise(agent: RawAgent) -> None:
    agent.initialize()
    agent.send([b"\xff\n{\n[]\n0\n\n"])
    agent.fence()


def with_a_turn_running(agent: RawAgent) -> None:
    agent.initialize()
    asked = prompt_params(agent.new_session(), "stream 10000000")
    agent.send([line(1, "session/prompt", asked)])
    agent.pump(lambda: bool(agent.told))


def with_output_full(agent: RawAgent) -> None:
    """The agent streams and nobody reads."""
    with_a_turn_running(agent)
    agent.reading = False
    deadline = time.monotonic() + BOUND
    while _waiting(agent) < _FULL:
        if time.monotonic() > deadline:
            raise AgentHangs("the agent says nothing")


def with_requests_piled_up(agent: RawAgent) -> None:
    """The agent has stopped reading, because nobody reads its answers."""
    agent.initialize()
    agent.reading = False
    agent.send(line(n, "session/new", NEW_SESSION) * 100 for n in range(500))
    while not agent.sent() and agent.step(0.2):
        pass


STATES: dict[str, Callable[[RawAgent], None]] = {
    state.__name__: state
    for state in (
        just_started,
        initialized,
        in_the_middle_of_a_line,
        in_an_endless_line,
        after_noise,
        with_a_turn_running,
        with_output_full,
        with_requests_piled_up,
    )
}


def _waiting(agent: RawAgent) -> int:
    """How many bytes lie in the pipe from the agent."""
    buffer = bytearray(4)
    fcntl.ioctl(agent.source, termios.FIONREAD, buffer)
    return int.from_bytes(buffer, sys.byteorder)
