"""A session that is open: its log, what the log amounts to, and the client that watches it.

Everything that happens goes into the log first. The client is told what has been stored, in that
order, so nothing it was told can be lost. The only thing it is not told is its own prompt.
"""

import asyncio
import logging
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from parley.coder.budget import Gauge
from parley.coder.catalogue import Offered
from parley.coder.context import Facts, gathered
from parley.coder.history import History, is_replayed
from parley.coder.instructions import Instructions
from parley.coder.known_commands import Known, known_commands
from parley.coder.mcp.link import Terms
from parley.coder.mcp.project import ProjectServers
from parley.coder.mcp.servers import Servers
from parley.coder.message import Message
from parley.coder.options import Chosen, chosen_from, chosen_with, option_list
from parley.coder.providers.provider import ModelInfo
from parley.coder.runtime import Runtime
from parley.coder.sandbox.box import Box
from parley.coder.skills.skills import Skills
from parley.coder.store.entry import Entry, Forgotten, OptionSet, Said, Told
from parley.coder.store.log import SessionLog
from parley.coder.store.side_folder import undo_folder
from parley.coder.tally import Tally
from parley.coder.tools.tool import Desk, Tool
from parley.coder.trust.book import TrustBook
from parley.coder.trust.project import Project
from parley.coder.undo.recorder import Recorder
from parley.coder.workspace.workspace import Workspace
from parley.errors import AcpError, TransportError
from parley.session.event import (
    CommandsChanged,
    Event,
    MessageChanged,
    NoticeGiven,
    OptionsChanged,
    PlanChanged,
)
from parley.session.option import MAIN_PLAN, Command, Option, OptionValue, Plan
from parley.session.role import ClientRole, SessionSetup

_LOG = logging.getLogger(__name__)


