"""How a client answers: policies look at kinds, and a bad answer is an error, never a yes."""

import asyncio
from typing import Any

import pytest

from parley.sdk.policy import by_policy, elicitation_answer, permission_answer
from parley.session.question import (
    Accepted,
    Cancelled,
    Chosen,
    Declined,
    Dismissed,
    OtherAnswer,
    PermissionAnswer,
    PermissionOption,
    PermissionQuestion,
)

ALL = PermissionQuestion(
    "May I?",
    (
        PermissionOption("aa", "Always", "allow_always"),
        PermissionOption("a", "Yes", "allow_once"),
        PermissionOption("ra", "Never", "reject_always"),
        PermissionOption("r", "No", "reject_once"),
        PermissionOption("odd", "allow", "_allow_for_an_hour"),
    ),
)
ALWAYS = PermissionQuestion("May I?", ALL.options[:1])
NONE = PermissionQuestion("May I?", ALL.options[4:])


def _by(policy: Any, question: PermissionQuestion) -> object:
    async def answer() -> object:
        return await by_policy(policy)(None, question)  # pyright: ignore

    return asyncio.run(answer())


@pytest.mark.parametrize(
    ("policy", "question", "answer"),
    [
        ("allow", ALL, Chosen("a")),
        ("allow", ALWAYS, Chosen("aa")),
        ("allow", NONE, Dismissed()),
        ("reject", ALL, Chosen("r")),
        ("reject", ALWAYS, Dismissed()),
        ("dismiss", ALL, Dismissed()),
    ],
)
def test_a_policy_chooses_the_narrowest_option_of_its_kind(
    policy: str, question: PermissionQuestion, answer: PermissionAnswer
) -> None:
    assert _by(policy, question) == answer


def test_an_unknown_policy_is_refused_when_it_is_chosen() -> None:
    with pytest.raises(ValueError, match="no policy 'yes'; the policies are: allow, reject, dis"):
        by_policy("yes")  # pyright: ignore


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        (None, Dismissed()),
        (True, Chosen("a")),
        (False, Chosen("r")),
        ("aa", Chosen("aa")),
        (ALL.options[2], Chosen("ra")),
        (Chosen("odd"), Chosen("odd")),
        (Dismissed(), Dismissed()),
        (OtherAnswer("_x", {}), OtherAnswer("_x", {})),
    ],
)
def test_a_handler_may_answer_in_several_ways(given: object, answer: PermissionAnswer) -> None:
    assert permission_answer(ALL, given) == answer


@pytest.mark.parametrize("given", ["x", "", Chosen("x"), PermissionOption("x", "x", "allow_once")])
def test_an_option_that_was_not_offered_is_an_error_that_lists_those_that_were(
    given: object,
) -> None:
    with pytest.raises(ValueError, match="the options are: 'aa', 'a', 'ra', 'r', 'odd'"):
        permission_answer(ALL, given)


@pytest.mark.parametrize("given", [1, ["a"], {"optionId": "a"}, object()])
def test_what_could_not_be_an_answer_is_an_error(given: object) -> None:
    with pytest.raises(TypeError, match="is not an answer to a permission question"):
        permission_answer(ALL, given)
    if not isinstance(given, dict):
        with pytest.raises(TypeError, match="is not an answer to a request for input"):
            elicitation_answer(given)


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        (None, Cancelled()),
        ({"a": 1}, Accepted({"a": 1})),
        (Accepted(), Accepted()),
        (Declined(), Declined()),
        (Cancelled(), Cancelled()),
    ],
)
def test_input_may_be_given_in_several_ways(given: object, answer: object) -> None:
    assert elicitation_answer(given) == answer
