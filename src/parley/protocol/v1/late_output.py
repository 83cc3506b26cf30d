"""Shows what a terminal of the agent wrote last, a moment after it wrote it.

How often the text of a terminal is sent depends on how much it grew, and that alone would keep the
last words of a command that waits from whoever waits for them. So what was held back is sent after
a moment. It owns the clock that the translation must not have.
"""

# Annotations that are evaluated would load models that a start can do without.
from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress

import parley.schema.v1 as v1
from parley.errors import TransportError

SECONDS = 0.2
"""How long output may be held back."""


class LateOutput:
    """`late` says what was held back in a session, and `post` sends it."""

    def __init__(
        self,
        late: Callable[[str], Iterable[v1.SessionUpdate]],
        post: Callable[[str, v1.SessionUpdate], None],
        seconds: float = SECONDS,
    ) -> None:
        self._late = late
        self._post = post
        self._seconds = seconds
        self._expected: dict[str, asyncio.TimerHandle] = {}

    def expect(self, session_id: str) -> None:
        """A terminal of this session wrote something, which may have been held back."""
        if session_id not in self._expected:
            loop = asyncio.get_running_loop()
            timer = loop.call_later(self._seconds, self._show, session_id)
            self._expected[session_id] = timer

    def forget(self, session_id: str) -> None:
        """The session is over."""
        timer = self._expected.pop(session_id, None)
        if timer is not None:
            timer.cancel()

    def _show(self, session_id: str) -> None:
        del self._expected[session_id]
        # A client that has gone needs no output.
        with suppress(TransportError):
            for update in self._late(session_id):
                self._post(session_id, update)
