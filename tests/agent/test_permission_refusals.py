"""Every answer that is not a clear yes is a no: nothing runs, and the model is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agent import refusals
from tests.agent.raw_process import Json
from tests.agent.refusals import (
    FORMS,
    LINES,
    NO,
    TOOLS,
    YES,
    answering,
    check_denied,
    check_nothing_ran,
)
from tests.agent.stage import Stage, select, staged

SCRIPT = refusals.SCRIPT


def test_there_are_enough_forms() -> None:
    assert len(FORMS) >= 50


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_an_answer_that_is_not_a_clear_yes_is_a_no(agent: Stage, form: Json) -> None:
    agent.client.answers = answering(agent, form)
    check_denied(agent.open())


def test_what_is_not_offered_cannot_be_chosen(agent: Stage) -> None:
    # Nobody is offered to always allow what decides what runs later.
    agent.client.answers = lambda _: select("allow_always")
    scene = agent.open()
    (scene.folder / ".git").mkdir()
    assert scene.stop_reason("guarded denied") == "end_turn"
    (question,) = scene.questions()
    assert "allow_always" not in [each["optionId"] for each in question["options"]]
    assert list((scene.folder / ".git").iterdir()) == []


@pytest.mark.parametrize("answer", LINES.values(), ids=LINES)
def test_a_yes_counts_for_its_question_alone(
    agent: Stage, answer: Callable[[Stage, Json], None]
) -> None:
    agent.client.answers = lambda request: answer(agent, request)
    check_denied(agent.open())


def test_a_yes_before_the_question_counts_for_nothing(tmp_path: Path, version: int) -> None:
    with staged(SCRIPT, tmp_path, version) as stage:
        stage.client.answers = lambda _: NO
        for number in range(20):
            stage.client.reply({"id": number}, YES)
        check_denied(stage.open())


@pytest.mark.parametrize("tool", TOOLS)
def test_a_yes_in_one_session_is_none_in_another(agent: Stage, tool: str) -> None:
    agent.client.answers = lambda _: None
    one, other = agent.open(), agent.open()
    turns = [each.begin(f"{tool} denied") for each in (one, other)]
    questions = [each.wait_for_question() for each in (one, other)]
    agent.client.reply(questions[0], NO)
    assert agent.client.ended(turns[0])["stopReason"] == "end_turn"
    agent.client.reply(questions[0], YES)
    check_nothing_ran(one)
    agent.client.reply(questions[1], YES)
    # What ran says no such thing, so this script has nothing to go on with.
    assert "error" in agent.client.ended(turns[1])
    assert (other.folder / "made").exists()
    assert not (one.folder / "made").exists()


@pytest.mark.parametrize("tool", TOOLS)
def test_a_question_that_is_never_answered_ends_with_the_turn(agent: Stage, tool: str) -> None:
    agent.client.answers = lambda _: None
    scene = agent.open()
    turn = scene.begin(f"{tool} denied")
    question = scene.wait_for_question()
    agent.client.cancel(scene.id)
    assert agent.client.ended(turn)["stopReason"] == "cancelled"
    # It comes too late now.
    agent.client.reply(question, YES)
    check_nothing_ran(scene)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_question_ends_with_its_session(agent: Stage, tool: str) -> None:
    agent.client.answers = lambda _: None
    scene = agent.open()
    scene.begin(f"{tool} denied")
    question = scene.wait_for_question()
    agent.client.call("session/close", sessionId=scene.id)
    agent.client.reply(question, YES)
    agent.client.load(scene.id, scene.folder)
    check_nothing_ran(scene)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_client_that_hangs_up_has_said_no(tmp_path: Path, version: int, tool: str) -> None:
    with staged(SCRIPT, tmp_path, version) as stage:
        stage.client.answers = lambda _: None
        scene = stage.open()
        scene.begin(f"{tool} denied")
        scene.wait_for_question()
        stage.client.end()
    with staged(SCRIPT, tmp_path, version) as stage:
        stage.client.load(scene.id, scene.folder)
        check_nothing_ran(stage.again(scene))
