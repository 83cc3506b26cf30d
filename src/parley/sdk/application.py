"""An `Agent` on one connection: the `AgentRole` that its registrations amount to."""

import os
from collections.abc import Iterable
from contextlib import AsyncExitStack, ExitStack
from typing import Any

from msgspec.structs import replace

from parley.errors import InvalidParams, LocalProtocolError, MethodNotFound, ResourceNotFound
from parley.sdk.choice import with_value
from parley.sdk.registry import Registry
from parley.sdk.turn import Session, Turn, new_session_id
from parley.session.event import Failure
from parley.session.option import Option, OptionValue
from parley.session.profile import AgentProfile
from parley.session.role import (
    ClientRole,
    Ending,
    Prompt,
    SessionInfo,
    SessionPage,
    SessionRequest,
    SessionSetup,
)

_STOP_REASONS = (
    "end_turn",
    "max_tokens",
    "max_turn_requests",
    "refusal",
    "cancelled",
    "error",
)


class Application:
    """Implements `AgentRole` with the handlers of an agent."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._sessions = _Sessions(registry)

    async def initialize(self, client: ClientRole) -> AgentProfile:
        self._sessions.client = client
        return self._registry.profile

    async def aclose(self) -> None:
        """The connection is over, and so are the sessions that were opened on it."""
        async with AsyncExitStack() as all_of_them:
            for session_id in self._sessions.ids():
                all_of_them.push_async_callback(self.close_session, session_id)

    async def login(self, method_id: str) -> None:
        handler = self._registry.login_handlers.get(method_id)
        if handler is None:
            raise InvalidParams("Invalid params: no such login method", {"path": "methodId"})
        await handler()

    async def logout(self) -> None:
        await self._handler("logout")()

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        session = self._sessions.make(new_session_id(), request)
        if "new" in self._registry.handlers:
            await self._registry.handlers["new"](session)
        return self._sessions.opened(session)

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        return await self._reopen("load", session_id, request)

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        return await self._reopen("resume", session_id, request)

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        handler = self._handler("fork")
        session = self._sessions.make(new_session_id(), request)
        await handler(session, session_id)
        return self._sessions.opened(session)

    async def list_sessions(
        self, *, cwd: str | None = None, cursor: str | None = None, archived: str | None = None
    ) -> SessionPage:
        found: SessionPage | Iterable[SessionInfo] = await self._handler("list")(
            cwd=cwd, cursor=cursor
        )
        page = found if isinstance(found, SessionPage) else SessionPage(tuple(found))
        return page if cwd is None else replace(page, sessions=_placed(page.sessions, cwd))

    async def close_session(self, session_id: str) -> None:
        session = self._sessions.pop(session_id)
        if session is not None and "close" in self._registry.handlers:
            await self._registry.handlers["close"](session)

    async def delete_session(self, session_id: str) -> None:
        handler = self._handler("delete")
        await self.close_session(session_id)
        await handler(session_id)

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        handler = self._handler("prompt")
        turn = Turn(self._sessions.get(session_id), prompt)
        try:
            return _ending(await handler(turn))
        finally:
            turn.over()

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        session = self._sessions.get(session_id)
        before = session.options
        try:
            session.options = with_value(before, option_id, value)
        except LookupError:
            raise InvalidParams("Invalid params: no such option", {"path": "configId"}) from None
        except ValueError:
            raise InvalidParams("Invalid params: no such value", {"path": "value"}) from None
        handler = self._registry.handlers.get("option")
        if handler is not None:
            with ExitStack() as refused:
                refused.callback(setattr, session, "options", before)
                await handler(session, option_id, value)
                refused.pop_all()
        return session.options

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        raise InvalidParams("Invalid params: the tool call cannot be cancelled alone")

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        raise InvalidParams("Invalid params: the terminal cannot be cancelled alone")

    async def call(self, method: str, params: Any) -> Any:
        handler = self._registry.methods.get(method)
        if handler is None:
            raise MethodNotFound(f"Method not found: {method[:100]}")
        return await handler(params)

    def tell(self, method: str, params: Any) -> None:
        handler = self._registry.notifications.get(method)
        if handler is not None:
            handler(params)

    def _handler(self, name: str) -> Any:
        handler = self._registry.handlers.get(name)
        if handler is None:
            raise MethodNotFound
        return handler

    async def _reopen(self, name: str, session_id: str, request: SessionRequest) -> SessionSetup:
        handler = self._handler(name)
        session = self._sessions.make(session_id, request)
        await handler(session)
        return self._sessions.opened(session)


class _Sessions:
    """The sessions that are open on one connection."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._open: dict[str, Session] = {}
        self.client: ClientRole | None = None

    def ids(self) -> list[str]:
        return list(self._open)

    def make(self, session_id: str, request: SessionRequest) -> Session:
        assert self.client is not None, "initialize comes first"
        session = Session(session_id, request, self.client)
        before = self._open.get(session_id)
        if before is None:
            session.options, session.commands = self._registry.options, self._registry.commands
        else:
            # It is open already and opened once more: what its author keeps about it stays.
            session.data = before.data
            session.options, session.commands = before.options, before.commands
        return session

    def opened(self, session: Session) -> SessionSetup:
        session.opening = False
        self._open[session.id] = session
        return SessionSetup(session.id, session.options, session.commands)

    def get(self, session_id: str) -> Session:
        session = self._open.get(session_id)
        if session is None:
            raise ResourceNotFound("Resource not found: no such session", {"sessionId": session_id})
        return session

    def pop(self, session_id: str) -> Session | None:
        return self._open.pop(session_id, None)


def _placed(sessions: tuple[SessionInfo, ...], cwd: str) -> tuple[SessionInfo, ...]:
    """V1-LST-03: those of one directory, whatever else the author's list holds."""
    place = os.path.normpath(cwd)
    return tuple(info for info in sessions if os.path.normpath(info.cwd) == place)


def _ending(returned: Any) -> Ending:
    """What the handler of a prompt returned, as the end of its turn.

    Raises:
        LocalProtocolError: it is no stop reason.
    """
    match returned:
        case None:
            return Ending()
        case Ending():
            return returned
        case "error":
            return Ending("error", failure=Failure(-32603, "Internal error"))
        case str() if returned in _STOP_REASONS or returned.startswith("_"):
            return Ending(returned)
        case _:
            raise LocalProtocolError(
                f"a prompt handler returned {returned!r:.80}, which is no stop reason"
                f" ({', '.join(_STOP_REASONS)})\nhint: `await turn.say(...)` says something"
            )
