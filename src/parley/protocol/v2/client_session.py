"""The sessions of one connection, as the client's side keeps them.

It passes events on in the order in which they come, and keeps what later requests are judged by:
options, what may be cancelled, open questions, and prompts whose work is not over.
"""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field

from parley.errors import LocalProtocolError
from parley.protocol.endpoint import Endpoint
from parley.protocol.text_reader import TextReader
from parley.protocol.v2.attribution import Attribution
from parley.protocol.v2.updates import V1_TAGS, Incoming
from parley.schema import v2
from parley.session.event import (
    FINAL_STATUSES,
    BackgroundWork,
    ChunkAdded,
    Event,
    MessageChanged,
    OptionsChanged,
    OtherHappened,
    StateChanged,
    TerminalChanged,
    ToolCallChanged,
    ToolContentAdded,
    is_plain,
)
from parley.session.option import Option
from parley.session.role import ClientRole, SessionSetup


@dataclass(eq=False)
class OpenTurn:
    """A prompt of ours whose work is not over."""

    attribution: Attribution
    done: "asyncio.Future[StateChanged]"
    cancelled: bool = False
    """Whether we asked for its end."""

    def settle(self) -> None:
        ended = self.attribution.ended
        if ended is not None and not self.done.done():
            self.done.set_result(ended)


@dataclass(eq=False)
class OpenQuestion:
    """A question of the agent that waits for the person."""

    task: "asyncio.Task[object]"
    of_the_turn: bool
    """Whether it belongs to foreground work, so that cancelling that work ends it."""


@dataclass(eq=False)
class ClientSession:
    id: str
    options: tuple[Option, ...] = ()
    state: str = "idle"
    background: tuple[BackgroundWork, ...] = ()
    turns: list[OpenTurn] = field(default_factory=list[OpenTurn])
    questions: list[OpenQuestion] = field(default_factory=list[OpenQuestion])
    tool_calls: set[str] = field(default_factory=set[str])
    """Tool calls that may be cancelled alone (V2-TCX-01)."""
    terminals: set[str] = field(default_factory=set[str])
    open_tools: dict[str, None] = field(default_factory=dict[str, None])
    """Tool calls without a final status, in order."""
    ended_tools: set[str] = field(default_factory=set[str])
    """What is said of these later, without a status, does not begin them anew."""
    user_messages: set[str] = field(default_factory=set[str])

    @property
    def busy(self) -> bool:
        return self.state != "idle" or bool(self.turns)

    def in_background(self, kind: str, id: str) -> bool:
        return any(work.kind == kind and work.id == id for work in self.background)

    def note(self, event: Event) -> None:
        """Keep what must be known about an event of the session."""
        match event:
            case (
                ChunkAdded(speaker="user", message_id=str(id))
                | MessageChanged(speaker="user", message_id=id)
            ):
                if id not in self.user_messages:
                    self.user_messages.add(id)
                    for turn in self.turns:
                        turn.attribution.echo(id)
            case StateChanged(state=state, background=background):
                self.state = state
                if background is not None:  # V2-BGW-02: otherwise it is not reported.
                    self.background = background
                for turn in self.turns:
                    turn.attribution.report(event)
            case ToolCallChanged():
                self._note_tool_call(event)
            case ToolContentAdded(id=id):
                # V2-TC-05: content alone makes a tool call too.
                if id not in self.ended_tools:
                    self.open_tools[id] = None
            case TerminalChanged(id=id, exit=exit, cancellable=cancellable):
                if cancellable is True:
                    self.terminals.add(id)
                if cancellable is False or exit:
                    self.terminals.discard(id)
            case OptionsChanged(options=options):
                self.options = options
            case _:
                pass

    def _note_tool_call(self, event: ToolCallChanged) -> None:
        if event.cancellable is True:
            self.tool_calls.add(event.id)
        if event.status in FINAL_STATUSES:
            self.open_tools.pop(event.id, None)
            self.ended_tools.add(event.id)
            self.tool_calls.discard(event.id)
        elif isinstance(event.status, str) or event.id not in self.ended_tools:
            self.open_tools[event.id] = None
        if event.cancellable is False:
            self.tool_calls.discard(event.id)


class ClientSessions:
    """All sessions that the agent speaks of on one connection."""

    def __init__(self, endpoint: Endpoint, client: ClientRole) -> None:
        self._endpoint = endpoint
        self._client = client
        self._sessions: dict[str, ClientSession] = {}
        self._open: set[str] = set()
        self._incoming = Incoming(self._bad)
        self._texts = TextReader(client)
        endpoint.connection.recognise(self._texts.recognise)

    def get(self, session_id: str) -> ClientSession:
        """A session that we opened.

        Raises:
            LocalProtocolError: it is not open.
        """
        if session_id not in self._open:
            raise LocalProtocolError(f"session `{session_id}` is not open")
        return self.met(session_id)

    def met(self, session_id: str) -> ClientSession:
        """A session that the agent speaks of, maybe before we know that it is open."""
        session = self._sessions.get(session_id)
        if session is None:
            session = self._sessions[session_id] = ClientSession(session_id)
        return session

    def opened(self, setup: SessionSetup, *, new: bool = False) -> SessionSetup:
        self._open.add(setup.session_id)
        session = self.met(setup.session_id)
        # V2-SES-03: an update may have replaced the options of a new session already.
        if not (new and session.options):
            session.options = setup.options
        return setup

    def closed(self, session_id: str) -> None:
        """Work that is still open ends with the session."""
        self._open.discard(session_id)
        session = self._sessions.pop(session_id, None)
        for turn in session.turns if session else ():
            if not turn.done.done():
                turn.done.set_result(StateChanged("idle", "cancelled"))

    def update(self, note: v2.UpdateSessionNotification) -> Awaitable[None] | None:
        """Take an update. What it returns makes the connection wait for a slow application."""
        session = self.met(note.session_id)
        for event in self._incoming.events_from(note.update):
            self.take(session, event)
        return self._client.drain() if self._client.blocked else None

    def take(self, session: ClientSession, event: Event) -> None:
        """Keep and pass on one event."""
        if type(event) is not ChunkAdded or event.speaker == "user":
            session.note(event)
            if isinstance(event, OtherHappened) and event.kind in V1_TAGS:
                # DEC-16: the agent mixes versions up.
                self._endpoint.connection.fault(f"an update `{event.kind}` of version 1")
        self._client.emit(session.id, event)
        if type(event) is ChunkAdded and is_plain(event) and event.speaker != "user":
            self._texts.learn(session.id, event)
        if isinstance(event, StateChanged):
            # Whoever waits for the end finds that everything before it has been passed on.
            for turn in session.turns:
                turn.settle()

    def cancel(self, session: ClientSession) -> None:
        """Ask for the end of the foreground work of a session."""
        self._endpoint.post(v2.CancelSessionNotification(session_id=session.id))
        for turn in session.turns:
            turn.cancelled = True
        for question in session.questions:
            if question.of_the_turn:  # V2-CNC-06: only what belongs to the cancelled work.
                question.task.cancel()
        if session.busy:
            # V2-CNC-09: shown as cancelled at once; what the agent says later still counts.
            for id in list(session.open_tools):
                if not session.in_background("tool_call", id):
                    self.take(session, ToolCallChanged(id, status="cancelled"))

    def _bad(self, what: str, detail: str) -> None:
        self._endpoint.connection.fault(f"{what}: {detail}")
