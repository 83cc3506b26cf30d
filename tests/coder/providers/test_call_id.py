"""Ids of tool calls."""

from parley.coder.message import CallPart
from parley.coder.providers.call_id import random_id, taken_ids, unique_id
from tests.coder.providers.fakes.samples import agent, results, user


def test_a_new_id_is_kept() -> None:
    taken = {"a"}
    assert unique_id("b", taken) == "b"
    assert taken == {"a", "b"}


def test_a_missing_or_taken_id_is_replaced_by_one_nobody_has() -> None:
    taken = {"a"}
    found = [unique_id(given, taken) for given in ("a", "", None, "a")]
    assert len(taken) == 5
    assert taken == {"a", *found}


def test_a_made_id_has_the_alphabet_of_every_api() -> None:
    made = random_id()
    assert made.removeprefix("call_").isalnum()
    assert len(made) <= 40


def test_the_ids_of_a_conversation_are_those_of_its_calls() -> None:
    messages = (user("Go"), agent(CallPart("a", "x"), CallPart("b", "x")), results())
    assert taken_ids(messages) == {"a", "b"}
