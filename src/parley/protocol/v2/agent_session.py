"""The sessions of one connection, as the agent's side keeps them: what leaves, and in what state.

It owns who says what a session does. While a turn runs this module does, from the turn itself and
from the questions that are open; what the application reports then only brings background work.
Outside a turn the application is believed.
"""

from collections.abc import Generator
from contextlib import contextmanager, suppress

from msgspec import Struct, field
from msgspec.structs import replace

from parley.errors import TransportError
from parley.protocol.endpoint import Endpoint
from parley.protocol.hosted import HostedSession, HostedSessions
from parley.protocol.settings import Settings
from parley.protocol.v2.updates import Outgoing
from parley.schema import v2
from parley.session.event import (
    FINAL_STATUSES,
    BackgroundWork,
    ChunkAdded,
    Event,
    InfoChanged,
    MessageChanged,
    StateChanged,
    TerminalChanged,
    ToolCallChanged,
)
from parley.session.option import Option
from parley.session.role import SessionInfo, SessionRequest


class AgentSession(Struct):
    """One session beside its turns."""

    hosted: HostedSession
    outgoing: Outgoing
    info: SessionInfo
    state: str = "idle"
    background: tuple[BackgroundWork, ...] | None = None
    """The latest list that the application reported, if it ever did."""
    tool_calls: set[str] = field(default_factory=set)
    """Tool calls that the client may cancel, as it was last told."""
    terminals: set[str] = field(default_factory=set)
    questions: dict[int, str | None] = field(default_factory=dict)
    """Open questions of the session, with the tool calls they are about."""
    prompt: MessageChanged | None = None
    """The message of the turn that runs, as the client was told."""
    opening: bool = False
    """Whether a request to resume it is being worked on; its states are kept back."""
    muted: bool = False
    closing: bool = False
    last_state: StateChanged | None = None
    told_call: ToolCallChanged | None = None
    """The latest change of a tool call that the client was told."""

    def in_background(self, kind: str, id: str) -> bool:
        return any(work.kind == kind and work.id == id for work in self.background or ())

    def wanted_state(self) -> str | None:
        """The state a running turn should be reported in, if it is another than it was.

        V2-PRM-17, V2-PRM-19: `requires_action` while nothing can go on without the user. A tool
        call in progress that no question is about can.
        """
        turn = self.hosted
        if not turn.busy or turn.cancelling or self.state not in ("running", "requires_action"):
            return None
        asked = set(self.questions.values())
        working = any(
            status == "in_progress" and id not in asked and not self.in_background("tool_call", id)
            for id, status in turn.open_tools.items()
        )
        state = "requires_action" if self.questions and not working else "running"
        return None if state == self.state else state

    def note(self, event: Event) -> None:
        """Keep what must be known about an event that leaves."""
        match event:
            case ToolCallChanged(id=id, status=status, cancellable=cancellable):
                self.told_call = event
                # V2-TCX-02: what has ended cannot be cancelled any more.
                if cancellable is True:
                    self.tool_calls.add(id)
                if cancellable is False or status in FINAL_STATUSES:
                    self.tool_calls.discard(id)
            case TerminalChanged(id=id, exit=exit, cancellable=cancellable):
                if cancellable is True:
                    self.terminals.add(id)
                if cancellable is False or exit:
                    self.terminals.discard(id)
            case InfoChanged(title=title, updated_at=updated_at):
                if isinstance(title, str | None):
                    self.info = replace(self.info, title=title)
                if isinstance(updated_at, str | None):
                    self.info = replace(self.info, updated_at=updated_at)
            case _:
                pass


