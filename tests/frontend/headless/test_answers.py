"""Requests for input: from options, from a person, from nobody."""

import asyncio
from typing import Any

import pytest

from parley.frontend.headless.answers import Answers, typed, wanted
from parley.session.question import (
    Accepted,
    Cancelled,
    Declined,
    Elicitation,
    ElicitationAnswer,
    FormQuestion,
    OtherQuestion,
    SessionScope,
    UrlQuestion,
)
from tests.frontend.headless.staging import Person, shown

SCOPE = SessionScope("s")


def form(*required: str, **fields: dict[str, Any]) -> FormQuestion:
    schema = {"type": "object", "properties": fields, "required": list(required)}
    return FormQuestion("Which one?\x1b", schema, SCOPE)


def answer(
    question: Elicitation, given: dict[str, str] | None = None, person: Person | None = None
) -> tuple[ElicitationAnswer, str]:
    async def scenario() -> tuple[ElicitationAnswer, str]:
        async with shown() as stage:
            found = await Answers(given or {}, stage.screen, person).answer(question)
        return found, stage.err

    return asyncio.run(asyncio.wait_for(scenario(), 5))


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def test_options_answer_what_is_asked_for_and_nothing_else() -> None:
    question = form("name", name=TEXT, count=NUMBER)
    given = {"name": "Ada", "count": "3", "secret": "x"}
    assert answer(question, given)[0] == Accepted({"name": "Ada", "count": 3})


def test_what_is_missing_cancels_where_nobody_can_be_asked_and_is_named() -> None:
    found, err = answer(form("name", name=TEXT))
    assert found == Cancelled()
    assert "--answer NAME=VALUE for: name" in err
    assert "\x1b" not in err


def test_a_wrong_value_is_not_sent() -> None:
    found, err = answer(form("count", count=NUMBER), {"count": "many"})
    assert found == Cancelled()
    assert "--answer count: integer" in err


def test_a_person_is_asked_for_what_is_missing() -> None:
    person = Person("many", "3")
    question = form("name", "count", name=TEXT, count={**NUMBER, "title": "How many"})
    assert answer(question, {"name": "Ada"}, person)[0] == Accepted({"name": "Ada", "count": 3})
    assert person.questions == ["  How many (integer): "] * 2


def test_what_sounds_like_a_secret_is_typed_hidden() -> None:
    person = Person("pssst")
    assert answer(form("api_token", api_token=TEXT), person=person)[0] == Accepted(
        {"api_token": "pssst"}
    )
    assert person.questions[0].endswith("(hidden)")


@pytest.mark.parametrize("lines", [("",), (None,), ("x", "y", "z")])
def test_no_answer_to_what_is_required_declines(lines: tuple[str | None, ...]) -> None:
    assert answer(form("count", count=NUMBER), person=Person(*lines))[0] == Declined()


def test_what_is_not_required_may_be_left_empty() -> None:
    question = form(name=TEXT, other={**TEXT, "default": "x"})
    assert answer(question, person=Person("", ""))[0] == Accepted({})
    assert answer(question)[0] == Cancelled()


def test_a_form_without_fields_is_accepted() -> None:
    assert answer(FormQuestion("ok?", {}, SCOPE))[0] == Accepted({})


def test_an_address_is_shown_and_visited_by_the_person_or_not() -> None:
    question = UrlQuestion("Log in", "https://example.org/\x1b", "e", SCOPE)
    found, err = answer(question)
    assert found == Cancelled()
    assert "https://example.org/\\u001b" in err
    assert answer(question, person=Person("y"))[0] == Accepted()
    assert answer(question, person=Person("n"))[0] == Declined()


def test_a_question_of_an_unknown_kind_is_cancelled() -> None:
    assert answer(OtherQuestion("?", "hologram", {}))[0] == Cancelled()


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("yes", {"type": "boolean"}, True),
        ("Off", {"type": "boolean"}, False),
        ("maybe", {"type": "boolean"}, None),
        ("1.5", {"type": "number"}, 1.5),
        ("x", {"type": "number"}, None),
        ("a, b,", {"type": "array"}, ["a", "b"]),
        ("a", {"enum": ["a", 3]}, "a"),
        ("c", {"enum": ["a", "b"]}, None),
        ("b", {"oneOf": [{"const": "b"}, 3]}, "b"),
        ("x", {}, "x"),
    ],
)
def test_a_text_becomes_what_a_field_wants(text: str, field: dict[str, Any], value: Any) -> None:
    assert typed(text, field) == value


def test_what_a_field_wants_is_said_in_a_few_words() -> None:
    fields: list[dict[str, Any]] = [{"enum": ["a", "b"]}, {"type": "boolean"}, {"type": "array"}]
    assert [wanted(field) for field in (*fields, {"type": "number"}, {})] == [
        "a or b",
        "yes or no",
        "several, with commas between them",
        "number",
        "text",
    ]
