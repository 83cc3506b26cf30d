"""The sessions that are open on one connection, and what goes on beside their turns.

Models are asked for in the background, since a session must not wait for them to open. When they
are known, or when the process works with another configuration, the options are announced anew.
"""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from parley.coder.background import Background
from parley.coder.catalogue import Catalogue
from parley.coder.open_session import OpenSession, read_commands
from parley.coder.runtime import Runtime
from parley.coder.store.log import SessionLog
from parley.coder.subagents.crew import SubAgents
from parley.errors import ResourceNotFound
from parley.session.role import ClientRole, SessionRequest

_LISTING_DELAY = 0.05
"""Seconds until models are asked for, so that the answer to the client has left before."""


class Sessions:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client: ClientRole | None = None
        self._open: dict[str, OpenSession] = {}
        self._background = Background()
        self._listed: Catalogue | None = None
        runtime.watchers.add(self._adopted)

    def attend(self, client: ClientRole) -> None:
        """Serve this client from here on."""
        if self._runtime.discover is not None and self._client is None:
            self._background.start(_awaited(self._runtime.discover))
        self._client = client

    def find(self, session_id: str) -> OpenSession | None:
        return self._open.get(session_id)

    def get(self, session_id: str) -> OpenSession:
        """The open session with this id.

        Raises:
            ResourceNotFound: there is none.
        """
        session = self._open.get(session_id)
        if session is None:
            raise ResourceNotFound("Resource not found: no such session", {"sessionId": session_id})
        return session

    async def open(
        self, log: SessionLog, roots: tuple[str, ...], request: SessionRequest
    ) -> OpenSession:
        """Take up a session whose log this process holds."""
        assert self._client is not None, "initialize comes first"
        session = OpenSession(self._runtime, self._client, log, roots)
        session.desk.crew = SubAgents(session)
        async with AsyncExitStack() as undo:
            undo.push_async_callback(log.close)
            await session.recover()
            await read_commands(session)
            undo.pop_all()
        self._open[session.id] = session
        _greet(session)
        session.servers.start((*request.mcp_servers, *self._runtime.settings.mcp_servers))
        session.skills.start()
        session.project.start()
        self._list_models()
        return session

    async def close(self, session_id: str) -> None:
        session = self._open.pop(session_id, None)
        if session is not None:
            await session.aclose()

    async def aclose(self) -> None:
        """End everything, each session whatever becomes of the others."""
        self._runtime.watchers.discard(self._adopted)
        await self._background.aclose()
        async with AsyncExitStack() as all_of_them:
            for session_id in tuple(self._open):
                all_of_them.push_async_callback(self.close, session_id)

    def _adopted(self) -> None:
        self._refresh()
        if self._open:
            self._list_models()

    def _refresh(self) -> None:
        for session in self._open.values():
            session.refresh()

    def _list_models(self) -> None:
        if self._listed is not self._runtime.catalogue:
            self._listed = self._runtime.catalogue
            self._background.start(self._learn(self._runtime.catalogue))

    async def _learn(self, catalogue: Catalogue) -> None:
        await self._runtime.sources.sleep(_LISTING_DELAY)
        await catalogue.learn_all()
        self._refresh()


def _greet(session: OpenSession) -> None:
    """What a person should know when a session opens."""
    for warning in session.runtime.settings.warnings:
        session.notify(warning)
    if session.log.store_damage is not None:
        session.notify("A part of the stored sessions is lost.", session.log.store_damage)
    if session.log.damage is not None:
        session.notify("A part of this session was damaged and is lost.", session.log.damage)
    chosen = session.history.options.get("model")
    if isinstance(chosen, str) and session.runtime.catalogue.find(chosen) is None:
        session.notify(f"The model `{chosen}` is not configured; `{session.model.id}` answers.")


async def _awaited(work: Callable[[], Awaitable[None]]) -> None:
    await work()
