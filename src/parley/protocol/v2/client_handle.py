"""The client, as the application of an agent sees it over a connection of version 2.

It asks only what the client advertised, and it turns every failure of a question into the answer
that allows nothing.
"""

from typing import Any

import msgspec

from parley.errors import AcpError, LocalProtocolError
from parley.protocol.endpoint import Endpoint
from parley.protocol.settings import Settings
from parley.protocol.v2.agent_session import AgentSessions
from parley.protocol.v2.loss import Lose
from parley.protocol.v2.question import (
    answer_from,
    elicitation_answer_from,
    elicitation_model,
    permission_model,
)
from parley.schema import v2
from parley.schema.codec import encode
from parley.session.event import Event
from parley.session.profile import ClientProfile
from parley.session.question import (
    Accepted,
    Cancelled,
    CommandSubject,
    Dismissed,
    Elicitation,
    ElicitationAnswer,
    FormQuestion,
    PermissionAnswer,
    PermissionQuestion,
    Scope,
    SessionScope,
    Subject,
    ToolCallSubject,
    UrlQuestion,
)

_UNSTABLE_CALLS = frozenset({"mcp/message"})
_UNSTABLE_NOTES = frozenset({"auth/status_update"})


class ClientHandle:
    """A `ClientRole` at the other end of a connection. Version 2 has no files, no terminals."""

    files = None
    terminals = None

    def __init__(
        self,
        endpoint: Endpoint,
        sessions: AgentSessions,
        profile: ClientProfile,
        settings: Settings,
    ) -> None:
        self.profile = profile
        self._endpoint = endpoint
        self._sessions = sessions
        self._settings = settings
        self._urls: set[str] = set()

    def emit(self, session_id: str, event: Event) -> None:
        self._sessions.emit(session_id, event)

    @property
    def blocked(self) -> bool:
        return self._endpoint.transport.blocked

    async def drain(self) -> None:
        await self._endpoint.drain()

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        session = self._sessions.find(session_id)
        if session is None:
            return Dismissed()
        request = permission_model(
            session_id, question, self._loser(session_id), told=session.told_call
        )
        if request is None:
            return Dismissed()
        if isinstance(question.subject, ToolCallSubject):
            self._sessions.met(session, question.subject.tool_call)
        try:
            with self._sessions.asking(session_id, _asked_about(question.subject)):
                # Cancelling the wait cancels the request at the client (V2-CNC-05).
                response = await self._endpoint.request(
                    request, timeout=self._settings.question_deadline
                )
        except AcpError:
            # V2-PER-09: whatever went wrong, there is no approval.
            return Dismissed()
        return answer_from(response)

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        if not self._may_ask(question):
            return Cancelled()  # V1-ELI-01: a mode that was not advertised is not asked for.
        scope = question.scope
        session_id = scope.session_id if isinstance(scope, SessionScope) else None
        request = elicitation_model(question, self._loser(session_id))
        if request is None:
            return Cancelled()
        url_id = question.elicitation_id if isinstance(question, UrlQuestion) else ""
        self._urls.add(url_id)
        answer: ElicitationAnswer = Cancelled()
        try:
            answer = await self._elicited(request, scope)
        except AcpError:
            pass  # V2-ELI-03: whatever went wrong, nothing was accepted.
        finally:
            if not isinstance(answer, Accepted):
                self._urls.discard(url_id)
        return answer

    def complete_elicitation(self, elicitation_id: str) -> None:
        # V1-ELI-20: only what was asked on this connection can be completed on it, and once.
        if elicitation_id in self._urls:
            self._urls.discard(elicitation_id)
            self._endpoint.post(v2.CompleteElicitationNotification(elicitation_id=elicitation_id))

    async def call(self, method: str, params: Any) -> Any:
        self._check(method, _UNSTABLE_CALLS)
        answer = await self._endpoint.connection.request(
            method, encode(params), timeout=self._settings.deadline
        )
        return msgspec.json.decode(answer)

    def tell(self, method: str, params: Any) -> None:
        self._check(method, _UNSTABLE_NOTES)
        self._endpoint.connection.post(method, encode(params))

    def _may_ask(self, question: Elicitation) -> bool:
        can = self.profile.capabilities
        match question:
            case FormQuestion():
                return can.elicitation_form
            case UrlQuestion():
                # V1-ELI-13: an id is not used for two open questions.
                return can.elicitation_url and question.elicitation_id not in self._urls
            case _:
                return False

    async def _elicited(
        self, request: v2.ElicitationFormMode | v2.ElicitationUrlMode, scope: Scope | None
    ) -> ElicitationAnswer:
        deadline = self._settings.question_deadline
        if not isinstance(scope, SessionScope):
            # V2-ELI-05: what belongs to a request says nothing about a session.
            return self._answer(await self._endpoint.request(request, timeout=deadline), None)
        with self._sessions.asking(scope.session_id, scope.tool_call_id):
            response = await self._endpoint.request(request, timeout=deadline)
            return self._answer(response, scope.session_id)

    def _answer(
        self, response: v2.CreateElicitationResponse, session_id: str | None
    ) -> ElicitationAnswer:
        if isinstance(response, v2.OtherCreateElicitationResponse):
            self._loser(session_id)(
                "elicitation.action", "an answer that nobody here knows counts as none"
            )
        return elicitation_answer_from(response)

    def _check(self, method: str, unstable: frozenset[str]) -> None:
        if not (method.startswith("_") or (self._settings.unstable and method in unstable)):
            raise LocalProtocolError(f"`{method}` is not an extension method")

    def _loser(self, session_id: str | None) -> Lose:
        def lose(what: str, detail: str) -> None:
            self._settings.lose(what, detail, session_id)

        return lose


def _asked_about(subject: Subject | None) -> str | None:
    match subject:
        case ToolCallSubject(tool_call=tool_call):
            return tool_call.id
        case CommandSubject(tool_call_id=tool_call_id):
            return tool_call_id
        case _:
            return None
