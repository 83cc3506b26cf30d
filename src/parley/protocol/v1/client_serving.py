"""What an agent of version 1 says to its client: updates, questions, requests, extensions.

Updates are handled inline and in order (RPC-27). Questions run until they are answered, until the
agent gives them up, or until the client cancels the turn (V1-CNC-03).
"""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

import msgspec

import parley.schema.v1 as v1
from parley.errors import InvalidParams, LocalProtocolError, MethodNotFound, ResourceNotFound
from parley.protocol.endpoint import Endpoint, NoteRoute, Route, Routes
from parley.protocol.settings import Settings
from parley.protocol.text_reader import TextReader
from parley.protocol.v1.client_environment import Environment
from parley.protocol.v1.dialect import UPDATING
from parley.protocol.v1.question import (
    answer_model,
    elicitation_answer_model,
    elicitation_from,
    question_from,
)
from parley.protocol.v1.tool_call import tool_call_from
from parley.protocol.v1.updates import Incoming
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call
from parley.schema.codec import encode
from parley.session.event import ChunkAdded, is_plain
from parley.session.question import (
    Accepted,
    Cancelled,
    Dismissed,
    FormQuestion,
    SessionScope,
    UrlQuestion,
)
from parley.session.role import ClientRole

T = TypeVar("T")

MAX_STRANGERS = 256
"""How many sessions that the client did not open an agent may report on: sub-agents, for one."""


class _Question:
    """A question that a person has not answered yet."""

    def __init__(self, task: "asyncio.Task[Any]") -> None:
        self.task = task
        self.withdrawn = False


