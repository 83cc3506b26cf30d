"""A turn that runs at an agent, as the author of a client handles it."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from typing import Any, Protocol, Self

from parley.errors import ConnectionClosed, LocalProtocolError, RpcError
from parley.protocol.connect import RemoteAgent
from parley.sdk.stream import EventStream, Pace
from parley.sdk.tasks import Tasks
from parley.session.event import Event
from parley.session.message import Message
from parley.session.role import Ending, Prompt
from parley.session.state import SessionState


class Line:
    """What the handles of one connection share."""

    def __init__(self, agent: RemoteAgent, tasks: Tasks, deadline: float) -> None:
        self.agent = agent
        self.tasks = tasks
        self.deadline = deadline
        """Seconds that the agent has to end a turn that was cancelled."""
        self.pace = Pace()


class TurnSession(Protocol):
    """What a turn needs of its session."""

    id: str
    state: SessionState
    stream: EventStream | None
    """Where events go while somebody iterates over a turn."""
    turns: "list[RemoteTurn]"
    """Those that are not over; the first one runs, the others wait."""


class RemoteTurn:
    """A turn at an agent: `await` it for how it ended, or iterate over what happens.

    Nothing is sent before. Leaving the iteration early cancels the turn; so does cancelling the
    task, and leaving it as a context manager, which also waits until it has ended. The turns of a
    session wait for each other.
    """

    def __init__(self, line: Line, session: TurnSession, prompt: Prompt) -> None:
        self._line = line
        self._session = session
        self._prompt = prompt
        self._task: asyncio.Task[Ending] | None = None
        self._stream: EventStream | None = None
        self._called = asyncio.Event()
        self._withdrawn = False
        self._given_up = False
        self._state: SessionState | None = None
        """The state of the session, once the prompt has been sent."""
        self._first = 0
        self._last: int | None = None
        self.ending: Ending | None = None
        """How it ended, once it has."""

    @property
    def text(self) -> str:
        """What the agent has said in this turn."""
        items = self._state.transcript[self._first : self._last] if self._state else ()
        said = (each for each in items if isinstance(each, Message) and each.speaker == "agent")
        return "".join(message.text for message in said)

    def result(self) -> Ending:
        """How it ended, once it has.

        Raises:
            RpcError: it ended with an error.
            LocalProtocolError: it has not ended.
        """
        if self.ending is None:
            raise LocalProtocolError("the turn has not ended")
        failure = self.ending.failure
        if failure is not None:
            raise RpcError.of(failure.code, failure.message, failure.data)
        return self.ending

    def __await__(self) -> Generator[Any, None, Ending]:
        return self._wait().__await__()

    def __aiter__(self) -> "TurnEvents":
        return TurnEvents(*self._taken())

    def batches(self) -> "TurnBatches":
        """The same for whoever shows many events at once: lists of what has come meanwhile."""
        return TurnBatches(*self._taken())

    async def __aenter__(self) -> Self:
        self._stream = self._line.pace.stream()
        self._begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cancel()
        assert self._task is not None
        await asyncio.wait([self._task])

    def cancel(self) -> None:
        """Ask the agent to end the turn; `await` it to see that it has."""
        task = self._task
        if task is None or task.done():
            return
        if self._state is None:
            self.withdraw()
        else:
            self._line.tasks.start(self._cancel_at_agent())

    def withdraw(self) -> None:
        """Let it end without having begun, if it waits."""
        if self._state is None:
            self._withdrawn = True
            self._called.set()

    def call(self) -> None:
        """It is this one's turn."""
        self._called.set()

    def see_out(self) -> None:
        """The agent was told to end it; one that does not in time is left behind."""
        task = self._task
        if task is not None and self._state is not None and not task.done():
            self._line.tasks.start(self._give_up_on(task))

    async def _wait(self) -> Ending:
        task = self._task or self._begin()
        if self._stream is not None:
            self._stream.end()  # Nobody will read it.
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            self.cancel()
            raise
        if task.cancelled():
            raise ConnectionClosed("the connection was closed before the turn ended")
        return task.result()

    def _taken(self) -> "_Taken":
        """What an iteration needs, of which there can be one."""
        if self._task is None:
            self._stream = self._line.pace.stream()
            self._begin()
        if self._stream is None:
            raise LocalProtocolError("the turn has begun, so its first events are gone")
        stream, self._stream = self._stream, None
        assert self._task is not None
        return stream, self._task, self.cancel

    def _begin(self) -> "asyncio.Task[Ending]":
        if self._task is not None:
            raise LocalProtocolError("the turn has begun already")
        turns, stream = self._session.turns, self._stream
        turns.append(self)
        if turns[0] is self:
            self.call()
        self._task = self._line.tasks.start(self._run(stream))
        self._task.add_done_callback(lambda task: self._over(task, stream))
        return self._task

    async def _run(self, stream: EventStream | None) -> Ending:
        await self._called.wait()
        try:
            self.ending = Ending("cancelled") if self._withdrawn else await self._work(stream)
        except asyncio.CancelledError:
            if not self._given_up:
                raise
            self.ending = Ending("cancelled")  # For us it is over, whatever the agent does.
        return self.ending

    async def _work(self, stream: EventStream | None) -> Ending:
        session = self._session
        self._state = session.state
        self._first = len(self._state.transcript)
        session.stream = stream
        try:
            with self._line.pace:
                return await self._line.agent.prompt(session.id, self._prompt)
        finally:
            session.stream = None
            self._last = len(self._state.transcript)

    def _over(self, task: "asyncio.Task[Ending]", stream: EventStream | None) -> None:
        """The next one may begin, and who iterates is told."""
        turns = self._session.turns
        ran = turns[0] is self
        turns.remove(self)
        if ran and turns:
            turns[0].call()
        if stream is not None:
            closed = ConnectionClosed("the connection was closed before the turn ended")
            stream.end(closed if task.cancelled() else task.exception())

    async def _cancel_at_agent(self) -> None:
        """Cancel the turn in the words of the protocol."""
        await self._line.agent.cancel(self._session.id)
        self.see_out()

    async def _give_up_on(self, task: "asyncio.Task[Ending]") -> None:
        # Agents exist that never answer a prompt which they cancelled.
        await asyncio.wait([task], timeout=self._line.deadline)
        self._given_up = True
        task.cancel()


_Taken = tuple[EventStream, "asyncio.Task[Ending]", Callable[[], None]]


class _Reading:
    """An iteration over a turn, which cancels the turn when it is dropped."""

    def __init__(
        self, stream: EventStream, task: "asyncio.Task[Ending]", cancel: Callable[[], None]
    ) -> None:
        self._stream = stream
        self._task = task
        self._cancel = cancel

    def __aiter__(self) -> Self:
        return self

    def __del__(self) -> None:
        if not self._task.done():
            # Maybe in another thread, or when the loop is gone.
            with suppress(RuntimeError):
                self._task.get_loop().call_soon_threadsafe(_dropped, self._stream, self._cancel)


class TurnEvents(_Reading):
    """Iterates over the events of a turn."""

    def __anext__(self) -> Awaitable[Event]:
        return self._stream.__anext__()


class TurnBatches(_Reading):
    """Iterates over the events of a turn, all at a time that are there."""

    def __anext__(self) -> Awaitable[list[Event]]:
        return self._stream.batch()


def _dropped(stream: EventStream, cancel: Callable[[], None]) -> None:
    stream.end()
    cancel()
