"""The coding agent on one connection: the `AgentRole` that a client drives.

Knows nothing of the wire; one application serves one client.
"""

import asyncio
import os
from typing import Any

from parley.coder.loop import insert_prompt, run_turn
from parley.coder.profile import agent_profile
from parley.coder.runtime import Runtime
from parley.coder.sessions import Sessions
from parley.coder.store.record import new_session_id
from parley.errors import InvalidParams, MethodNotFound
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


class Application:
    """Implements `AgentRole`. `aclose` ends what the connection leaves behind."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.sessions = Sessions(runtime)

    async def initialize(self, client: ClientRole) -> AgentProfile:
        self.sessions.attend(client)
        settings, logins = self._runtime.settings, self._runtime.logins
        return agent_profile(settings.version, images=settings.images, logins=logins)

    async def aclose(self) -> None:
        """The connection is over, and so are the sessions that were opened on it."""
        await self.sessions.aclose()

    async def login(self, method_id: str) -> None:
        known = {login.id for login in self._runtime.logins}
        if self._runtime.login is None or method_id not in known:
            raise InvalidParams("Invalid params: no such login method", {"path": "methodId"})
        await self._runtime.login(method_id)

    async def logout(self) -> None:
        raise MethodNotFound("Method not found: logout")

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        roots = await _roots(request)
        session_id = new_session_id()
        log = await self._runtime.store.create(session_id, *_places(request))
        return (await self.sessions.open(log, roots, request)).setup()

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        setup = await self.resume_session(session_id, request)
        await self.sessions.get(session_id).replay()
        return setup

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        session = self.sessions.find(session_id)
        if session is None:  # Otherwise it is open here already, and may be at work.
            roots = await _roots(request)
            log = await self._runtime.store.open(session_id)
            session = await self.sessions.open(log, roots, request)
        return session.setup()

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        roots = await _roots(request)
        new_id = new_session_id()
        log = await self._runtime.store.fork(session_id, new_id, *_places(request))
        return (await self.sessions.open(log, roots, request)).setup()

    async def list_sessions(
        self, *, cwd: str | None = None, cursor: str | None = None, archived: str | None = None
    ) -> SessionPage:
        place = None if cwd is None else _place(cwd)
        return await self._runtime.store.list(cwd=place, cursor=cursor)

    async def close_session(self, session_id: str) -> None:
        await self.sessions.close(session_id)

    async def delete_session(self, session_id: str) -> None:
        await self.close_session(session_id)
        await self._runtime.store.delete(session_id)

    async def insert(self, session_id: str, prompt: Prompt) -> None:
        await insert_prompt(self.sessions.get(session_id), prompt)

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        return await run_turn(self.sessions.get(session_id), prompt)

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        return await self.sessions.get(session_id).choose(option_id, value)

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        stop = self.sessions.get(session_id).stops.get(tool_call_id)
        if stop is None:
            raise InvalidParams("Invalid params: the tool call does not run")
        stop()

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        raise InvalidParams("Invalid params: the terminal cannot be cancelled alone")

    async def call(self, method: str, params: Any) -> Any:
        raise MethodNotFound(f"Method not found: {method[:100]}")

    def tell(self, method: str, params: Any) -> None:
        """No notification of a client means anything here."""


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
