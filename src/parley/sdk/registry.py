"""What the author of an agent registered, and what the agent advertises because of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from parley.sdk.turn import Session, Turn
from parley.session.option import Command, Option
from parley.session.profile import AgentCapabilities, AgentProfile, Implementation, Login
from parley.session.role import Ending

PromptHandler = Callable[[Turn], Awaitable["Ending | str | None"]]
"""Handles a prompt. What it returns is the stop reason; nothing means `end_turn`."""
SessionHandler = Callable[[Session], Awaitable[None]]
AsyncHandler = Callable[..., Awaitable[Any]]


@dataclass
class Registry:
    """Everything about an agent that is the same for all its connections."""

    info: Implementation
    inputs: AgentCapabilities
    """What the author declared the agent can take; the rest follows from the handlers."""
    options: tuple[Option, ...] = ()
    commands: tuple[Command, ...] = ()
    logins: list[Login] = field(default_factory=list[Login])
    prompt: PromptHandler | None = None
    sessions: dict[str, AsyncHandler] = field(default_factory=dict[str, AsyncHandler])
    """By name: `new`, `load`, `resume`, `fork`, `list`, `close`, `delete`, `option`, `logout`."""
    login_handlers: dict[str, AsyncHandler] = field(default_factory=dict[str, AsyncHandler])
    methods: dict[str, AsyncHandler] = field(default_factory=dict[str, AsyncHandler])
    notifications: dict[str, Callable[[Any], None]] = field(
        default_factory=dict[str, Callable[[Any], None]]
    )

    @property
    def profile(self) -> AgentProfile:
        """What the agent advertises: what is registered."""
        registered = self.sessions.keys()
        names = ("load", "resume", "list", "delete", "fork", "logout")
        capabilities = msgspec.structs.replace(
            self.inputs, close=True, **{name: name in registered for name in names}
        )
        return AgentProfile(self.info, capabilities, tuple(self.logins))
