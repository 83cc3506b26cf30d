"""What an agent asks of a client over version 2: permissions, input, extensions, and updates."""

import asyncio
from typing import Any

import msgspec

from parley.errors import InvalidParams, MethodNotFound
from parley.protocol.endpoint import NoteRoute, Route, Routes
from parley.protocol.settings import Settings
from parley.protocol.v2.client_session import ClientSession, ClientSessions, OpenQuestion
from parley.protocol.v2.dialect import (
    repair_capabilities,
    repair_permission,
    repair_update,
)
from parley.protocol.v2.question import (
    action_model,
    elicitation_from,
    outcome_model,
    permission_from,
)
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call
from parley.schema import v2
from parley.schema.codec import encode
from parley.session.question import (
    Accepted,
    CommandSubject,
    Dismissed,
    Elicitation,
    FormQuestion,
    PermissionAnswer,
    PermissionQuestion,
    ToolCallSubject,
    UrlQuestion,
)
from parley.session.role import ClientRole

_UNSTABLE_CALLS = frozenset({"mcp/message"})
_UNSTABLE_NOTES = frozenset({"auth/status_update"})


class ClientCalls:
    """Answers for the application of a client."""

    def __init__(self, client: ClientRole, sessions: ClientSessions, settings: Settings) -> None:
        self._client = client
        self._sessions = sessions
        self._settings = settings
        self._urls: set[str] = set()

    def routes(self) -> Routes:
        calls = {
            "session/request_permission": Route(
                v2.RequestPermissionRequest, self._permission, (repair_permission,)
            ),
            "elicitation/create": Route(v2.CreateElicitationRequest, self._elicit),
        }
        notes = {
            "session/update": NoteRoute(
                v2.UpdateSessionNotification,
                self._sessions.update,
                (repair_update, repair_capabilities),
            ),
            "elicitation/complete": NoteRoute(v2.CompleteElicitationNotification, self._complete),
        }
        return Routes(calls, notes, self._other_call, self._other_note)

    async def _permission(
        self, params: v2.RequestPermissionRequest, call: Call
    ) -> v2.RequestPermissionResponse:
        session = self._sessions.met(params.session_id)
        question = permission_from(params)
        if isinstance(question.subject, ToolCallSubject):
            # V2-PER-03: what it says of the tool call is part of the session, and comes first.
            self._sessions.take(session, question.subject.tool_call)
        return outcome_model(await self._asked(session, question))

    async def _asked(
        self, session: ClientSession, question: PermissionQuestion
    ) -> PermissionAnswer:
        task = asyncio.current_task()
        assert task is not None
        open_question = OpenQuestion(task, _is_of_the_turn(session, question))
        session.questions.append(open_question)
        try:
            return await self._client.ask(session.id, question)
        except asyncio.CancelledError:
            # CAN-10: cancelled by the agent, or with the turn: an outcome, not an error.
            task.uncancel()
            return Dismissed()
        finally:
            session.questions.remove(open_question)

    async def _elicit(
        self, params: v2.CreateElicitationRequest, call: Call
    ) -> v2.CreateElicitationResponse:
        question = elicitation_from(params)
        if not self._advertised(question):
            raise InvalidParams("Invalid params: `mode` was not advertised")  # V1-ELI-03
        answer = await self._client.elicit(question)
        if isinstance(question, UrlQuestion) and isinstance(answer, Accepted):
            self._urls.add(question.elicitation_id)
        return action_model(answer)

    def _advertised(self, question: Elicitation) -> bool:
        can = self._client.profile.capabilities
        match question:
            case FormQuestion():
                return can.elicitation_form
            case UrlQuestion():
                return can.elicitation_url
            case _:
                return False

    def _complete(self, params: v2.CompleteElicitationNotification) -> None:
        # V1-ELI-15: unknown and completed ids are ignored.
        if params.elicitation_id in self._urls:
            self._urls.discard(params.elicitation_id)
            self._client.complete_elicitation(params.elicitation_id)

    async def _other_call(self, call: Call) -> Payload:
        unstable = self._settings.unstable and call.method in _UNSTABLE_CALLS
        if not (unstable or call.method.startswith("_")):
            raise MethodNotFound(f"Method not found: {call.method[:100]}")
        return encode(await self._client.call(call.method, _plain(call.params)))

    def _other_note(self, note: Notification) -> None:
        # EXT-09: whatever nobody knows is ignored.
        unstable = self._settings.unstable and note.method in _UNSTABLE_NOTES
        if unstable or note.method.startswith("_"):
            self._client.tell(note.method, _plain(note.params))


def _is_of_the_turn(session: ClientSession, question: PermissionQuestion) -> bool:
    """V2-CNC-06: not if the session rests, and not if it is about background work."""
    if not session.busy:
        return False
    match question.subject:
        case ToolCallSubject(tool_call=tool_call):
            return not session.in_background("tool_call", tool_call.id)
        case CommandSubject(tool_call_id=str(tool_call_id)):
            return not session.in_background("tool_call", tool_call_id)
        case CommandSubject(terminal_id=str(terminal_id)):
            return not session.in_background("terminal", terminal_id)
        case _:
            return True


def _plain(params: Payload) -> Any:
    return msgspec.json.decode(params) if params else None
