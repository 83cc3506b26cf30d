"""Only one thing allows: the kind of the one offered option that has the chosen id."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.session.question import (
    DISMISSED,
    REFUSED,
    Accepted,
    Chosen,
    Decision,
    Dismissed,
    OtherAnswer,
    PermissionAnswer,
    PermissionOption,
    decide,
)
from tests.session.strategies import metas, words

ONCE = PermissionOption("once", "Allow", "allow_once")
ALWAYS = PermissionOption("always", "Always allow", "allow_always")
NO = PermissionOption("no", "Reject", "reject_once")
NEVER = PermissionOption("never", "Always reject", "reject_always")
OFFERED = (ONCE, ALWAYS, NO, NEVER)


def _only(kind: Any, id: str = "x", name: str = "Allow") -> tuple[PermissionOption, ...]:
    return (PermissionOption(id, name, kind),)


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        (Chosen("once"), Decision(allowed=True, option=ONCE)),
        (Chosen("always"), Decision(allowed=True, always=True, option=ALWAYS)),
        (Chosen("no"), Decision(allowed=False, option=NO)),
        (Chosen("never"), Decision(allowed=False, always=True, option=NEVER)),
        (Dismissed(), DISMISSED),
        (OtherAnswer("allowed", {}), REFUSED),
        (None, REFUSED),
    ],
)
def test_each_answer_means_one_thing(answer: PermissionAnswer | None, decision: Decision) -> None:
    assert decide(OFFERED, answer) == decision


def test_a_decision_is_true_only_when_it_allows() -> None:
    assert decide(OFFERED, Chosen("once"))
    assert not decide(OFFERED, Chosen("no"))
    assert not DISMISSED
    assert not REFUSED


NOT_ALLOWING: dict[str, tuple[tuple[PermissionOption, ...], Any]] = {
    # Refusals.
    "reject once": (OFFERED, Chosen("no")),
    "reject always": (OFFERED, Chosen("never")),
    "a refusal whose name allows": (_only("reject_once", name="Allow once"), Chosen("x")),
    "a refusal whose id allows": (_only("reject_once", id="allow_once"), Chosen("allow_once")),
    "a refusal beside approving meta": (OFFERED, Chosen("no", {"allowed": True})),
    "a refusing option with approving meta": (
        (PermissionOption("x", "No", "reject_once", {"kind": "allow_once"}),),
        Chosen("x"),
    ),
    # No answer.
    "no answer at all": (OFFERED, None),
    "dismissed": (OFFERED, Dismissed()),
    "dismissed with approving meta": (OFFERED, Dismissed({"optionId": "once"})),
    "dismissed although only approval was offered": ((ONCE,), Dismissed()),
    # Ids that were not offered.
    "an unknown id": (OFFERED, Chosen("yes")),
    "an empty id": (OFFERED, Chosen("")),
    "the kind instead of the id": (OFFERED, Chosen("allow_once")),
    "the name instead of the id": (OFFERED, Chosen("Allow")),
    "another case": (OFFERED, Chosen("ONCE")),
    "a space behind": (OFFERED, Chosen("once ")),
    "a space before": (OFFERED, Chosen(" once")),
    "a line break behind": (OFFERED, Chosen("once\n")),
    "a zero byte behind": (OFFERED, Chosen("once\0")),
    "the beginning of an id": (OFFERED, Chosen("onc")),
    "more than an id": (OFFERED, Chosen("once2")),
    "a look-alike letter": (OFFERED, Chosen("оnce")),  # noqa: RUF001 - a Cyrillic letter.
    "a full-width digit": (_only("allow_once", id="1"), Chosen("１")),  # noqa: RUF001 - on purpose.
    "a leading zero": (_only("allow_once", id="1"), Chosen("01")),
    "a position": (OFFERED, Chosen("0")),
    "nothing was offered": ((), Chosen("once")),
    # Ids that were offered twice.
    "two approvals with one id": ((ONCE, ONCE), Chosen("once")),
    "approval and refusal with one id": (
        (ONCE, PermissionOption("once", "No", "reject_once")),
        Chosen("once"),
    ),
    # Kinds that mean nothing.
    "an unknown kind": (_only("allow_forever"), Chosen("x")),
    "a custom kind": (_only("_allow_once"), Chosen("x")),
    "an empty kind": (_only(""), Chosen("x")),
    "a kind in another case": (_only("Allow_Once"), Chosen("x")),
    "a kind with a space": (_only("allow_once "), Chosen("x")),
    "a kind with a hyphen": (_only("allow-once"), Chosen("x")),
    "a kind in camel case": (_only("allowOnce"), Chosen("x")),
    "the beginning of a kind": (_only("allow"), Chosen("x")),
    "a kind that is missing": (_only(None), Chosen("x")),
    "a kind that is true": (_only(True), Chosen("x")),
    # Outcomes nobody knows.
    "an unknown outcome": (OFFERED, OtherAnswer("approved", {})),
    "an unknown outcome with an id": (OFFERED, OtherAnswer("_own", {"optionId": "once"})),
    "an outcome called selected": (OFFERED, OtherAnswer("selected", {"optionId": "once"})),
    "the answer to another question": (OFFERED, Accepted({"allow": True})),
    "a bare id": (OFFERED, "once"),
    "true": (OFFERED, True),
    "an option": (OFFERED, ONCE),
    "a dictionary": (OFFERED, {"outcome": "selected", "optionId": "once"}),
}


@pytest.mark.parametrize(("offered", "answer"), NOT_ALLOWING.values(), ids=list(NOT_ALLOWING))
def test_what_is_not_a_clear_yes_is_a_no(
    offered: tuple[PermissionOption, ...], answer: Any
) -> None:
    assert decide(offered, answer).allowed is False


_kinds = st.sampled_from(["allow_once", "allow_always", "reject_once", "reject_always", "_own"])
_options = st.builds(PermissionOption, st.sampled_from(["a", "b", "c", "d"]), words, _kinds, metas)
_answers = st.one_of(
    st.builds(Chosen, st.sampled_from(["a", "b", "c", "d", "e"]), metas),
    st.builds(Dismissed, metas),
    st.builds(OtherAnswer, words, st.just({})),
)


@given(st.lists(_options, max_size=6).map(tuple), _answers)
def test_only_the_kind_of_the_one_offered_option_with_that_id_decides(
    offered: tuple[PermissionOption, ...], answer: PermissionAnswer
) -> None:
    chosen = answer.option_id if isinstance(answer, Chosen) else None
    named = [each.kind for each in offered if each.id == chosen]
    clear_yes = named in (["allow_once"], ["allow_always"])
    assert decide(offered, answer).allowed is clear_yes


@given(st.lists(_options, max_size=6).map(tuple), st.sampled_from("abcde"), words, words, metas)
def test_names_and_meta_and_order_decide_nothing(
    offered: tuple[PermissionOption, ...], id: str, name: str, other: str, meta: Any
) -> None:
    renamed = tuple(PermissionOption(each.id, name, each.kind, meta) for each in offered[::-1])
    first, second = decide(offered, Chosen(id)), decide(renamed, Chosen(id, {other: True}))
    assert (first.allowed, first.always) == (second.allowed, second.always)
