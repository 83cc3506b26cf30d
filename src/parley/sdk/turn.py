"""A turn and a session, as the author of an agent handles them."""

import asyncio
import os
from collections.abc import Iterable
from typing import Any

from parley.sdk.choice import value_of, with_value
from parley.sdk.outlet import TurnOver
from parley.sdk.report import Report
from parley.sdk.tool import ALLOW_OR_REJECT
from parley.session.content import Block, Meta, Resource, Text
from parley.session.event import CommandsChanged, OptionsChanged
from parley.session.option import Command, Option, OptionValue
from parley.session.question import (
    Accepted,
    CommandSubject,
    Decision,
    FormQuestion,
    PermissionOption,
    PermissionQuestion,
    SessionScope,
    Subject,
    UrlQuestion,
    decide,
)
from parley.session.role import ClientRole, McpServer, Prompt, SessionRequest


class Session(Report):
    """An open session. `data` is the author's own; it lives as long as the session is open.

    What is said on it belongs to no turn: history while it is loaded, or work in the background.
    """

    def __init__(self, id: str, request: SessionRequest, client: ClientRole) -> None:
        super().__init__(client, id, request.cwd)
        self.id = id
        self.additional_directories: tuple[str, ...] = request.additional_directories
        self.mcp_servers: tuple[McpServer, ...] = request.mcp_servers
        self.meta: Meta | None = request.meta
        """The `_meta` of the request that opened it, as it came; nothing here looks into it."""
        self.request = request
        self.options: tuple[Option, ...] = ()
        self.commands: tuple[Command, ...] = ()
        self.data: dict[str, Any] = {}
        self.opening = True
        """Whether the client has yet to be told about it; the answer brings what is set now."""

    def option(self, id: str) -> OptionValue:
        """The current value of an option.

        Raises:
            LookupError: there is no such option.
        """
        return value_of(self.options, id)

    async def set_option(self, id: str, value: OptionValue) -> None:
        """Change the value of one option and tell the client.

        Raises:
            LookupError: there is no such option.
            ValueError: it does not offer the value.
        """
        await self.set_options(with_value(self.options, id, value))

    async def set_options(self, options: Iterable[Option]) -> None:
        """Replace all options and tell the client."""
        self.options = tuple(options)
        if not self.opening:
            await self.emit(OptionsChanged(self.options))

    async def set_commands(self, commands: Iterable[Command]) -> None:
        """Replace all slash commands and tell the client."""
        self.commands = tuple(commands)
        if not self.opening:
            await self.emit(CommandsChanged(self.commands))


def new_session_id() -> str:
    """Random, so that it says nothing and cannot be guessed."""
    return os.urandom(16).hex()


class Turn(Report):
    """One prompt being worked on. Cancelling it cancels the task that handles it."""

    def __init__(self, session: Session, prompt: Prompt) -> None:
        super().__init__(session.client, session.id, session.cwd)
        self.session = session
        self.prompt: tuple[Block, ...] = prompt.content
        self.meta: Meta | None = prompt.meta
        """The `_meta` of the prompt, trace context included; nothing here looks into it."""
        self._task = asyncio.current_task()
        self._cancelled = False

    @property
    def text(self) -> str:
        """The text of the prompt; embedded text resources count, other blocks do not."""
        texts = (block.text for block in self.prompt if isinstance(block, (Text, Resource)))
        return "\n".join(text for text in texts if text is not None)

    @property
    def cancelled(self) -> bool:
        """Whether the turn was asked to end. For work in threads; a coroutine is interrupted."""
        return self._cancelled or (self._task is not None and self._task.cancelling() > 0)

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
        return decide(options, await self._out.ask(self.session.id, question))

    async def ask_command(self, command: str, *, title: str | None = None) -> Decision:
        """Ask whether a command line may run in the session's directory."""
        subject = CommandSubject(command, self.cwd)
        return await self.ask(title or f"Run `{command}`", subject=subject)

    async def form(self, message: str, schema: dict[str, Any]) -> dict[str, Any] | None:
        """Ask the user for values; `None` unless they were given.

        Raises:
            ValueError: it asks for a secret.
        """
        # It reads addresses too, which costs milliseconds, and hardly any agent starts with it.
        from parley.sdk.secrecy import check_form  # noqa: PLC0415

        check_form(schema)
        question = FormQuestion(message, schema, SessionScope(self.session.id))
        answer = await self.client.elicit(question)
        return (answer.content or {}) if isinstance(answer, Accepted) else None

    async def visit(self, message: str, url: str, *, id: str | None = None) -> bool:
        """Ask the user to visit an address; whether they agreed to.

        What comes of the visit does not come back here. An agent that hears of it may say so:
        `turn.client.complete_elicitation(id)`.

        Raises:
            ValueError: the address carries a secret, or is neither https nor on this machine.
        """
        # The reason is the same as for forms.
        from parley.sdk.secrecy import check_address  # noqa: PLC0415

        check_address(url)
        # The id is random, because whoever knows it could say that the visit is over.
        scope = SessionScope(self.session.id)
        question = UrlQuestion(message, url, id or os.urandom(16).hex(), scope)
        return isinstance(await self.client.elicit(question), Accepted)

    def over(self) -> None:
        """The handler has returned: nothing more may be said in this turn."""
        self._cancelled, self._task = self.cancelled, None
        self._out = TurnOver()
