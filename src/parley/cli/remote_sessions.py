"""The sessions of any agent, through the protocol: as much as the agent can do."""

import argparse
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress

from parley import __version__
from parley.cli.run import started
from parley.errors import AcpError, MethodNotFound
from parley.frontend.visible import one_line
from parley.protocol.settings import Settings
from parley.sdk.client import Client
from parley.sdk.conversation import AgentConnection, RemoteSession
from parley.session.event import Event
from parley.session.role import SessionInfo

_MOST_PAGES = 500
_DEADLINE = 60.0


class CannotDo(AcpError):
    """The agent does not offer what was asked for."""


@asynccontextmanager
async def remote_sessions(options: argparse.Namespace) -> AsyncGenerator["RemoteSessions"]:
    """Start the agent that was named, and end it afterwards."""
    start = started(options)
    # Nobody is there to answer, so every question of the agent is dismissed.
    client = Client("parley-sessions", __version__, title="Parley")
    heard: dict[str, list[Event]] = {}

    def hear(session: RemoteSession, event: Event) -> None:
        heard.setdefault(session.id, []).append(event)

    client.event(hear)
    # Forking is not stable yet in either version.
    settings = Settings(deadline=_DEADLINE, unstable=True)
    async with client.connect(
        start.command, settings=settings, cwd=start.cwd, env=start.env
    ) as agent:
        yield RemoteSessions(agent, heard)


class RemoteSessions:
    """Implements `SessionSource`."""

    def __init__(self, agent: AgentConnection, heard: dict[str, list[Event]]) -> None:
        self._agent = agent
        self._can = agent.profile.capabilities
        self._heard = heard

    async def listed(self, cwd: str | None) -> list[SessionInfo]:
        found: list[SessionInfo] = []
        cursor: str | None = None
        with self._asking("list its sessions", "name one by its whole id", can=self._can.list):
            for _ in range(_MOST_PAGES):
                page = await self._agent.list_sessions(cwd, cursor)
                found += page.sessions
                if page.next_cursor in (None, cursor):
                    break
                cursor = page.next_cursor
        # Agents exist that list the sessions of every folder, whatever they are asked.
        return [each for each in found if cwd is None or _place(each) == cwd]

    async def find(self, session_id: str) -> SessionInfo | None:
        return None if self._can.list else SessionInfo(session_id, os.getcwd())

    async def events(self, session: SessionInfo) -> list[Event]:
        self._heard.pop(session.session_id, None)
        fix = "look at it with the agent's own program"
        with self._asking("load a session", fix, can=self._can.load):
            loaded = await self._agent.load_session(session.session_id, session.cwd)
        if self._can.close:
            # What was looked for is here already.
            with suppress(AcpError):
                await loaded.close()
        return self._heard.pop(session.session_id, [])

    async def fork(self, session: SessionInfo) -> str:
        fix = "load it and go on with it: parley run --session ID"
        with self._asking("fork a session", fix, can=self._can.fork):
            forked = await self._agent.fork_session(session.session_id, session.cwd)
        return forked.id

    async def delete(self, session: SessionInfo) -> None:
        fix = "delete it with the agent's own program"
        with self._asking("delete a session", fix, can=self._can.delete):
            await self._agent.session(session.session_id).delete()

    @contextmanager
    def _asking(self, what: str, fix: str, *, can: bool) -> Generator[None]:
        """Ask the agent for something, unless it is known that it cannot do that."""
        label = one_line(self._agent.profile.info.label, 60)
        cannot = CannotDo(f"the agent ({label}) cannot {what}\nhint: {fix}")
        if not can:
            raise cannot
        try:
            yield
        except MethodNotFound:
            # Agents exist that say they can and cannot.
            raise cannot from None


def _place(session: SessionInfo) -> str:
    return os.path.normpath(session.cwd)