class Serving:
    """Answers the agent on one connection."""

    def __init__(self, endpoint: Endpoint, client: ClientRole, settings: Settings) -> None:
        self.sessions: dict[str, Incoming] = {}
        """Every session that was heard of."""
        self.opened: set[str] = set()
        """Those that the client opened."""
        self.cancelling: set[str] = set()
        """Those whose turn was cancelled and has not ended yet."""
        self.environment = Environment(client, self.sessions)
        self._endpoint = endpoint
        self._client = client
        self._settings = settings
        self._texts = TextReader(client)
        endpoint.connection.recognise(self._texts.recognise)
        self._questions: dict[str | None, set[_Question]] = {}
        self._urls: set[str] = set()

    def routes(self) -> Routes:
        routes = Routes(
            calls={
                "session/request_permission": Route(v1.RequestPermissionRequest, self._ask),
                "elicitation/create": Route(v1.CreateElicitationRequest, self._elicit),
            },
            notes={
                "session/update": NoteRoute(v1.SessionNotification, self._update, UPDATING),
                "elicitation/complete": NoteRoute(
                    v1.CompleteElicitationNotification, self._completed
                ),
            },
            other_calls=self._extension,
            other_notes=self._extension_note,
        )
        self.environment.add_to(routes)
        return routes

    def open(self, session_id: str) -> Incoming:
        """The client opens the session, so the agent may speak of it."""
        self.opened.add(session_id)
        return self.sessions.setdefault(session_id, Incoming())

    def find_open(self, session_id: str) -> Incoming:
        """A session that the client has opened on this connection.

        Raises:
            LocalProtocolError: it has not (V1-PRM-01).
        """
        if session_id not in self.opened:
            raise LocalProtocolError(f"session `{session_id}` is not open")
        return self.sessions[session_id]

    async def forget(self, session_id: str) -> None:
        """The session is over."""
        self.withdraw_questions(session_id)
        self._questions.pop(session_id, None)
        self._texts.forget()
        self.opened.discard(session_id)
        self.sessions.pop(session_id, None)
        self.cancelling.discard(session_id)
        await self.environment.release_all(session_id)

    def withdraw_questions(self, session_id: str) -> None:
        """V1-CNC-03: every question of the session that is open is answered as cancelled."""
        for question in self._questions.get(session_id, ()):
            question.withdrawn = True
            question.task.cancel()

    def _update(self, params: v1.SessionNotification) -> Awaitable[None] | None:
        session_id = params.session_id
        incoming = self.sessions.get(session_id)
        if incoming is None:
            if len(self.sessions) - len(self.opened) >= MAX_STRANGERS:
                self._endpoint.connection.fault("an update of a session that was never opened")
                return None
            incoming = self.sessions[session_id] = Incoming()
        client = self._client
        for event in incoming.events_from(params.update):
            client.emit(session_id, event)
            if type(event) is ChunkAdded and is_plain(event) and event.speaker != "user":
                self._texts.learn(session_id, event)
        # The lane waits for what is returned, so an application that is behind slows the agent.
        return client.drain() if client.blocked else None

    async def _ask(
        self, params: v1.RequestPermissionRequest, call: Call
    ) -> v1.RequestPermissionResponse:
        session_id = params.session_id
        incoming = self.sessions.get(session_id)
        if incoming is None:
            raise ResourceNotFound("Resource not found: no such session", {"sessionId": session_id})
        title = incoming.titles.get(params.tool_call.tool_call_id)
        # V1-PER-07: what the request says of the tool call is part of the session.
        self._client.emit(session_id, incoming.tool_call(tool_call_from(params.tool_call)))
        question = question_from(params, title)
        if not question.options or session_id in self.cancelling:
            return answer_model(Dismissed(), question.options)
        answer = await self._unless_withdrawn(
            session_id, self._client.ask(session_id, question), Dismissed()
        )
        return answer_model(answer, question.options)

    async def _elicit(
        self, params: v1.CreateElicitationRequest, call: Call
    ) -> v1.CreateElicitationResponse:
        question = elicitation_from(params)
        can = self._client.profile.capabilities
        allowed = (isinstance(question, FormQuestion) and can.elicitation_form) or (
            isinstance(question, UrlQuestion) and can.elicitation_url
        )
        if not allowed:  # V1-ELI-03
            raise InvalidParams("Invalid params: `mode` was not advertised", {"path": "mode"})
        session_id = question.scope.session_id if isinstance(question.scope, SessionScope) else None
        if session_id in self.cancelling:
            return elicitation_answer_model(Cancelled())
        if isinstance(question, UrlQuestion):
            self._urls.add(question.elicitation_id)
        answer = await self._unless_withdrawn(
            session_id, self._client.elicit(question), Cancelled()
        )
        if isinstance(question, UrlQuestion) and not isinstance(answer, Accepted):
            self._urls.discard(question.elicitation_id)
        return elicitation_answer_model(answer)

    def _completed(self, params: v1.CompleteElicitationNotification) -> None:
        if params.elicitation_id in self._urls:  # V1-ELI-15
            self._urls.discard(params.elicitation_id)
            self._client.complete_elicitation(params.elicitation_id)

    async def _unless_withdrawn(
        self, session_id: str | None, answer: Awaitable[T], otherwise: T
    ) -> T:
        """The answer, or the other one once the question is withdrawn."""
        task = asyncio.current_task()
        assert task is not None
        question = _Question(task)
        open_questions = self._questions.setdefault(session_id, set())
        open_questions.add(question)
        try:
            return await answer
        except asyncio.CancelledError:
            if not question.withdrawn:
                raise
            task.uncancel()
            return otherwise
        finally:
            open_questions.discard(question)

    async def _extension(self, call: Call) -> Payload:
        if not call.method.startswith("_") and call.method not in self._unstable("request"):
            raise MethodNotFound(f"Method not found: {call.method[:100]}")
        return encode(await self._client.call(call.method, _value(call.params)))

    def _extension_note(self, note: Notification) -> None:
        if note.method.startswith("_") or note.method in self._unstable("notification"):
            self._client.tell(note.method, _value(note.params))

    def _unstable(self, kind: str) -> set[str]:
        """The unstable methods that an application is handed as they are (V1-U-01)."""
        if not self._settings.unstable:
            return set()
        # The table names every model there is, and hardly any client needs it.
        from parley.schema.v1.methods import METHODS  # noqa: PLC0415

        return {
            method.name
            for method in METHODS
            if method.unstable and method.side == "client" and method.kind == kind
        }


def _value(payload: Payload) -> Any:
    return msgspec.json.decode(payload) if payload else None
