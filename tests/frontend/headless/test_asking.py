"""Permissions: rules first, then a person, then nobody."""

import asyncio
from typing import Any

import pytest

from parley.frontend.headless.asking import Asking
from parley.frontend.headless.output import Answered
from parley.frontend.headless.rules import Rules, parse_rule
from parley.session.event import ToolCallChanged
from parley.session.question import (
    Chosen,
    CommandSubject,
    Dismissed,
    OtherSubject,
    PermissionAnswer,
    PermissionOption,
    PermissionQuestion,
    Subject,
    ToolCallSubject,
)
from parley.testing import pair
from tests.frontend.headless.staging import Person, shown, silent_agent

OPTIONS = (
    PermissionOption("always", "Always", "allow_always"),
    PermissionOption("yes", "Yes", "allow_once"),
    PermissionOption("no", "No", "reject_once"),
)
EDIT = ToolCallSubject(ToolCallChanged("t"))


def answer(
    rules: Rules | None = None,
    subject: Subject | None = EDIT,
    options: tuple[PermissionOption, ...] = OPTIONS,
    person: Person | None = None,
) -> tuple[PermissionAnswer, Answered, Asking, str]:
    """The answer to a question about an edit, what is reported, and what was shown."""
    reported: list[Answered] = []

    async def scenario() -> tuple[PermissionAnswer, Asking, str]:
        async with shown() as stage, pair(silent_agent()) as agent:
            session = agent.session("s")
            session.state.apply(ToolCallChanged("t", title="Edit", kind="edit"))
            asking = Asking(rules or Rules(), "/p", stage.screen, person, reported.append)
            given = await asking.answer(session, PermissionQuestion("May I?", options, subject))
        return given, asking, stage.err

    given, asking, err = asyncio.run(asyncio.wait_for(scenario(), 5))
    return given, reported[0], asking, err


def rules(**lists: Any) -> Rules:
    made = {
        name: tuple(parse_rule(text, name) for text in texts)
        for name, texts in lists.items()
        if name != "otherwise"
    }
    return Rules(otherwise=lists.get("otherwise", "ask"), **made)


def test_nobody_to_ask_means_no() -> None:
    given, reported, asking, _ = answer()
    assert given == Chosen("no")
    assert (reported.allowed, reported.how) == (False, "nobody")
    assert (asking.refused, asking.denied) == (1, 1)


@pytest.mark.parametrize(
    ("wanted", "option"),
    [
        (rules(allow=["edit"]), "yes"),
        (rules(allow=["edit"], deny=["edit"]), "no"),
        (rules(otherwise="allow"), "yes"),
        (rules(otherwise="refuse"), "no"),
        (rules(allow=["bash"]), "no"),
    ],
)
def test_rules_decide_before_anybody_is_asked(wanted: Rules, option: str) -> None:
    assert answer(wanted)[0] == Chosen(option)


def test_a_rule_never_allows_for_ever() -> None:
    given, reported, _, _ = answer(rules(otherwise="allow"), options=OPTIONS[:1])
    assert given == Dismissed()
    assert "only you can allow it: in a terminal and without --yes" in reported.because
    # A rule would not help either where nobody can be asked.
    assert answer(options=OPTIONS[:1])[1].because == reported.because


@pytest.mark.parametrize(
    ("subject", "fix"),
    [
        (EDIT, "--allow edit would allow it, with all others of its kind"),
        (CommandSubject("touch x", "/p"), "--allow 'bash:touch x' would allow it"),
        (CommandSubject("touch x; ls", "/p"), "--allow bash would allow it, with all others"),
    ],
)
def test_who_is_refused_for_want_of_a_rule_is_told_the_rule(subject: Subject, fix: str) -> None:
    assert fix in answer(subject=subject)[1].because


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        ("a", Chosen("yes")),
        ("A", Chosen("always")),
        ("r", Chosen("no")),
        ("R", Chosen("no")),
        ("y", Chosen("no")),
        ("", Chosen("no")),
        ("\n", Chosen("no")),
    ],
)
def test_a_person_chooses_by_key_and_every_other_key_is_no(
    typed: str, given: PermissionAnswer
) -> None:
    chosen, reported, asking, err = answer(person=Person(typed))
    assert chosen == given
    assert reported.how == "person"
    assert asking.denied == 0
    assert "The agent asks: May I? (edit)" in err


def test_a_person_is_not_asked_what_a_rule_decides() -> None:
    person = Person()
    assert answer(rules(deny=["edit"]), person=person)[0] == Chosen("no")
    assert person.questions == []


def test_a_command_of_a_question_is_judged_as_one() -> None:
    subject = CommandSubject("pytest -q", "/p", tool_call_id="t")
    assert answer(rules(allow=["bash:pytest *"]), subject)[0] == Chosen("yes")
    assert answer(rules(allow=["edit"]), subject)[0] == Chosen("no")


@pytest.mark.parametrize("subject", [None, OtherSubject("hologram", {})])
def test_what_is_about_nothing_known_is_of_the_kind_other(subject: Subject | None) -> None:
    assert answer(rules(allow=["other"]), subject)[0] == Chosen("yes")
    assert answer(rules(allow=["edit"]), subject)[0] == Chosen("no")
