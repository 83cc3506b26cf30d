"""The coding agent on one connection: the `AgentRole` that a client drives.

Owns which sessions are open here. Knows nothing of the wire; one application serves one client.
"""

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from parley.coder.background import Background
from parley.coder.catalogue import Catalogue
from parley.coder.loop import run_turn
from parley.coder.open_session import OpenSession
from parley.coder.profile import agent_profile
from parley.coder.runtime import Runtime
from parley.coder.store.log import SessionLog
from parley.errors import InvalidParams, MethodNotFound, ResourceNotFound
from parley.session.option import Option, OptionValue
from parley.session.profile import AgentProfile
from parley.session.role import (
    ClientRole,
    Ending,
    Prompt,
    SessionPage,
    SessionRequest,
    SessionSetup,
)

_LISTING_DELAY = 0.05
"""Seconds until models are asked for, so that the answer to the client has left before."""


class Application:
    """Implements `AgentRole`. `aclose` ends what the connection leaves behind."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client: ClientRole | None = None
        self._sessions: dict[str, OpenSession] = {}
        self._background = Background()
        self._listed: Catalogue | None = None
        runtime.watchers.add(self._adopted)

    async def initialize(self, client: ClientRole) -> AgentProfile:
        runtime = self._runtime
        if runtime.discover is not None and self._client is None:
            self._background.start(_awaited(runtime.discover))
        self._client = client
        settings = runtime.settings
        return agent_profile(settings.version, images=settings.images, logins=runtime.logins)

    async def aclose(self) -> None:
        """The connection is over, and so are the sessions that were opened on it."""
        self._runtime.watchers.discard(self._adopted)
        await self._background.aclose()
        async with AsyncExitStack() as all_of_them:
            for session_id in tuple(self._sessions):
                all_of_them.push_async_callback(self.close_session, session_id)

    async def login(self, method_id: str) -> None:
        known = {login.id for login in self._runtime.logins}
        if self._runtime.login is None or method_id not in known:
            raise InvalidParams("Invalid params: no such login method", {"path": "methodId"})
        await self._runtime.login(method_id)

    async def logout(self) -> None:
        raise MethodNotFound("Method not found: logout")

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        roots = await _roots(request)
        # 18 bytes become 24 characters that need no escaping in a path or an address.
        session_id = secrets.token_urlsafe(18)
        log = await self._runtime.store.create(session_id, *_places(request))
        return await self._open(log, roots, request)

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        setup = await self.resume_session(session_id, request)
        await self._get(session_id).replay()
        return setup

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        session = self._sessions.get(session_id)
        if session is not None:
            return session.setup()  # It is open here already, and may be at work.
        roots = await _roots(request)
        return await self._open(await self._runtime.store.open(session_id), roots, request)

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        roots = await _roots(request)
        new_id = secrets.token_urlsafe(18)
        log = await self._runtime.store.fork(session_id, new_id, *_places(request))
        return await self._open(log, roots, request)

    async def list_sessions(
        self, *, cwd: str | None = None, cursor: str | None = None, archived: str | None = None
    ) -> SessionPage:
        place = None if cwd is None else _place(cwd)
        return await self._runtime.store.list(cwd=place, cursor=cursor)

    async def close_session(self, session_id: str) -> None:
        session = self._sessions.pop(session_id, None)
        if session is not None:
            await session.aclose()

    async def delete_session(self, session_id: str) -> None:
        await self.close_session(session_id)
        await self._runtime.store.delete(session_id)

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        return await run_turn(self._get(session_id), prompt)

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        return await self._get(session_id).choose(option_id, value)

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        stop = self._get(session_id).stops.get(tool_call_id)
        if stop is None:
            raise InvalidParams("Invalid params: the tool call does not run")
        stop()

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        raise InvalidParams("Invalid params: the terminal cannot be cancelled alone")

    async def call(self, method: str, params: Any) -> Any:
        raise MethodNotFound(f"Method not found: {method[:100]}")

    def tell(self, method: str, params: Any) -> None:
        """No notification of a client means anything here."""

    def _get(self, session_id: str) -> OpenSession:
        session = self._sessions.get(session_id)
        if session is None:
            raise ResourceNotFound("Resource not found: no such session", {"sessionId": session_id})
        return session

    async def _open(
        self, log: SessionLog, roots: tuple[str, ...], request: SessionRequest
    ) -> SessionSetup:
        assert self._client is not None, "initialize comes first"
        session = OpenSession(self._runtime, self._client, log, roots)
        async with AsyncExitStack() as undo:
            undo.push_async_callback(log.close)
            await session.recover()
            undo.pop_all()
        self._sessions[session.id] = session
        setup = session.setup()
        _greet(session, request)
        self._list_models()
        return setup

    def _adopted(self) -> None:
        """The process works with another configuration."""
        for session in self._sessions.values():
            session.refresh()
        if self._sessions:
            self._list_models()

    def _list_models(self) -> None:
        if self._listed is not self._runtime.catalogue:
            self._listed = self._runtime.catalogue
            self._background.start(self._learn(self._runtime.catalogue))

    async def _learn(self, catalogue: Catalogue) -> None:
        await self._runtime.sources.sleep(_LISTING_DELAY)
        await catalogue.learn_all()
        for session in self._sessions.values():
            session.refresh()


def _greet(session: OpenSession, request: SessionRequest) -> None:
    """What a person should know when a session opens."""
    for warning in session.runtime.settings.warnings:
        session.notify(warning)
    if request.mcp_servers:
        # Servers of the client have their place here.
        names = ", ".join(f"`{server.name}`" for server in request.mcp_servers)
        session.notify(f"MCP servers cannot be started yet; left out: {names}.")
    if session.log.damage is not None:
        session.notify("A part of this session was damaged and is lost.", session.log.damage)
    chosen = session.chosen.model
    if (
        session.runtime.catalogue.find(chosen) is None
        and chosen in session.history.options.values()
    ):
        session.notify(f"The model `{chosen}` is not configured; `{session.model.id}` answers.")


def _places(request: SessionRequest) -> tuple[str, tuple[str, ...]]:
    """The folders under the names that the client uses, by which it will look for the session."""
    return _place(request.cwd), tuple(map(_place, request.additional_directories))


def _place(folder: str) -> str:
    return os.path.normpath(folder)


async def _roots(request: SessionRequest) -> tuple[str, ...]:
    """The real folders of a session, the one it works in first.

    Raises:
        InvalidParams: one of them is not a folder.
    """
    return await asyncio.to_thread(_real_folders, request)


def _real_folders(request: SessionRequest) -> tuple[str, ...]:
    wanted = [("cwd", request.cwd)]
    wanted += [("additionalDirectories", folder) for folder in request.additional_directories]
    for member, folder in wanted:
        if "\0" in folder or not os.path.isabs(folder) or not os.path.isdir(folder):
            raise InvalidParams(
                f"Invalid params: `{member}` must be the absolute path of a folder that exists:"
                f" {folder[:200]!r}",
                {"path": member},
            )
    return tuple(os.path.realpath(folder) for _, folder in wanted)


async def _awaited(work: Callable[[], Awaitable[None]]) -> None:
    await work()