class OpenSession:
    """Implements `Conversation`, which says more about what they share."""

    def __init__(
        self, runtime: Runtime, client: ClientRole, log: SessionLog, roots: tuple[str, ...]
    ) -> None:
        self.id = self.cache_key = log.session_id
        self.duty = ""
        self.runtime = runtime
        self.client = client
        self.log = log
        self.history = History()
        self.tally = Tally()
        self.ask = partial(client.ask, self.id)
        self.questions = asyncio.Lock()
        self.writing = asyncio.Lock()
        self.stops: dict[str, Callable[[], object]] = {}
        self.desk = Desk(
            self.id,
            Workspace(
                roots,
                session_id=self.id,
                files=client.files,
                # Nothing here can confine what runs in a terminal of the client.
                terminals=None if runtime.sandbox.setting == "require" else client.terminals,
                confine=self._confine,
            ),
            set_plan=self._set_plan,
            environment=runtime.settings.environment,
            conversation=partial(_said_in, log),
            own=runtime.settings.own_paths,
        )
        version = runtime.settings.version
        self.servers = Servers(roots, self.notify, runtime.sources.sleep, Terms(version))
        self.skills = _skills_of(self, roots[0])
        self.project = Project(
            TrustBook(runtime.store.folder),
            (ProjectServers(roots, self.servers.start), self.skills.project),
            self.notify,
        )
        """What the checkout brings along; nothing of it is used before it is trusted."""
        self.tools: Mapping[str, Tool] = ChainMap(
            self.servers.tools, self.skills.tools, runtime.tools
        )
        """All tools of the session; those of servers come and go."""
        self.gauge = Gauge()
        self.instructions = Instructions(self.desk.workspace)
        self.inserted: str | None = None
        """The id of the prompt that was kept before its turn began."""
        self.undo = Recorder(undo_folder(runtime.store.folder, self.id), self.desk.workspace.roots)
        self.own_commands = Known()
        """The slash commands of the user, as they were last read."""
        self.commands: tuple[Command, ...] = ()
        """The slash commands that the client was told of."""
        self.told_unconfined = False
        self.broken_hooks: dict[str, str] = {}
        self._closed = False
        self._facts: Facts | None = None
        self._announced: tuple[Option, ...] = ()
        self._stored_count = 0
        self._held: list[Entry] | None = None
        self._replaying = asyncio.Lock()
        log.on_stored = self._stored

    async def recover(self) -> None:
        """Take in what the log holds, and repair what a crash has left behind."""
        entries = await self.log.entries()
        self.history = History.of(entries)
        self._stored_count = len(entries)
        # What is repaired here is history for a client that loads the session, not news.
        self._held = []
        try:
            self.append(*self.history.repairs())
            await self.log.flush()
        finally:
            self._held = None

    def append(self, *entries: Entry) -> None:
        """Write entries down. What happens after the end of the session is not part of it."""
        if self._closed:
            return
        for entry in entries:
            self.history.apply(entry)
        self.log.append(*entries)

    def tell(self, *events: Event) -> None:
        """Let the client know, as soon as it is stored."""
        self.append(*map(Told, events))

    def notify(self, title: str, description: str | None = None) -> None:
        """Tell the person at the other end something that is no part of the conversation."""
        self.tell(NoticeGiven(title, "warning", description))

    async def keep_up(self) -> None:
        """Wait while the disk or the client is behind."""
        if self.log.behind:
            await self.log.flush()
        if self.client.blocked:
            await self.client.drain()

    async def facts(self) -> Facts:
        if self._facts is None:
            cwd, *additional = self.desk.workspace.roots
            self._facts = await asyncio.to_thread(gathered, cwd, tuple(additional))
        return self._facts

    async def replay(self) -> None:
        """Tell the client the whole history; what happens meanwhile follows behind it."""
        async with self._replaying:
            self._held = []
            told = 0
            try:
                entries = await self.log.entries()
                for entry in entries:
                    if isinstance(entry, Told) and is_replayed(entry.event):
                        self._emit(entry.event)
                        if self.client.blocked:
                            await self.client.drain()
                told = len(entries)
            finally:
                held, self._held = self._held, None
                # The log already had those before this many, so they were told with the rest.
                known = max(told - (self._stored_count - len(held)), 0)
                news = (e for e in held[:known] if isinstance(e, Told) and not is_replayed(e.event))
                self._tell_stored([*news, *held[known:]])

    @property
    def chosen(self) -> Chosen:
        return chosen_from(self.runtime.settings, self.history.options)

    @property
    def model(self) -> Offered:
        """The model that answers: the chosen one, or the default where that is gone."""
        catalogue, default = self.runtime.catalogue, self.runtime.settings.default_model
        found = catalogue.find(self.chosen.model) or catalogue.find(default)
        return found or Offered(default, ModelInfo(default.partition("/")[2]))

    @property
    def options(self) -> tuple[Option, ...]:
        confined = self.runtime.sandbox.setting != "off"
        offered = self.runtime.catalogue.offered()
        return option_list(self.chosen, self.model, offered, confined=confined)

    async def choose(self, option_id: str, value: OptionValue) -> tuple[Option, ...]:
        """Change an option for the client, which learns of it from the answer.

        Raises:
            InvalidParams: it is not offered.
        """
        chosen_with(self.chosen, self.options, option_id, value)
        self.append(OptionSet(option_id, value))
        await self.log.flush()
        self._announced = self.options
        return self._announced

    def refresh(self) -> None:
        """Announce the options if they have changed by themselves."""
        options = self.options
        if options != self._announced:
            self._announced = options
            self.tell(OptionsChanged(options))

    def setup(self) -> SessionSetup:
        """The answer to the request that opened the session."""
        self._announced = self.options
        self.commands = _known_commands(self)
        return SessionSetup(self.id, self._announced, self.commands)

    async def aclose(self) -> None:
        """End what runs in the session, and free its log."""
        await self.project.aclose()
        await self.servers.aclose()
        await self.skills.aclose()
        await self.desk.jobs.aclose()
        self._closed = True
        await self.undo.aclose()
        await self.log.close()
        # The collector may take its time with an object of many references, and a conversation
        # can be large.
        self.history = History()

    async def _confine(self, protected: bool) -> Box | None:
        return await self.runtime.sandbox.box(
            self.desk.workspace.roots, network=self.chosen.network, protected=protected
        )

    def _set_plan(self, plan: Plan) -> None:
        self.tell(PlanChanged(MAIN_PLAN, plan))

    def _stored(self, entries: Sequence[Entry]) -> None:
        self._stored_count += len(entries)
        if self._held is None:
            self._tell_stored(entries)
        else:
            self._held.extend(entries)

    def _tell_stored(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if isinstance(entry, Told) and not _is_prompt(entry.event):
                self._emit(entry.event)

    def _emit(self, event: Event) -> None:
        try:
            self.client.emit(self.id, event)
        except TransportError:
            return  # The client is gone, which also ends its turns; the log has it all.
        except AcpError as error:
            _LOG.warning("a client could not be told an event: %s", error)


async def read_commands(session: OpenSession) -> Known:
    """All slash commands there are now, those of the user read anew."""
    folder = session.runtime.settings.commands_folder
    session.own_commands = await asyncio.to_thread(known_commands, folder)
    return session.own_commands.beside(session.skills.commands)


async def _said_in(log: SessionLog) -> list[Message]:
    """Everything that was said since the model started anew, as it was said."""
    said: list[Message] = []
    for entry in await log.entries():
        match entry:
            case Said(message=message):
                said.append(message)
            case Forgotten():
                said.clear()
            case _:
                pass
    return said


def _skills_of(session: OpenSession, root: str) -> Skills:
    return Skills(
        session.runtime.settings.skill_folders,
        root,
        notify=session.notify,
        changed=partial(_announce_commands, session),
        sleep=session.runtime.sources.sleep,
    )


def _known_commands(session: OpenSession) -> tuple[Command, ...]:
    return session.own_commands.beside(session.skills.commands).commands


def _announce_commands(session: OpenSession) -> None:
    """Tell the client of commands that are new; those of skills are not known at once."""
    commands = _known_commands(session)
    # Before the answer that opens the session there is nobody to tell.
    if session.commands and commands != session.commands:
        session.commands = commands
        session.tell(CommandsChanged(commands))


def _is_prompt(event: Event) -> bool:
    """Whether it is what the client itself said: it knows that, and the wire reports it."""
    return isinstance(event, MessageChanged) and event.speaker == "user"