class AgentSessions:
    """All sessions of one connection."""

    def __init__(self, endpoint: Endpoint, settings: Settings) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._sessions: dict[str, AgentSession] = {}
        self._infos: dict[str, SessionInfo] = {}
        self._questions = 0
        self.hosted = HostedSessions(self._send)

    def get(self, session_id: str) -> AgentSession:
        """The open session with this id.

        Raises:
            ResourceNotFound: there is none.
        """
        return self._session(self.hosted.get(session_id))

    def find(self, session_id: str) -> AgentSession | None:
        hosted = self.hosted.find(session_id)
        return None if hosted is None else self._session(hosted)

    def all(self) -> list[AgentSession]:
        return [self._session(hosted) for hosted in self.hosted.all()]

    def open(
        self, session_id: str, request: SessionRequest, options: tuple[Option, ...] = ()
    ) -> AgentSession:
        """The client knows the session from here on."""
        self._infos[session_id] = SessionInfo(
            session_id, request.cwd, additional_directories=request.additional_directories
        )
        return self._session(self.hosted.open(session_id, options))

    def begin_anew(self, session: AgentSession, token: str) -> None:
        """What was said before is told again, or not known: name messages from the start."""
        session.outgoing = self._outgoing(session.hosted.id, token)

    def close(self, session_id: str) -> None:
        self.hosted.close(session_id)
        self._sessions.pop(session_id, None)
        self._infos.pop(session_id, None)

    def emit(self, session_id: str, event: Event) -> None:
        """Send what the application reports.

        Raises:
            LocalProtocolError: the session is not open and not being opened.
        """
        try:
            self.hosted.emit(session_id, event)
        except TransportError:
            return  # A connection that ended also ends the turn, and nobody is left to tell.

    def report(self, session: AgentSession, event: MessageChanged | StateChanged) -> None:
        """Send what this side has to say itself."""
        if isinstance(event, StateChanged):
            session.state = event.state
            # V2-BGW-01: who reports background work does so with every state.
            event = replace(event, background=session.background)
        else:
            session.prompt = event
        self._post(session, event)

    @contextmanager
    def asking(self, session_id: str, tool_call_id: str | None) -> Generator[None]:
        """A question of the session is open."""
        session = self.find(session_id)
        if session is None:
            yield
            return
        self._questions += 1
        number = self._questions
        session.questions[number] = tool_call_id
        try:
            self._review(session)
            yield
        finally:
            del session.questions[number]
            with suppress(TransportError):
                self._review(session)

    def met(self, session: AgentSession, tool_call: ToolCallChanged) -> None:
        """The client learns of a tool call from a question."""
        session.hosted.note(tool_call)
        session.note(tool_call)
        session.outgoing.met(tool_call.id)

    def _send(self, hosted: HostedSession, event: Event) -> None:
        session = self._sessions.get(hosted.id) or self._session(hosted)
        if type(event) is ChunkAdded:
            if not session.muted:
                self._post_chunk(session, event)
            return
        session.note(event)
        if isinstance(event, StateChanged):
            self._take_state(session, event)
        elif not session.muted and event != session.prompt:
            self._post(session, event)
        if session.questions:
            self._review(session)

    def _take_state(self, session: AgentSession, event: StateChanged) -> None:
        news = event.background is not None and event.background != session.background
        if event.background is not None:
            session.background = event.background
        if session.opening or session.muted:
            session.last_state = event
        elif not session.hosted.busy:
            self.report(session, event)
        elif news and session.state != "idle":
            self.report(session, StateChanged(session.state))

    def _review(self, session: AgentSession) -> None:
        state = session.wanted_state()
        if state is not None:
            self.report(session, StateChanged(state))

    def _post_chunk(self, session: AgentSession, event: ChunkAdded) -> None:
        outgoing = session.outgoing
        frame = outgoing.stream.frame(event)
        if frame is not None:
            self._endpoint.post_frame(frame)
            return
        for update in outgoing.updates_for(event):
            sent = v2.UpdateSessionNotification(session_id=session.hosted.id, update=update)
            self._endpoint.post(sent)
            outgoing.stream.learn(event, sent, update)

    def _post(self, session: AgentSession, event: Event) -> None:
        session_id = session.hosted.id
        session.outgoing.stream.forget()
        for update in session.outgoing.updates_for(event):
            self._endpoint.post(v2.UpdateSessionNotification(session_id=session_id, update=update))

    def _session(self, hosted: HostedSession) -> AgentSession:
        session = self._sessions.get(hosted.id)
        if session is None:
            info = self._infos.get(hosted.id) or SessionInfo(hosted.id, "/")
            session = AgentSession(hosted, self._outgoing(hosted.id, ""), info)
            self._sessions[hosted.id] = session
        return session

    def _outgoing(self, session_id: str, token: str) -> Outgoing:
        def lose(what: str, detail: str) -> None:
            self._settings.lose(what, detail, session_id)

        return Outgoing(lose, unstable=self._settings.unstable, token=token)
