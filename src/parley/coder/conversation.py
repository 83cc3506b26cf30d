"""What a turn needs of whoever talks with a model: an open session, or one of its sub-agents.

Both have a conversation of their own. A sub-agent borrows the rest from the session it works for:
the client, the log, the permissions, what watches files.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from parley.coder.budget import Gauge
from parley.coder.catalogue import Offered
from parley.coder.context import Facts
from parley.coder.history import History
from parley.coder.instructions import Instructions
from parley.coder.mcp.servers import Servers
from parley.coder.options import Chosen
from parley.coder.runtime import Runtime
from parley.coder.skills.skills import Skills
from parley.coder.store.entry import Entry
from parley.coder.store.log import SessionLog
from parley.coder.tally import Tally
from parley.coder.tools.tool import Desk, Tool
from parley.coder.undo.recorder import Recorder
from parley.session.event import Event
from parley.session.question import PermissionAnswer, PermissionQuestion
from parley.session.role import ClientRole


class Conversation(Protocol):
    id: str
    """Of the session."""
    cache_key: str
    """The same for all requests of this conversation, and of no other."""
    duty: str
    """What the model is told of its part beside the instructions; empty in a session."""
    runtime: Runtime
    client: ClientRole
    log: SessionLog
    history: History
    tally: Tally
    """What the turn that runs has used."""
    questions: asyncio.Lock
    """A person is asked one thing at a time."""
    writing: asyncio.Lock
    """One tool at a time looks at a file and changes it."""
    stops: dict[str, Callable[[], object]]
    """Ends a running tool call alone, by its id."""
    desk: Desk
    servers: Servers
    skills: Skills
    tools: Mapping[str, Tool]
    gauge: Gauge
    instructions: Instructions
    undo: Recorder

    @property
    def chosen(self) -> Chosen: ...

    @property
    def model(self) -> Offered: ...

    @property
    def told_unconfined(self) -> bool:
        """Whether the person knows that nothing confines commands here."""
        ...

    @told_unconfined.setter
    def told_unconfined(self, told: bool) -> None: ...

    @property
    def broken_hooks(self) -> dict[str, str]:
        """What the person knows to be wrong with hooks, by their names."""
        ...

    @property
    def ask(self) -> Callable[[PermissionQuestion], Awaitable[PermissionAnswer]]:
        """Ask the person for a permission."""
        ...

    def append(self, *entries: Entry) -> None:
        """Make entries part of the conversation."""
        ...

    def tell(self, *events: Event) -> None:
        """Let the client know, as soon as it is stored."""
        ...

    def notify(self, title: str, description: str | None = None) -> None:
        """Tell the person something that is no part of the conversation."""
        ...

    async def keep_up(self) -> None:
        """Wait while the disk or the client is behind."""
        ...

    async def facts(self) -> Facts: ...
