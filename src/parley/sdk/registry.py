"""What the author of an agent registered, and what the agent advertises because of it."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import Struct, field

from parley.sdk.handler import H, awaited
from parley.sdk.turn import Session, Turn
from parley.session.option import Command, Option
from parley.session.profile import AgentCapabilities, AgentLogin, AgentProfile, Implementation
from parley.session.role import Ending

PromptHandler = Callable[[Turn], Awaitable["Ending | str | None"]]
"""Handles a prompt. What it returns is the stop reason; nothing means `end_turn`."""
SessionHandler = Callable[[Session], Awaitable[None]]
AsyncHandler = Callable[..., Awaitable[Any]]

_ADVERTISED = ("load", "resume", "list", "delete", "fork", "logout")


class Registry(Struct):
    """Everything about an agent that is the same for all its connections."""

    info: Implementation
    inputs: AgentCapabilities
    """What the author declared the agent can take; the rest follows from the handlers."""
    options: tuple[Option, ...] = ()
    commands: tuple[Command, ...] = ()
    logins: list[AgentLogin] = field(default_factory=list)
    """V2-AUTH-04: no other kind is offered, so none can have a name that is not its own."""
    handlers: dict[str, AsyncHandler] = field(default_factory=dict)
    """By name: `prompt`, `new`, `load`, `resume`, `fork`, `list`, `close`, `delete`, `option`,
    `logout`."""
    login_handlers: dict[str, AsyncHandler] = field(default_factory=dict)
    methods: dict[str, AsyncHandler] = field(default_factory=dict)
    notifications: dict[str, Callable[[Any], None]] = field(default_factory=dict)

    def add(self, name: str, handler: H) -> H:
        """Register a handler.

        Raises:
            TypeError: it is not a coroutine function.
            ValueError: there is one already.
        """
        if name in self.handlers:
            raise ValueError(f"a handler for `{name}` is registered already")
        self.handlers[name] = awaited(handler)
        return handler

    @property
    def profile(self) -> AgentProfile:
        """What the agent advertises: what is registered."""
        found = {name: name in self.handlers for name in _ADVERTISED}
        # Every session can be closed: the SDK cancels its work and forgets it.
        capabilities = msgspec.structs.replace(self.inputs, close=True, **found)
        return AgentProfile(self.info, capabilities, tuple(self.logins))
