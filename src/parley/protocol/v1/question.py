"""Questions to a person and their answers, between the neutral words and version 1.

Pure. Whatever is not a clear answer reads as none: an unknown outcome never becomes a choice, and
an unknown action never becomes an acceptance (V1-PER-05, V1-ELI-12).
"""

# Annotations that are evaluated would load models that a start can do without.
from __future__ import annotations

from typing import Any, cast

import msgspec
from msgspec import UnsetType

import parley.schema.v1 as v1
from parley.errors import LocalProtocolError
from parley.protocol.v1.content import Lose, known
from parley.protocol.v1.tool_call import tool_call_from
from parley.schema.base import known_values
from parley.schema.codec import decode, encode
from parley.schema.problem import DecodeProblem
from parley.schema.reading import is_object
from parley.session.content import ContentItem, Text
from parley.session.event import ToolCallChanged
from parley.session.patch import given
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
    ToolCallSubject,
    UrlQuestion,
)

_KINDS = frozenset({"allow_once", "allow_always", "reject_once", "reject_always"})
UNTITLED = "Permission required"

# Permissions.


def permission_option_models(
    options: tuple[PermissionOption, ...], lose: Lose
) -> list[v1.PermissionOption]:
    """The options; one of an unknown kind is left out, since a client may answer by kind."""
    found: list[v1.PermissionOption] = []
    for option in options:
        if option.kind in _KINDS:
            found.append(
                v1.PermissionOption(
                    option_id=option.id,
                    name=option.name,
                    kind=option.kind,
                    meta=given(option.meta),
                )
            )
        else:
            lose("permission.option", f"an option of kind `{option.kind}` is left out")
    return found


def subject_of(question: PermissionQuestion, spare_id: str, lose: Lose) -> ToolCallChanged:
    """What the question is about as a tool call, which version 1 always wants.

    `spare_id` names the call that is made up when the question is about none.
    """
    match question.subject:
        case ToolCallSubject(tool_call=tool_call):
            return tool_call
        case CommandSubject(command=command, cwd=cwd) as subject:
            lose("permission.subject", "a command is asked about as a tool call")
            return ToolCallChanged(
                subject.tool_call_id or spare_id,
                kind="execute",
                raw_input={"command": command, "cwd": cwd},
            )
        case OtherSubject(kind=kind, raw=raw):
            lose("permission.subject", f"a subject of type `{kind}` is asked about as a tool call")
            return ToolCallChanged(spare_id, kind="other", meta={"subject": raw})
        case None:
            lose("permission.subject", "a question without a subject is asked as a tool call")
            return ToolCallChanged(spare_id, kind="other")


def is_about_a_call(question: PermissionQuestion) -> bool:
    """Whether the question names a tool call of its own."""
    match question.subject:
        case ToolCallSubject():
            return True
        case CommandSubject(tool_call_id=tool_call_id):
            return tool_call_id is not None
        case _:
            return False


def details_of(question: PermissionQuestion) -> tuple[ContentItem, ...]:
    """What the question says beside its title, as content of the tool call."""
    texts: list[str] = []
    if isinstance(question.subject, CommandSubject):
        texts.append(f"`{question.subject.command}` in `{question.subject.cwd}`")
    if question.description:
        texts.append(question.description)
    return tuple(ContentItem(Text(text)) for text in texts)


def question_from(model: v1.RequestPermissionRequest, title: str | None) -> PermissionQuestion:
    """The question; `title` is what the tool call was called before."""
    change = tool_call_from(model.tool_call)
    return PermissionQuestion(
        (change.title if isinstance(change.title, str) else title) or UNTITLED,
        tuple(
            PermissionOption(option.option_id, option.name, option.kind, known(option.meta))
            for option in model.options
        ),
        ToolCallSubject(change),
        meta=known(model.meta),
    )


def answer_from(model: v1.RequestPermissionResponse) -> PermissionAnswer:
    match model.outcome:
        case v1.SelectedPermissionOutcome() as outcome:
            return Chosen(outcome.option_id, known(outcome.meta))
        case v1.CancelledPermissionOutcome():
            return Dismissed(known(model.meta))
        case v1.OtherRequestPermissionOutcome() as outcome:
            return OtherAnswer(outcome.tag, dict(outcome.extra))


