"""`parley.Agent`: write an agent once, with decorators; it speaks both versions.

What is registered is what is advertised, and a method nobody registered answers -32601.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from parley.protocol.serve import serve
from parley.protocol.settings import Settings
from parley.rpc.transport import Transport
from parley.sdk.application import Application
from parley.sdk.registry import PromptHandler, Registry, SessionHandler
from parley.sdk.turn import Session
from parley.session.option import Command, Option, OptionValue
from parley.session.profile import AgentCapabilities, AgentLogin, Implementation
from parley.session.role import SessionPage
from parley.transport.stdio import run_stdio

H = TypeVar("H", bound=Callable[..., Any])


class Agent:
    """An agent.

    agent = parley.Agent("echo")

    @agent.prompt
    async def echo(turn: parley.Turn) -> None:
        await turn.say(turn.text)

    agent.run()
    """

    def __init__(
        self,
        name: str,
        version: str = "0",
        *,
        title: str | None = None,
        options: Iterable[Option] = (),
        commands: Iterable[Command] = (),
        image: bool = False,
        audio: bool = False,
        embedded_context: bool = False,
        mcp_http: bool = False,
        additional_directories: bool = False,
    ) -> None:
        inputs = AgentCapabilities(
            image=image,
            audio=audio,
            embedded_context=embedded_context,
            mcp_http=mcp_http,
            additional_directories=additional_directories,
        )
        self.registry = Registry(
            Implementation(name, version, title), inputs, tuple(options), tuple(commands)
        )

    def prompt(self, handler: PromptHandler) -> PromptHandler:
        """Register what answers a prompt. Every agent needs it."""
        self.registry.prompt = handler
        return handler

    def new_session(self, handler: SessionHandler) -> SessionHandler:
        """Register what prepares a new session, before the client is told about it."""
        return self._register("new", handler)

    def load_session(self, handler: SessionHandler) -> SessionHandler:
        """Register what opens a stored session and reports its whole history again.

        It raises `ResourceNotFound` when there is no such session.
        """
        return self._register("load", handler)

    def resume_session(self, handler: SessionHandler) -> SessionHandler:
        """Register what opens a stored session without reporting its history."""
        return self._register("resume", handler)

    def fork_session(
        self, handler: Callable[[Session, str], Awaitable[None]]
    ) -> Callable[[Session, str], Awaitable[None]]:
        """Register what prepares a new session as a copy of the one with the given id."""
        return self._register("fork", handler)

    def list_sessions(
        self, handler: Callable[..., Awaitable[SessionPage]]
    ) -> Callable[..., Awaitable[SessionPage]]:
        """Register what lists sessions; it takes `cwd` and `cursor` as keywords."""
        return self._register("list", handler)

    def close_session(self, handler: SessionHandler) -> SessionHandler:
        """Register what frees a session's resources, after its work was cancelled."""
        return self._register("close", handler)

    def delete_session(
        self, handler: Callable[[str], Awaitable[None]]
    ) -> Callable[[str], Awaitable[None]]:
        """Register what deletes a stored session."""
        return self._register("delete", handler)

    def option_changed(
        self, handler: Callable[[Session, str, OptionValue], Awaitable[None]]
    ) -> Callable[[Session, str, OptionValue], Awaitable[None]]:
        """Register what follows when the client chose another value; it may refuse by raising."""
        return self._register("option", handler)

    def login(
        self, id: str, name: str, description: str | None = None
    ) -> Callable[[Callable[[], Awaitable[None]]], Callable[[], Awaitable[None]]]:
        """Register a way of logging in."""

        def register(handler: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
            self.registry.logins.append(AgentLogin(id, name, description))
            self.registry.login_handlers[id] = handler
            return handler

        return register

    def logout(self, handler: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """Register what logs out."""
        return self._register("logout", handler)

    def method(self, name: str) -> Callable[[H], H]:
        """Register an extension method; its name starts with an underscore."""
        return _extension(self.registry.methods, name)

    def notification(self, name: str) -> Callable[[H], H]:
        """Register an extension notification; its name starts with an underscore."""
        return _extension(self.registry.notifications, name)

    async def serve(self, transport: Transport, settings: Settings | None = None) -> None:
        """Let the client behind a transport drive the agent until the connection ends."""
        await serve(Application(self.registry), transport, settings)

    def run(self, settings: Settings | None = None) -> None:
        """Serve the client that started this process, over stdin and stdout; then exit."""
        raise SystemExit(run_stdio(lambda transport: self.serve(transport, settings)))

    def _register(self, name: str, handler: H) -> H:
        self.registry.sessions[name] = handler
        return handler


def _extension(table: dict[str, Any], name: str) -> Callable[[H], H]:
    if not name.startswith("_"):
        raise ValueError(f"the extension `{name}` must start with an underscore")  # EXT-06

    def register(handler: H) -> H:
        table[name] = handler
        return handler

    return register
