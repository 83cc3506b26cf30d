"""An `Agent` on one connection: the `AgentRole` that its registrations amount to."""

from typing import Any

import msgspec

from parley.errors import InvalidParams, MethodNotFound, ResourceNotFound
from parley.sdk.registry import Registry
from parley.sdk.turn import Session, Turn, new_session_id
from parley.session.event import Failure
from parley.session.option import Option, OptionValue, Select, Toggle
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
    """Implements `AgentRole` with the handlers of an agent."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._sessions = _Sessions(registry)

    async def initialize(self, client: ClientRole) -> AgentProfile:
        self._sessions.client = client
        return self._registry.profile

    async def login(self, method_id: str) -> None:
        handler = self._registry.login_handlers.get(method_id)
        if handler is None:
            raise InvalidParams("Invalid params: no such login method", {"path": "methodId"})
        await handler()

    async def logout(self) -> None:
        await self._handler("logout")()

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        session = self._sessions.make(new_session_id(), request)
        if "new" in self._registry.sessions:
            await self._registry.sessions["new"](session)
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
        page: SessionPage = await self._handler("list")(cwd=cwd, cursor=cursor)
        return page

    async def close_session(self, session_id: str) -> None:
        session = self._sessions.pop(session_id)
        if session is not None and "close" in self._registry.sessions:
            await self._registry.sessions["close"](session)

    async def delete_session(self, session_id: str) -> None:
        await self._handler("delete")(session_id)
        self._sessions.pop(session_id)

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        if self._registry.prompt is None:
            raise MethodNotFound("Method not found: the agent takes no prompts")
        ending = await self._registry.prompt(Turn(self._sessions.get(session_id), prompt))
        if isinstance(ending, Ending):
            return ending
        if ending == "error":
            return Ending("error", failure=Failure(-32603, "Internal error"))
        return Ending(ending or "end_turn")

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        session = self._sessions.get(session_id)
        if not session.options:
            raise MethodNotFound("Method not found: the session has no options")
        changed = tuple(_changed(option, option_id, value) for option in session.options)
        if changed == session.options and session.option(option_id) is None:
            raise InvalidParams("Invalid params: no such option", {"path": "configId"})
        if "option" in self._registry.sessions:
            await self._registry.sessions["option"](session, option_id, value)
        # The handler may have changed other options; what it set counts.
        session.options = tuple(_changed(option, option_id, value) for option in session.options)
        return session.options

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        raise InvalidParams("Invalid params: the tool call cannot be cancelled alone")

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        raise InvalidParams("Invalid params: the terminal cannot be cancelled alone")

    async def call(self, method: str, params: Any) -> Any:
        handler = self._registry.methods.get(method)
        if handler is None:
            raise MethodNotFound(f"Method not found: {method}")
        return await handler(params)

    def tell(self, method: str, params: Any) -> None:
        handler = self._registry.notifications.get(method)
        if handler is not None:
            handler(params)

    def _handler(self, name: str) -> Any:
        handler = self._registry.sessions.get(name)
        if handler is None:
            raise MethodNotFound()
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

    def make(self, session_id: str, request: SessionRequest) -> Session:
        assert self.client is not None, "initialize comes first"
        session = Session(session_id, request, self.client)
        session.options = self._registry.options
        session.commands = self._registry.commands
        return session

    def opened(self, session: Session) -> SessionSetup:
        self._open[session.id] = session
        return SessionSetup(session.id, session.options, session.commands)

    def get(self, session_id: str) -> Session:
        session = self._open.get(session_id)
        if session is None:
            raise ResourceNotFound("Resource not found: no such session", {"sessionId": session_id})
        return session

    def pop(self, session_id: str) -> Session | None:
        return self._open.pop(session_id, None)


def _changed(option: Option, id: str, value: OptionValue) -> Option:
    """The option with its new value, if it is the one that is meant.

    Raises:
        InvalidParams: the value is none that the option offers (V1-CFG-10, V2-CFG-02).
    """
    if option.id != id:
        return option
    match option:
        case Select() if value in {choice.value for choice in option.flat()}:
            return msgspec.structs.replace(option, current=value)
        case Toggle() if isinstance(value, bool):
            return msgspec.structs.replace(option, current=value)
        case _:
            raise InvalidParams("Invalid params: no such value", {"path": "value"})
