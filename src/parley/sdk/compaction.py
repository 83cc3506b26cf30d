"""A compaction of the context as its author handles it."""

from types import TracebackType
from typing import Literal, Self

from msgspec import UNSET, UnsetType

from parley.errors import LocalProtocolError
from parley.session.content import Block, Text
from parley.session.event import CompactionChanged, CompactionSummaryAdded, Event
from parley.session.role import ClientRole


class Compaction:
    """Use it as a context manager, once.

    Entering reports it. Leaving ends it: `completed`, or `failed` after an error or `fail()`, or
    `cancelled` with the turn. What it reports belongs to the session and not to a turn, so one
    that a forgotten task holds ends as well (V1-CMP-02).
    """

    def __init__(self, client: ClientRole, session_id: str, id: str) -> None:
        self._client = client
        self._session_id = session_id
        self._entered = False
        self._ended = False
        self.id = id

    async def __aenter__(self) -> Self:
        if self._entered:
            raise LocalProtocolError(f"the compaction `{self.id}` was used before")
        self._entered = True
        # Without waiting for a slow client: who is interrupted here would never come to the end.
        self._client.emit(self._session_id, CompactionChanged(self.id, "in_progress"))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._ended:
            return
        if kind is None:
            await self._end("completed")
            return
        self._ended = True
        status = "failed" if issubclass(kind, Exception) else "cancelled"
        # Without waiting here as well, for the same reason. What was raised may hold what is
        # nobody's business, so the client is not told its words.
        self._client.emit(self._session_id, CompactionChanged(self.id, status))

    async def add(self, content: str | Block) -> None:
        """Add to the summary that takes the place of what was compacted."""
        self._check()
        block = Text(content) if isinstance(content, str) else content
        await self._emit(CompactionSummaryAdded(self.id, block))

    async def fail(self, reason: str) -> None:
        """End it as failed, and say why."""
        self._check()
        await self._end("failed", reason)

    async def _end(
        self, status: Literal["completed", "failed"], error: str | UnsetType = UNSET
    ) -> None:
        self._ended = True
        await self._emit(CompactionChanged(self.id, status, error=error))

    async def _emit(self, event: Event) -> None:
        self._client.emit(self._session_id, event)
        if self._client.blocked:
            await self._client.drain()

    def _check(self) -> None:
        if not self._entered:
            raise LocalProtocolError(
                f"the compaction `{self.id}` has not begun\nhint: `async with` begins it"
            )
        if self._ended:
            raise LocalProtocolError(f"the compaction `{self.id}` has ended")