def answer_model(
    answer: PermissionAnswer, offered: tuple[PermissionOption, ...]
) -> v1.RequestPermissionResponse:
    """V1-PER-03: one of the options that were offered, or nothing at all."""
    match answer:
        case Chosen(option_id=option_id) if any(option.id == option_id for option in offered):
            chosen = v1.SelectedPermissionOutcome(option_id=option_id, meta=given(answer.meta))
            return v1.RequestPermissionResponse(outcome=chosen)
        case Dismissed(meta=meta):
            return v1.RequestPermissionResponse(
                outcome=v1.CancelledPermissionOutcome(), meta=given(meta)
            )
        case _:
            return v1.RequestPermissionResponse(outcome=v1.CancelledPermissionOutcome())


# Elicitations.


def elicitation_model(
    question: FormQuestion | UrlQuestion, lose: Lose
) -> v1.ElicitationFormMode | v1.ElicitationUrlMode:
    """The request for input.

    Raises:
        LocalProtocolError: the schema of the form is none that the protocol knows.
    """
    scope = _scope_members(question.scope)
    if isinstance(question, UrlQuestion):
        return v1.ElicitationUrlMode(
            message=question.message,
            elicitation_id=question.elicitation_id,
            url=question.url,
            meta=given(question.meta),
            **scope,
        )
    try:
        schema = decode(
            v1.ElicitationSchema, msgspec.json.encode(_without_formats(question.schema, lose))
        )
    except DecodeProblem as problem:
        raise LocalProtocolError(f"the schema of the form: {problem}") from None
    return v1.ElicitationFormMode(
        message=question.message, requested_schema=schema, meta=given(question.meta), **scope
    )


def elicitation_from(model: v1.CreateElicitationRequest) -> Elicitation:
    match model:
        case v1.ElicitationFormMode():
            schema = cast("dict[str, Any]", msgspec.json.decode(encode(model.requested_schema)))
            return FormQuestion(
                model.message,
                {"type": "object", "properties": {}, **schema},
                _scope_from(model),
                known(model.meta),
            )
        case v1.ElicitationUrlMode():
            return UrlQuestion(
                model.message,
                model.url,
                model.elicitation_id,
                _scope_from(model),
                known(model.meta),
            )
        case v1.OtherCreateElicitationRequest():
            return OtherQuestion(model.message, model.tag, dict(model.extra), _scope_from(model))


def elicitation_answer_from(model: v1.CreateElicitationResponse) -> ElicitationAnswer:
    match model:
        case v1.ElicitationAcceptAction():
            return Accepted(known(model.content), known(model.meta))
        case v1.ElicitationDeclineAction():
            return Declined(known(model.meta))
        case v1.ElicitationCancelAction():
            return Cancelled(known(model.meta))
        case v1.OtherCreateElicitationResponse():
            return Cancelled()  # V1-ELI-12: never an acceptance.


def elicitation_answer_model(answer: ElicitationAnswer) -> v1.CreateElicitationResponse:
    match answer:
        case Accepted():
            return v1.ElicitationAcceptAction(
                content=given(answer.content), meta=given(answer.meta)
            )
        case Declined():
            return v1.ElicitationDeclineAction(meta=given(answer.meta))
        case Cancelled():
            return v1.ElicitationCancelAction(meta=given(answer.meta))


def _scope_members(scope: Scope) -> dict[str, Any]:
    match scope:  # V1-ELI-05
        case SessionScope():
            return {"session_id": scope.session_id, "tool_call_id": given(scope.tool_call_id)}
        case RequestScope():
            return {"request_id": scope.request_id}


def _scope_from(model: v1.CreateElicitationRequest) -> Scope:
    if isinstance(model.session_id, str):
        return SessionScope(model.session_id, known(model.tool_call_id))
    return RequestScope(None if isinstance(model.request_id, UnsetType) else model.request_id)


def _without_formats(schema: dict[str, Any], lose: Lose) -> dict[str, Any]:
    """The schema without formats of strings that version 1 does not list (DEC-12)."""
    properties = schema.get("properties")
    if not is_object(properties):
        return schema
    listed = (*known_values(v1.StringFormat), None)
    kept: dict[str, Any] = {}
    for name, value in properties.items():
        if is_object(value) and value.get("format", "uri") not in listed:
            lose("elicitation.format", "a format of strings that is not listed is dropped")
            value = {key: item for key, item in value.items() if key != "format"}
        kept[name] = value
    return {**schema, "properties": kept}
