"""What an agent asks the person at the other end, in the words of version 2 and back. Pure.

Nothing here decides what an answer allows: an outcome nobody knows stays one (V2-PER-07), and an
action nobody knows is a cancellation (V2-ELI-03).
"""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from parley.protocol.v2.loss import Lose, again, given, members_of, told
from parley.protocol.v2.tool_call import tool_call_from, tool_call_model
from parley.protocol.v2.values import is_absolute
from parley.schema import v2
from parley.schema.codec import decode
from parley.schema.problem import DecodeProblem
from parley.session.event import ToolCallChanged
from parley.session.question import (
    Accepted,
    Cancelled,
    Chosen,
    CommandSubject,
    Declined,
    Dismissed,
    Elicitation,
    ElicitationAnswer,
    FormQuestion,
    OtherAnswer,
    OtherQuestion,
    OtherSubject,
    PermissionAnswer,
    PermissionOption,
    PermissionQuestion,
    RequestScope,
    Scope,
    SessionScope,
    Subject,
    ToolCallSubject,
    UrlQuestion,
)

# Permissions.


def permission_model(
    session_id: str,
    question: PermissionQuestion,
    lose: Lose,
    *,
    told: ToolCallChanged | None = None,
) -> v2.RequestPermissionRequest | None:
    """The request; `None` if it cannot be asked, which must count as refused.

    What was `told` of the tool call already is only repeated, with the losses that were reported.
    """
    ids = {option.id for option in question.options}
    if not ids or len(ids) < len(question.options):
        # V2-PER-01: at least one option, and no id twice.
        lose("permission.options", "a question without options that can be told apart")
        return None
    return v2.RequestPermissionRequest(
        session_id=session_id,
        title=question.title,
        options=[
            v2.PermissionOption(
                option_id=option.id, name=option.name, kind=option.kind, meta=given(option.meta)
            )
            for option in question.options
        ],
        description=given(question.description),
        subject=given(_subject_model(question.subject, told, lose)),
        meta=given(question.meta),
    )


def permission_from(request: v2.RequestPermissionRequest) -> PermissionQuestion:
    subject = told(request.subject)
    return PermissionQuestion(
        request.title,
        tuple(
            PermissionOption(option.option_id, option.name, option.kind, told(option.meta))
            for option in request.options
        ),
        None if subject is None else _subject_from(subject),
        told(request.description),
        told(request.meta),
    )


def outcome_model(answer: PermissionAnswer) -> v2.RequestPermissionResponse:
    outcome: v2.RequestPermissionOutcome
    match answer:
        case Chosen(option_id=option_id, meta=meta):
            outcome = v2.SelectedPermissionOutcome(option_id=option_id, meta=given(meta))
        case Dismissed(meta=meta):
            outcome = v2.CancelledPermissionOutcome(meta=given(meta))
        case OtherAnswer(kind=kind, raw=raw):
            outcome = v2.OtherRequestPermissionOutcome.of({**raw, "outcome": kind})
    return v2.RequestPermissionResponse(outcome=outcome)


def answer_from(response: v2.RequestPermissionResponse) -> PermissionAnswer:
    match response.outcome:
        case v2.SelectedPermissionOutcome(option_id=option_id, meta=meta):
            return Chosen(option_id, told(meta))
        case v2.CancelledPermissionOutcome(meta=meta):
            return Dismissed(told(meta))
        case v2.OtherRequestPermissionOutcome() as other:
            return OtherAnswer(other.tag, members_of(other))


def _subject_model(
    subject: Subject | None, told: ToolCallChanged | None, lose: Lose
) -> v2.RequestPermissionSubject | None:
    match subject:
        case None:
            return None
        case ToolCallSubject(tool_call=tool_call, meta=meta):
            model = tool_call_model(tool_call, again if tool_call == told else lose)
            return v2.ToolCallPermissionSubject(tool_call=model, meta=given(meta))
        case CommandSubject():
            if not is_absolute(subject.cwd):
                # V2-PER-04: the directory of a command is absolute.
                lose("permission.subject", "a command whose directory is not absolute")
                return None
            return v2.CommandPermissionSubject(
                command=subject.command,
                cwd=subject.cwd,
                tool_call_id=given(subject.tool_call_id),
                terminal_id=given(subject.terminal_id),
                meta=given(subject.meta),
            )
        case OtherSubject(kind=kind, raw=raw):
            return v2.OtherRequestPermissionSubject.of({**raw, "type": kind})


