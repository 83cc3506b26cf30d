"""`parley.Agent`: write an agent once, with decorators; it speaks both versions.

What is registered is what is advertised, and a method nobody registered answers -32601.
"""

from collections.abc import Awaitable, Callable, Iterable

from parley.errors import LocalProtocolError
from parley.protocol.serve import serve
from parley.protocol.settings import Settings
from parley.rpc.transport import Transport
from parley.sdk.application import Application
from parley.sdk.handler import H, awaited, called_inline, extension
from parley.sdk.registry import PromptHandler, Registry, SessionHandler
from parley.sdk.turn import Session
from parley.session.option import Command, Option, OptionValue
from parley.session.profile import AgentCapabilities, AgentLogin, Implementation
from parley.session.role import SessionInfo, SessionPage
from parley.transport.stdio import run_stdio

ForkHandler = Callable[[Session, str], Awaitable[None]]
ListHandler = Callable[..., Awaitable[SessionPage | Iterable[SessionInfo]]]
DeleteHandler = Callable[[str], Awaitable[None]]
OptionHandler = Callable[[Session, str, OptionValue], Awaitable[None]]
LoginHandler = Callable[[], Awaitable[None]]


class Agent:
    """An agent: its name, what it takes, and a handler for each thing it can do.

    ```python
    agent = parley.Agent("echo")


    @agent.prompt
    async def echo(turn: parley.Turn) -> None:
        await turn.say(turn.text)


    agent.run()
    ```
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
        return self.registry.add("prompt", handler)

    def new_session(self, handler: SessionHandler) -> SessionHandler:
        """Register what prepares a new session, before the client is told about it."""
        return self.registry.add("new", handler)

    def load_session(self, handler: SessionHandler) -> SessionHandler:
        """Register what opens a stored session and reports its whole history again.

        It raises `ResourceNotFound` when there is no such session.
        """
        return self.registry.add("load", handler)

    def resume_session(self, handler: SessionHandler) -> SessionHandler:
        """Register what opens a stored session without reporting its history."""
        return self.registry.add("resume", handler)

    def fork_session(self, handler: ForkHandler) -> ForkHandler:
        """Register what prepares a new session as a copy of the one with the given id."""
        return self.registry.add("fork", handler)

    def list_sessions(self, handler: ListHandler) -> ListHandler:
        """Register what lists sessions; it takes `cwd` and `cursor` as keywords.

        It returns the sessions, or a `SessionPage` if there are more.
        """
        return self.registry.add("list", handler)

    def close_session(self, handler: SessionHandler) -> SessionHandler:
        """Register what frees a session's resources, after its work was cancelled.

        It runs for every session that is open: when the client closes it, or is gone.
        """
        return self.registry.add("close", handler)

    def delete_session(self, handler: DeleteHandler) -> DeleteHandler:
        """Register what deletes a stored session."""
        return self.registry.add("delete", handler)

    def option_changed(self, handler: OptionHandler) -> OptionHandler:
        """Register what follows when the client chose another value; it may refuse by raising."""
        return self.registry.add("option", handler)

    def login(
        self, id: str, name: str, description: str | None = None
    ) -> Callable[[LoginHandler], LoginHandler]:
        """Register a way of logging in."""

        def register(handler: LoginHandler) -> LoginHandler:
            self.registry.login_handlers[id] = awaited(handler)
            self.registry.logins.append(AgentLogin(id, name, description))
            return handler

        return register

    def logout(self, handler: LoginHandler) -> LoginHandler:
        """Register what logs out."""
        return self.registry.add("logout", handler)

    def method(self, name: str) -> Callable[[H], H]:
        """Register an extension method; its name starts with an underscore."""
        return extension(self.registry.methods, name, awaited)

    def notification(self, name: str) -> Callable[[H], H]:
        """Register an extension notification; its name starts with an underscore."""
        return extension(self.registry.notifications, name, called_inline)

    async def serve(self, transport: Transport, settings: Settings | None = None) -> None:
        """Let the client behind a transport drive the agent until the connection ends.

        Raises:
            LocalProtocolError: nothing is registered that answers a prompt.
        """
        self._check()
        application = Application(self.registry)
        try:
            await serve(application, transport, settings)
        finally:
            await application.aclose()

    def run(self, settings: Settings | None = None) -> None:
        """Serve the client that started this process, over stdin and stdout; then exit.

        Raises:
            LocalProtocolError: nothing is registered that answers a prompt.
        """
        self._check()
        raise SystemExit(run_stdio(lambda transport: self.serve(transport, settings)))

    def _check(self) -> None:
        if "prompt" not in self.registry.handlers:
            name = self.registry.info.name
            raise LocalProtocolError(
                f"the agent `{name}` answers no prompts\nhint: register a handler: `@agent.prompt`"
            )
