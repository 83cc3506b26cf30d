"""A turn and a session, as the author of an agent handles them."""

import secrets
from typing import Any

from parley.sdk.report import Report
from parley.sdk.tool import ALLOW_OR_REJECT
from parley.session.content import Block, Meta, Resource, Text
from parley.session.event import CommandsChanged, OptionsChanged
from parley.session.option import Command, Option, OptionValue, Select, Toggle
from parley.session.question import (
    Accepted,
    CommandSubject,
    Decision,
    FormQuestion,
    PermissionOption,
    PermissionQuestion,
    SessionScope,
    Subject,
    decide,
)
from parley.session.role import ClientRole, McpServer, Prompt, SessionRequest


class Session(Report):
    """An open session. `data` is the author's own; it lives as long as the session is open."""

    def __init__(self, id: str, request: SessionRequest, client: ClientRole) -> None:
        super().__init__(client, id)
        self.id = id
        self.cwd = request.cwd
        self.additional_directories: tuple[str, ...] = request.additional_directories
        self.mcp_servers: tuple[McpServer, ...] = request.mcp_servers
        self.request = request
        self.options: tuple[Option, ...] = ()
        self.commands: tuple[Command, ...] = ()
        self.data: dict[str, Any] = {}

    def option(self, id: str) -> OptionValue | None:
        """The current value of an option; `None` if there is no such option."""
        for option in self.options:
            if option.id == id and isinstance(option, (Select, Toggle)):
                return option.current
        return None

    async def set_options(self, options: tuple[Option, ...]) -> None:
        """Replace all options and tell the client."""
        self.options = options
        await self.emit(OptionsChanged(options))

    async def set_commands(self, commands: tuple[Command, ...]) -> None:
        """Replace all slash commands and tell the client."""
        self.commands = commands
        await self.emit(CommandsChanged(commands))


def new_session_id() -> str:
    """Random, so that it says nothing and cannot be guessed."""
    return secrets.token_urlsafe(16)


class Turn(Report):
    """One prompt being worked on. Cancelling it cancels the task that handles it."""

    def __init__(self, session: Session, prompt: Prompt) -> None:
        super().__init__(session.client, session.id)
        self.session = session
        self.prompt: tuple[Block, ...] = prompt.content
        self.meta: Meta | None = prompt.meta
        """The `_meta` of the prompt, trace context included."""

    @property
    def text(self) -> str:
        """The text of the prompt; embedded text resources count, other blocks do not."""
        texts = (block.text for block in self.prompt if isinstance(block, (Text, Resource)))
        return "\n".join(text for text in texts if text is not None)

    async def ask(
        self,
        title: str,
        *,
        options: tuple[PermissionOption, ...] = ALLOW_OR_REJECT,
        subject: Subject | None = None,
        description: str | None = None,
    ) -> Decision:
        """Ask for a permission that is not about one tool call."""
        question = PermissionQuestion(title, options, subject, description)
        return decide(options, await self.client.ask(self.session.id, question))

    async def ask_command(self, command: str, *, title: str | None = None) -> Decision:
        """Ask whether a command line may run in the session's directory."""
        subject = CommandSubject(command, self.session.cwd)
        return await self.ask(title or f"Run `{command}`", subject=subject)

    async def form(self, message: str, schema: dict[str, Any]) -> dict[str, Any] | None:
        """Ask the user for values; `None` unless they were given."""
        question = FormQuestion(message, schema, SessionScope(self.session.id))
        answer = await self.client.elicit(question)
        return (answer.content or {}) if isinstance(answer, Accepted) else None