def _subject_from(model: v2.RequestPermissionSubject) -> Subject:
    match model:
        case v2.ToolCallPermissionSubject(tool_call=tool_call, meta=meta):
            return ToolCallSubject(tool_call_from(tool_call), told(meta))
        case v2.CommandPermissionSubject():
            return CommandSubject(
                model.command,
                model.cwd,
                told(model.tool_call_id),
                told(model.terminal_id),
                told(model.meta),
            )
        case v2.OtherRequestPermissionSubject():
            return OtherSubject(model.tag, members_of(model))  # V2-PER-06


# Input.


def elicitation_model(
    question: Elicitation, lose: Lose
) -> v2.ElicitationFormMode | v2.ElicitationUrlMode | None:
    """The request; `None` if it cannot be asked, which must count as cancelled."""
    session_id, tool_call_id, request_id = _scope_members(question.scope)
    if session_id is UNSET and request_id is UNSET:
        # V2-ELI-02: exactly one scope, and a null id is none.
        lose("elicitation.scope", "a question that belongs to nothing")
        return None
    match question:
        case FormQuestion():
            # V2-ELI-02: these two are always there.
            schema: dict[str, Any] = {"properties": {}, **question.schema, "type": "object"}
            try:
                form = decode(v2.ElicitationSchema, msgspec.json.encode(schema))
            except DecodeProblem as problem:
                lose("elicitation.schema", f"a form that the protocol does not know: {problem}")
                return None
            return v2.ElicitationFormMode(
                message=question.message,
                requested_schema=form,
                session_id=session_id,
                tool_call_id=tool_call_id,
                request_id=request_id,
                meta=given(question.meta),
            )
        case UrlQuestion():
            return v2.ElicitationUrlMode(
                message=question.message,
                elicitation_id=question.elicitation_id,
                url=question.url,
                session_id=session_id,
                tool_call_id=tool_call_id,
                request_id=request_id,
                meta=given(question.meta),
            )
        case OtherQuestion():
            lose("elicitation.mode", "a way of asking that nobody here knows")
            return None


def elicitation_from(request: v2.CreateElicitationRequest) -> Elicitation:
    scope = _scope_from(request)
    match request:
        case v2.ElicitationFormMode():
            schema = members_of(request.requested_schema)
            return FormQuestion(request.message, schema, scope, told(request.meta))
        case v2.ElicitationUrlMode():
            return UrlQuestion(
                request.message, request.url, request.elicitation_id, scope, told(request.meta)
            )
        case v2.OtherCreateElicitationRequest():
            return OtherQuestion(request.message, request.tag, members_of(request), scope)


def action_model(answer: ElicitationAnswer) -> v2.CreateElicitationResponse:
    match answer:
        case Accepted(content=content, meta=meta):
            return v2.ElicitationAcceptAction(content=given(content), meta=given(meta))
        case Declined(meta=meta):
            return v2.ElicitationDeclineAction(meta=given(meta))
        case Cancelled(meta=meta):
            return v2.ElicitationCancelAction(meta=given(meta))


def elicitation_answer_from(response: v2.CreateElicitationResponse) -> ElicitationAnswer:
    match response:
        case v2.ElicitationAcceptAction(content=content, meta=meta):
            return Accepted(told(content), told(meta))
        case v2.ElicitationDeclineAction(meta=meta):
            return Declined(told(meta))
        case v2.ElicitationCancelAction(meta=meta) | v2.OtherCreateElicitationResponse(meta=meta):
            return Cancelled(told(meta))


def _scope_members(
    scope: Scope | None,
) -> tuple[str | UnsetType, str | UnsetType, int | str | UnsetType]:
    match scope:
        case SessionScope(session_id=session_id, tool_call_id=tool_call_id):
            return session_id, given(tool_call_id), UNSET
        case RequestScope(request_id=request_id):
            return UNSET, UNSET, given(request_id)
        case None:
            return UNSET, UNSET, UNSET


def _scope_from(request: v2.CreateElicitationRequest) -> Scope:
    if isinstance(request.session_id, str):
        return SessionScope(request.session_id, told(request.tool_call_id))
    return RequestScope(told(request.request_id))
