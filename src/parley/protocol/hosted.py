"""The sessions an agent has open on one connection: what may be said when, in neutral words.

It keeps the promises that authors cannot keep by themselves:

- Nothing about a session leaves before the answer that creates it: its events are held back.
- One turn of a session at a time. Prompts that come meanwhile wait, in order.
- Cancelling a session ends the running turn and withdraws the prompts that wait.
- When a turn ends, every tool call that it left open gets a final status.
- After the answer to close or delete nothing more is sent.

Both versions use it; it knows neither.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct, field

from parley.errors import LocalProtocolError, ResourceNotFound
from parley.session.event import (
    FINAL_STATUSES,
    ChunkAdded,
    Event,
    OptionsChanged,
    ToolCallChanged,
    ToolContentAdded,
)
from parley.session.option import Option
from parley.session.role import Ending


class Withdrawn(Exception):
    """A prompt was withdrawn before its turn began. Never leaves this package."""


class _Waiting(Struct):
    place: "asyncio.Future[None]"


class HostedSession(Struct):
    """One session, from the answer that opened it to the answer that closed it."""

    id: str
    options: tuple[Option, ...] = ()
    """The options as the client knows them."""
    open_tools: dict[str, str | None] = field(default_factory=dict)
    """Tool calls without a final status, with their status."""
    turn: "asyncio.Task[Any] | None" = None
    _ended_tools: set[str] = field(default_factory=set)
    _cancelled: bool = False
    _busy: bool = False
    _rest: asyncio.Event = field(default_factory=asyncio.Event)
    _waiting: deque[_Waiting] = field(default_factory=deque)

    @property
    def busy(self) -> bool:
        """Whether a turn runs."""
        return self._busy

    @property
    def cancelling(self) -> bool:
        """Whether the running turn has been asked to end."""
        return self._cancelled

    async def enter(self) -> None:
        """Wait until it is this prompt's turn.

        Raises:
            Withdrawn: the session was cancelled or closed before.
        """
        if not self._busy:
            self._busy, self._cancelled = True, False
            return
        waiting = _Waiting(asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            await waiting.place
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            elif waiting.place.done() and not waiting.place.cancelled():
                self._pass_on()  # The place came at the moment the prompt was given up.
            raise

    def leave(self) -> None:
        """Give the place that `enter` made back, because there will be no turn."""
        self._pass_on()

    async def settled(self) -> None:
        """Wait until no turn runs and none waits."""
        while self._busy:
            self._rest.clear()
            await self._rest.wait()

    async def run(
        self, work: Callable[[], Awaitable[Ending]], emit: Callable[[Event], None]
    ) -> Ending:
        """Run the turn that `enter` made room for, and tidy up behind it.

        A turn that ends because the session was cancelled ends as `cancelled`, whatever the
        abort raised (V1-CNC-05, V2-CNC-02). Cancelling the caller cancels the turn as well, and
        the caller sees its own cancellation.
        """
        self.turn = asyncio.current_task()
        status = "failed"
        try:
            # The session may have been cancelled between `enter` and here.
            ending = Ending("cancelled") if self._cancelled else await work()
            if self._cancelled:
                ending = Ending("cancelled", ending.usage, meta=ending.meta)
            status = "cancelled" if ending.stop_reason == "cancelled" else "failed"
            return ending
        except asyncio.CancelledError as abort:
            status = "cancelled"
            if not self._cancelled:
                raise
            _uncancel()
            match abort.args:
                case (Ending() as ending,):
                    return Ending("cancelled", ending.usage, meta=ending.meta)
                case _:
                    return Ending("cancelled")
        except Exception:
            if not self._cancelled:
                raise
            status = "cancelled"
            return Ending("cancelled")
        finally:
            self.turn = None
            try:
                for tool_call_id in list(self.open_tools):
                    emit(ToolCallChanged(tool_call_id, status=status))
            finally:
                self._pass_on()  # Whoever waits gets the next turn, whatever became of this one.

    def cancel(self) -> bool:
        """End the running turn and withdraw what waits; whether a turn was running."""
        self.withdraw()
        if self._busy and not self._cancelled:
            self._cancelled = True
            if self.turn is not None:
                self.turn.cancel()
        return self._busy

    def withdraw(self) -> None:
        """Refuse the prompts that wait for their turn."""
        while self._waiting:
            place = self._waiting.popleft().place
            if not place.done():
                place.set_exception(Withdrawn())

    def note(self, event: Event) -> None:
        """Keep what must be known about an event that leaves."""
        if isinstance(event, ToolCallChanged):
            if event.status in FINAL_STATUSES:
                self.open_tools.pop(event.id, None)
                self._ended_tools.add(event.id)
            elif isinstance(event.status, str):
                self.open_tools[event.id] = event.status
            elif event.id not in self._ended_tools:
                self.open_tools.setdefault(event.id, "pending")
        elif isinstance(event, ToolContentAdded):
            if event.id not in self._ended_tools:
                self.open_tools.setdefault(event.id, "pending")
        elif isinstance(event, OptionsChanged):
            self.options = event.options

    def _pass_on(self) -> None:
        while self._waiting:
            place = self._waiting.popleft().place
            if not place.done():
                self._cancelled = False
                place.set_result(None)
                return
        self._busy = False
        self._rest.set()


class HostedSessions:
    """The sessions of one connection, and the events of those that are just being opened."""

    def __init__(self, send: Callable[[HostedSession, Event], None]) -> None:
        self._send = send
        self._open: dict[str, HostedSession] = {}
        self._held: dict[str, list[Event]] = {}
        self._opening = 0

    def get(self, session_id: str) -> HostedSession:
        """The open session with this id.

        Raises:
            ResourceNotFound: there is none (V1-PRM-15, V2-RES-10).
        """
        session = self._open.get(session_id)
        if session is None:
            raise ResourceNotFound("Resource not found: no such session", {"sessionId": session_id})
        return session

    def find(self, session_id: str) -> HostedSession | None:
        return self._open.get(session_id)

    def begin(self) -> None:
        """A request that will create a session is being worked on: hold its events back."""
        self._opening += 1

    def end(self) -> None:
        """That request has been answered, or has failed."""
        self._opening -= 1
        if self._opening == 0:
            self._held.clear()

    def open(self, session_id: str, options: tuple[Option, ...] = ()) -> HostedSession:
        """The client knows the session from here on: send what was held back."""
        session = self._open.setdefault(session_id, HostedSession(session_id))
        session.options = options
        for event in self._held.pop(session_id, ()):
            self.emit(session_id, event)
        return session

    def close(self, session_id: str) -> HostedSession | None:
        """Nothing more may be sent for the session (V2-CLO-03)."""
        return self._open.pop(session_id, None)

    def emit(self, session_id: str, event: Event) -> None:
        """Send an event, or hold it back until the client knows the session.

        Raises:
            LocalProtocolError: the session is not open and not being opened.
        """
        session = self._open.get(session_id)
        if session is not None:
            if type(event) is not ChunkAdded:
                session.note(event)
            self._send(session, event)
        elif self._opening:
            self._held.setdefault(session_id, []).append(event)
        else:
            raise LocalProtocolError(f"session `{session_id}` is not open")

    def all(self) -> list[HostedSession]:
        return list(self._open.values())


def _uncancel() -> None:
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
