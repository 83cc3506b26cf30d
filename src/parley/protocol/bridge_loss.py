"""What becomes of a loss: it is reported, and a strict bridge lets something fail for it.

Who fails is whoever waits: the turn or the replay that the loss belongs to, or the request that is
being translated. Where nobody waits there is nothing to fail, and a report is all there is.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from parley.errors import InternalError
from parley.protocol.settings import Loss
from parley.rpc.calls import answering
from parley.rpc.peer import Call


class LossRefused(InternalError):
    """A strict bridge met something that the other version cannot say."""

    def __init__(self, loss: Loss) -> None:
        super().__init__(
            f"Internal error: the bridge refuses to lose `{loss.what}`: {loss.detail}",
            {"acpBridge": {"loss": loss.what, "detail": loss.detail}},
        )


class Work:
    """Something that a client waits for in one session."""

    def __init__(self) -> None:
        self.refusal: asyncio.Future[LossRefused] = asyncio.get_running_loop().create_future()
        """Done when it has to fail."""
        self.cancelled = False
        """Whether the client has given it up; then it ends as it ends."""

    def refuse(self, refused: LossRefused) -> None:
        if not self.cancelled and not self.refusal.done():
            self.refusal.set_result(refused)


class LossGate:
    """Takes every loss of one bridge, and knows what runs in its sessions."""

    def __init__(self, report: Callable[[Loss], None] | None, *, strict: bool) -> None:
        self._report = report
        self._strict = strict
        self._works: dict[str | None, list[Work]] = {}
        """What runs, by session; a session may be loaded again while a turn runs in it."""

    @contextmanager
    def working(self, session_id: str, work: Work) -> Generator[None]:
        """Something runs in a session; a loss in it is one of this work."""
        works = self._works.setdefault(session_id, [])
        works.append(work)
        try:
            yield
        finally:
            works.remove(work)

    def work_in(self, session_id: str | None) -> Work | None:
        """What began last of all that runs in the session."""
        works = self._works.get(session_id)
        return works[-1] if works else None

    def to_client(self, loss: Loss) -> None:
        """Something cannot be said to the client.

        Raises:
            LossRefused: the bridge is strict, and the running task translates an answer that has
                not left yet.
        """
        self.report(loss)
        if not self._strict:
            return
        refused = LossRefused(loss)
        work = self.work_in(loss.session_id)
        if work is not None:
            work.refuse(refused)
        if _refusable.get() is answering.get():
            raise refused

    def to_agent(self, loss: Loss) -> None:
        """Something cannot be said to the agent; that happens before a request is sent.

        Raises:
            LossRefused: the bridge is strict.
        """
        self.report(loss)
        if self._strict:
            raise LossRefused(loss)

    def report(self, loss: Loss) -> None:
        """Report a loss for which something fails in any case."""
        if self._report is not None:
            self._report(loss)


_NEVER = object()
_refusable: ContextVar[Call | object | None] = ContextVar("parley_refusable", default=_NEVER)


def refusable() -> None:
    """What the running task translates from here on may fail, until its answer has left."""
    _refusable.set(answering.get())
