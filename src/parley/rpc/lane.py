"""The ordered lane: what waits behind a notification handler that has not finished yet.

Notifications are handled inline, one after the other. A handler that only computes is done when
it returns. One that must wait returns an awaitable; from then on everything behind it queues
here, so order holds (RPC-27), and when the queue is full the connection stops reading, so the
peer is slowed down instead of our memory growing.

A handler may itself ask the peer something and wait for the answer (RPC-28). While it does,
answers and calls overtake the queue and only notifications wait; otherwise the answer that would
let it go on could stand behind it for ever.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

from parley.rpc.message import Notification
from parley.rpc.peer import Answered, Broken, Call, Event

ENTRY_OVERHEAD = 512
"""What an entry costs beside the bytes of its frame, so that many tiny ones count too."""

_current: ContextVar["Lane | None"] = ContextVar("parley_rpc_lane", default=None)


class Lane:
    """A queue of events behind one running handler."""

    def __init__(
        self,
        handle: Callable[[Event], Awaitable[None] | None],
        changed: Callable[[], None],
    ) -> None:
        self._handle = handle
        self._changed = changed
        self._queue: deque[tuple[Event, int]] = deque()
        self._asking = 0
        self.size = 0
        self.busy = False

    @property
    def asking(self) -> bool:
        """Whether the handler at the head waits for an answer of the peer."""
        return self._asking > 0

    def overtakes(self, event: Event) -> bool:
        """Whether an event is handled at once although the lane is busy."""
        if isinstance(event, Notification):
            return False
        return self.asking or not isinstance(event, (Answered, Broken, Call))

    def put(self, event: Event, size: int) -> None:
        self._queue.append((event, size + ENTRY_OVERHEAD))
        self.size += size + ENTRY_OVERHEAD

    async def run(self, first: Awaitable[None]) -> None:
        """Finish the first handler, then whatever has queued up behind it, in order."""
        _current.set(self)
        self.busy = True
        try:
            await first
            while self._queue:
                waiting = self._take(0)
                if waiting is not None:
                    await waiting
        finally:
            self.busy = False
            self._changed()

    def __enter__(self) -> None:
        """The running handler begins to wait for the peer: let pass what it may depend on."""
        self._asking += 1
        self._let_pass((Answered, Broken, Call))
        self._changed()

    def __exit__(self, *_: object) -> None:
        self._asking -= 1

    def pass_answers(self) -> None:
        """Hand out the answers that are queued; for the end, when no handler will finish."""
        self._let_pass((Answered, Broken))

    def _let_pass(self, kinds: tuple[type[Event], ...]) -> None:
        passing = [i for i, (event, _) in enumerate(self._queue) if isinstance(event, kinds)]
        for taken, index in enumerate(passing):
            self._take(index - taken)

    def _take(self, index: int) -> Awaitable[None] | None:
        event, size = self._queue[index]
        del self._queue[index]
        self.size -= size
        self._changed()
        return self._handle(event)


class _Free:
    """Stands in when the code that asks the peer is not in a lane."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


_FREE = _Free()


def asking(lane: Lane) -> Lane | _Free:
    """A context for waiting on the peer: marks the lane if the caller is its running handler.

    Tasks that the handler starts inherit the mark, so waiting through them counts as well.
    """
    return lane if lane.busy and _current.get() is lane else _FREE
