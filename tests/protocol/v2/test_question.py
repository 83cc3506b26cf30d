"""Questions and answers: nothing unknown ever becomes a yes."""

from typing import Any

import pytest

from parley.protocol.v2.question import (
    action_model,
    answer_from,
    elicitation_answer_from,
    elicitation_from,
    elicitation_model,
    outcome_model,
    permission_from,
    permission_model,
)
from parley.schema import v2
from parley.schema.codec import decode, encode
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
    SessionScope,
    Subject,
    ToolCallSubject,
    UrlQuestion,
)

OPTIONS = (PermissionOption("y", "Yes", "allow_once", {"m": 1}), PermissionOption("o", "O", "_o"))


@pytest.mark.parametrize(
    "subject",
    [
        None,
        ToolCallSubject(ToolCallChanged("t", title=None, status="pending"), {"m": 1}),
        CommandSubject("ls", "/w", "t", "x", {"m": 1}),
        CommandSubject("ls", "/w"),
        OtherSubject("_s", {"type": "_s", "x": [1]}),
    ],
)
def test_a_question_comes_back_as_it_was(subject: Subject | None) -> None:
    question = PermissionQuestion("May I?", OPTIONS, subject, "why", {"m": 2})
    request = permission_model("s1", question, lambda what, _: pytest.fail(what))
    assert request is not None
    assert permission_from(decode(v2.RequestPermissionRequest, encode(request))) == question


@pytest.mark.parametrize(
    "answer",
    [
        Chosen("y"),
        Chosen("y", {"m": 1}),
        Dismissed(),
        Dismissed({"m": 1}),
        OtherAnswer("_later", {"outcome": "_later", "x": 1}),
    ],
)
def test_an_answer_comes_back_as_it_was(answer: PermissionAnswer) -> None:
    data = encode(outcome_model(answer))
    assert answer_from(decode(v2.RequestPermissionResponse, data)) == answer


@pytest.mark.parametrize(
    "question",
    [
        FormQuestion("m", {"type": "object", "properties": {}}, SessionScope("s1", "t"), {"m": 1}),
        FormQuestion(
            "m",
            {
                "type": "object",
                "properties": {
                    "a": {"type": "string", "format": "_own", "enum": ["x"]},
                    "b": {"type": "array", "items": {"anyOf": [{"const": "c", "title": "C"}]}},
                    "c": {"type": "_color", "x": 1},
                },
                "required": ["a"],
            },
            RequestScope("r"),
        ),
        UrlQuestion("m", "https://x", "e", RequestScope(0), {"m": 1}),
    ],
)
def test_a_question_for_input_comes_back_as_it_was(question: Elicitation) -> None:
    request = elicitation_model(question, lambda what, _: pytest.fail(what))
    assert request is not None
    assert elicitation_from(decode(v2.CreateElicitationRequest, encode(request))) == question


def test_an_unknown_way_of_asking_is_kept_whole() -> None:
    raw = {"mode": "_voice", "message": "m", "sessionId": "s1", "x": 1}
    request = decode(v2.CreateElicitationRequest, encode(raw))
    assert elicitation_from(request) == OtherQuestion("m", "_voice", raw, SessionScope("s1"))


@pytest.mark.parametrize(
    ("question", "loss"),
    [
        (FormQuestion("m", {}, RequestScope(None)), "elicitation.scope"),
        (OtherQuestion("m", "_voice", {}), "elicitation.scope"),
        (OtherQuestion("m", "_voice", {}, SessionScope("s1")), "elicitation.mode"),
        (
            FormQuestion(
                "m", {"properties": {"a": {"type": "string", "enum": []}}}, SessionScope("s")
            ),
            "elicitation.schema",
        ),
    ],
)
def test_what_cannot_be_asked_is_told(question: Elicitation, loss: str) -> None:
    """V2-ELI-02"""
    losses: list[str] = []
    assert elicitation_model(question, lambda what, _: losses.append(what)) is None
    assert losses == [loss]


@pytest.mark.parametrize(
    "answer",
    [Accepted(), Accepted({"a": [1]}, {"m": 1}), Declined({"m": 1}), Cancelled({"m": 1})],
)
def test_an_answer_with_input_comes_back_as_it_was(answer: ElicitationAnswer) -> None:
    data = encode(action_model(answer))
    assert elicitation_answer_from(decode(v2.CreateElicitationResponse, data)) == answer


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"action": "_later", "_meta": {"m": 1}}, Cancelled({"m": 1})),
        ({"action": "accepted", "content": {"a": 1}}, Cancelled()),
        ({"action": "accept", "content": None}, Accepted()),
    ],
)
def test_an_unknown_action_is_a_cancellation(result: Any, expected: ElicitationAnswer) -> None:
    """V2-ELI-03"""
    model = decode(v2.CreateElicitationResponse, encode(result))
    assert elicitation_answer_from(model) == expected
