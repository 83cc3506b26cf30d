"""The sessions of our own agent, read from its store and not through the protocol.

So they can be looked at while an editor has them open, and without starting an agent.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from parley.coder.store.database import FILE_NAME
from parley.coder.store.entry import Entry, Told, TurnBegun, TurnOver
from parley.coder.store.record import new_session_id
from parley.coder.store.store import Store
from parley.session.event import Event, StateChanged
from parley.session.role import SessionInfo

_PAGE = 1000


@asynccontextmanager
async def stored_sessions(folder: Path) -> AsyncGenerator["StoredSessions"]:
    """The sessions in a folder of our agent."""
    async with aclosing(Store(folder)) as store:
        yield StoredSessions(folder, store)


class StoredSessions:
    """Implements `SessionSource`."""

    def __init__(self, folder: Path, store: Store) -> None:
        self._file = folder / FILE_NAME
        self._store = store

    async def listed(self, cwd: str | None) -> list[SessionInfo]:
        found: list[SessionInfo] = []
        # Looking must not make a store where there is none.
        if not self._file.exists():
            return found
        cursor: str | None = None
        while True:
            page = await self._store.list(cwd=cwd, cursor=cursor, limit=_PAGE)
            found += page.sessions
            cursor = page.next_cursor
            if cursor is None:
                return found

    async def find(self, session_id: str) -> SessionInfo | None:
        return await self._store.describe(session_id) if self._file.exists() else None

    async def events(self, session: SessionInfo) -> list[Event]:
        entries = await self._store.entries(session.session_id)
        return [event for entry in entries if (event := _event(entry)) is not None]

    async def fork(self, session: SessionInfo) -> str:
        log = await self._store.fork(
            session.session_id,
            new_session_id(),
            session.cwd,
            session.additional_directories,
        )
        await log.close()
        return log.session_id

    async def delete(self, session: SessionInfo) -> None:
        await self._store.delete(session.session_id)


def _event(entry: Entry) -> Event | None:
    match entry:
        case Told(event=event):
            return event
        case TurnBegun():
            return StateChanged("running")
        case TurnOver(ending=ending):
            return StateChanged("idle", ending.stop_reason, ending.failure, ending.usage)
        case _:
            return None
