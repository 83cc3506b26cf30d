"""The client as an agent of version 1 sees it: everything the agent says goes through here.

The gates are here too. What the client did not advertise is not sent: a question comes back
unanswered, files and terminals are not there at all.
"""

# Annotations that are evaluated would load models that a start can do without.
from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

import parley.schema.v1 as v1
from parley.errors import AcpError, LocalProtocolError, TransportError
from parley.protocol.endpoint import Endpoint
from parley.protocol.hosted import HostedSession, HostedSessions
from parley.protocol.settings import Settings
from parley.protocol.v1.content import Lose, block_model
from parley.protocol.v1.dialect import DECIDING
from parley.protocol.v1.environment import RemoteFiles, RemoteTerminals
from parley.protocol.v1.late_output import LateOutput
from parley.protocol.v1.question import (
    answer_from,
    details_of,
    elicitation_answer_from,
    elicitation_model,
    is_about_a_call,
    permission_option_models,
    subject_of,
)
from parley.protocol.v1.updates import Outgoing
from parley.schema.codec import encode
from parley.session.event import ChunkAdded, Event, TerminalOutputAdded, ToolCallChanged
from parley.session.patch import given
from parley.session.profile import ClientProfile
from parley.session.question import (
    Accepted,
    Cancelled,
    Dismissed,
    Elicitation,
    ElicitationAnswer,
    FormQuestion,
    OtherQuestion,
    PermissionAnswer,
    PermissionQuestion,
    SessionScope,
    ToolCallSubject,
    UrlQuestion,
    decide,
)
from parley.session.role import Files, Terminals


class ClientHandle:
    """A `ClientRole` at the other end of a connection."""

    def __init__(self, endpoint: Endpoint, profile: ClientProfile, settings: Settings) -> None:
        self._endpoint = endpoint
        self._profile = profile
        self._settings = settings
        self._outgoing: dict[str, Outgoing] = {}
        self._open_urls: set[str] = set()
        self._asked = 0
        can = profile.capabilities
        self._files = (
            RemoteFiles(endpoint, can, settings.deadline)
            if can.read_files or can.write_files
            else None
        )
        self._terminals = (
            RemoteTerminals(
                endpoint,
                settings.deadline,
                lambda session_id, id_: self.outgoing(session_id).tools.client_terminals.add(id_),
            )
            if can.terminals
            else None
        )
        self._late = LateOutput(lambda id_: self.outgoing(id_).tools.late_output(), self.post)
        self.sessions = HostedSessions(self._send)

    @property
    def profile(self) -> ClientProfile:
        return self._profile

    @property
    def files(self) -> Files | None:
        return self._files

    @property
    def terminals(self) -> Terminals | None:
        return self._terminals

    def emit(self, session_id: str, event: Event) -> None:
        self.sessions.emit(session_id, event)

    @property
    def blocked(self) -> bool:
        return self._endpoint.transport.blocked

    async def drain(self) -> None:
        await self._endpoint.drain()

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        self._check_open(session_id)
        lose = self.lose_in(session_id)
        options = permission_option_models(question.options, lose)
        if not options:
            return Dismissed()  # Nothing is left to choose from.
        self._asked += 1
        change = subject_of(question, f"permission-{self._asked}", lose)
        asking = _Asking(self, session_id, question, change, lose)
        request = v1.RequestPermissionRequest(
            session_id=session_id,
            tool_call=asking.begin(),
            options=options,
            meta=given(question.meta),
        )
        answer: PermissionAnswer | None = None
        try:
            response = await self._endpoint.request(
                request, timeout=self._settings.question_deadline, repairs=DECIDING
            )
            answer = answer_from(response)
            return answer
        except AcpError:
            answer = Dismissed()  # V1-PER-06: an error is not an approval, and neither is silence.
            return answer
        finally:
            asking.end(answer)

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        session_id = question.scope.session_id if isinstance(question.scope, SessionScope) else None
        if session_id is not None:
            self._check_open(session_id)
        lose = self.lose_in(session_id)
        if isinstance(question, OtherQuestion) or not _elicits(self._profile, question):
            # V1-ELI-01: a mode that was not advertised is not asked for.
            lose("elicitation.mode", "the client does not offer this kind of question")
            return Cancelled()
        request = elicitation_model(question, lose)
        if not isinstance(question, UrlQuestion):
            return await self._elicited(request, lose)
        if question.elicitation_id in self._open_urls:  # V1-ELI-13
            raise LocalProtocolError("the id of the elicitation is already in use")
        self._open_urls.add(question.elicitation_id)
        answer: ElicitationAnswer = Cancelled()
        try:
            answer = await self._elicited(request, lose)
        finally:
            if not isinstance(answer, Accepted):
                self._open_urls.discard(question.elicitation_id)
        return answer

    def complete_elicitation(self, elicitation_id: str) -> None:
        # V1-ELI-14: once, and only for what was asked of this client.
        if elicitation_id in self._open_urls:
            self._open_urls.discard(elicitation_id)
            self._endpoint.post(v1.CompleteElicitationNotification(elicitation_id=elicitation_id))

    async def call(self, method: str, params: Any) -> Any:
        check_extension(method, self._settings)
        answer = await self._endpoint.connection.request(
            method, encode(params), timeout=self._settings.deadline
        )
        return msgspec.json.decode(answer)

    def tell(self, method: str, params: Any) -> None:
        check_extension(method, self._settings)
        self._endpoint.connection.post(method, encode(params))

    # For the agent's side of the connection.

    def outgoing(self, session_id: str) -> Outgoing:
        """The way of a session's events to the client."""
        outgoing = self._outgoing.get(session_id)
        if outgoing is None:
            outgoing = Outgoing(self._profile.capabilities, self.lose_in(session_id))
            self._outgoing[session_id] = outgoing
        return outgoing

    def post(self, session_id: str, update: v1.SessionUpdate) -> None:
        """Send one update as it is."""
        self._endpoint.post(v1.SessionNotification(session_id=session_id, update=update))

    def lose_in(self, session_id: str | None) -> Lose:
        """Where losses of a session are reported."""
        return lambda what, detail: self._settings.lose(what, detail, session_id)

    async def forget(self, session_id: str) -> None:
        """The session is over: nothing more is sent for it."""
        if self._terminals is not None:
            await self._terminals.release_all(session_id)
        self.sessions.close(session_id)
        self._late.forget(session_id)
        self._outgoing.pop(session_id, None)

    def turn_ended(self, session_id: str) -> None:
        """A turn is over: what only it needed is forgotten."""
        if session_id in self._outgoing:
            self._outgoing[session_id].turn_ended()

    def _send(self, session: HostedSession, event: Event) -> None:
        session_id = session.id
        outgoing = self._outgoing.get(session_id) or self.outgoing(session_id)
        if type(event) is ChunkAdded:
            frame = outgoing.stream.frame(event)
            if frame is not None:
                self._endpoint.post_frame(frame)
                return
        else:
            outgoing.stream.forget()
        for update in outgoing.updates_for(event):
            sent = v1.SessionNotification(session_id=session_id, update=update)
            self._endpoint.post(sent)
            if type(event) is ChunkAdded:
                outgoing.stream.learn(event, sent, update, outgoing.blocks_of(event))
        if type(event) is TerminalOutputAdded:
            self._late.expect(session_id)

    def _check_open(self, session_id: str) -> None:
        if self.sessions.find(session_id) is None:
            raise LocalProtocolError(f"session `{session_id}` is not open")

    async def _elicited(
        self, request: v1.ElicitationFormMode | v1.ElicitationUrlMode, lose: Lose
    ) -> ElicitationAnswer:
        try:
            response = await self._endpoint.request(
                request, timeout=self._settings.question_deadline
            )
        except AcpError:
            return Cancelled()
        if isinstance(response, v1.OtherCreateElicitationResponse):
            lose("elicitation.action", "an answer that nobody here knows counts as none")
        return elicitation_answer_from(response)


