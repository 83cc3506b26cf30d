"""Questions and answers in version 1 and back; the wire is in `test_client_handle`."""

from typing import Any

import pytest

import parley.schema.v1 as v1
from parley.protocol.v1.question import (
    answer_from,
    answer_model,
    elicitation_answer_from,
    elicitation_answer_model,
    elicitation_from,
    elicitation_model,
)
from parley.schema.codec import decode, decode_strictly, encode
from parley.session.question import (
    Accepted,
    Cancelled,
    Chosen,
    Declined,
    Dismissed,
    FormQuestion,
    OtherAnswer,
    OtherQuestion,
    PermissionAnswer,
    PermissionOption,
    RequestScope,
    SessionScope,
    UrlQuestion,
)

OFFERED = (PermissionOption("y", "Yes", "allow_once"),)


@pytest.mark.parametrize("answer", [Chosen("y", {"m": 1}), Dismissed({"m": 1}), Dismissed()])
def test_an_answer_comes_back_as_it_was(answer: PermissionAnswer) -> None:
    frame = encode(answer_model(answer, OFFERED))
    assert answer_from(decode_strictly(v1.RequestPermissionResponse, frame)) == answer


@pytest.mark.parametrize("answer", [Chosen("n"), OtherAnswer("_x", {})])
def test_other_answers_are_none(answer: PermissionAnswer) -> None:
    assert answer_from(answer_model(answer, OFFERED)) == Dismissed()


def test_an_outcome_nobody_knows_is_kept_and_is_no_choice_v1_per_05() -> None:
    frame = b'{"outcome":{"outcome":"_x","optionId":"y"}}'
    answer = answer_from(decode(v1.RequestPermissionResponse, frame))
    assert answer == OtherAnswer("_x", {"outcome": "_x", "optionId": "y"})


SCHEMA = {
    "type": "object",
    "title": "T",
    "properties": {
        "a": {"type": "string", "enum": ["x"]},
        "b": {"type": "integer", "minimum": 1},
        "c": {"type": "array", "items": {"type": "string", "enum": ["x"]}},
        "d": {"type": "_custom", "odd": 1},
    },
    "required": ["a"],
}


@pytest.mark.parametrize(
    "question",
    [
        FormQuestion("m", SCHEMA, SessionScope("s", "t"), {"m": 1}),
        FormQuestion("m", {"type": "object", "properties": {}}, RequestScope(None)),
        UrlQuestion("m", "https://a", "e", RequestScope("r")),
        UrlQuestion("m", "https://a", "e", SessionScope("s")),
    ],
)
def test_a_question_comes_back_as_it_was_v1_eli_04_05(question: Any) -> None:
    frame = encode(elicitation_model(question, _no_loss))
    assert elicitation_from(decode_strictly(v1.CreateElicitationRequest, frame)) == question


def test_a_mode_nobody_knows_is_kept() -> None:
    raw = {"mode": "voice", "message": "m", "sessionId": "s", "pitch": 5}
    question = elicitation_from(decode(v1.CreateElicitationRequest, encode(raw)))
    expected = OtherQuestion("m", "voice", {"mode": "voice", "pitch": 5}, SessionScope("s"))
    assert question == expected


@pytest.mark.parametrize("answer", [Accepted({"a": 1}, {"m": 1}), Declined({"m": 1}), Cancelled()])
def test_an_answer_to_a_form_comes_back_as_it_was(answer: Any) -> None:
    frame = encode(elicitation_answer_model(answer))
    assert elicitation_answer_from(decode(v1.CreateElicitationResponse, frame)) == answer


def _no_loss(what: str, detail: str) -> None:
    raise AssertionError(what)