class _Asking:
    """A tool call while a person is asked about it.

    Version 1 has no place for the title and the description of a question but the tool call. So
    the call carries them while it is asked about, and gets its own back afterwards. A question
    that is about no tool call gets one that lasts as long as the question.
    """

    def __init__(
        self,
        handle: ClientHandle,
        session_id: str,
        question: PermissionQuestion,
        change: ToolCallChanged,
        lose: Lose,
    ) -> None:
        self._handle = handle
        self._session_id = session_id
        self._question = question
        self._lose = lose
        self._change = change
        self._made_up = not is_about_a_call(question)
        self._restore = False

    def begin(self) -> v1.ToolCallUpdate:
        """Tell the client about the call if it does not know it, and say what is asked."""
        tools = self._handle.outgoing(self._session_id).tools
        change, question = self._change, self._question
        details = details_of(question)
        if change.id not in tools:
            first = replace(change, status="pending") if self._made_up else change
            if not isinstance(first.title, str):
                first = replace(first, title=question.title)
            self._handle.emit(self._session_id, first)
        elif isinstance(question.subject, ToolCallSubject) and not (
            change == ToolCallChanged(change.id) or tools.has_told(change)
        ):
            self._handle.emit(self._session_id, change)
        title = question.title or tools.title(change.id)
        update = tools.update_for_asking(replace(change, title=title))
        if details:
            shown = [v1.Content(content=block_model(item.content, self._lose)) for item in details]
            update = replace(update, content=[*tools.content(change.id), *shown])
        self._restore = title != tools.title(change.id) or bool(details)
        return update

    def end(self, answer: PermissionAnswer | None) -> None:
        """Give the call its own words back, or end it if it was made for the question."""
        if self._handle.sessions.find(self._session_id) is None:
            return
        with suppress(TransportError):
            if self._made_up:
                status = "failed"
                if answer is None:
                    status = "cancelled"
                elif decide(self._question.options, answer):
                    status = "completed"
                self._handle.emit(self._session_id, ToolCallChanged(self._change.id, status=status))
            elif self._restore:
                tools = self._handle.outgoing(self._session_id).tools
                self._handle.post(
                    self._session_id,
                    v1.ToolCallProgress(
                        tool_call_id=self._change.id,
                        title=tools.title(self._change.id),
                        content=tools.content(self._change.id),
                    ),
                )


def check_extension(method: str, settings: Settings) -> None:
    """EXT-06: the names of extensions begin in their own way; unstable names are switched on."""
    if not method.startswith("_") and not settings.unstable:
        raise LocalProtocolError("the name of an extension starts with an underscore")


def _elicits(client: ClientProfile, question: FormQuestion | UrlQuestion) -> bool:
    can = client.capabilities
    return can.elicitation_form if isinstance(question, FormQuestion) else can.elicitation_url
