"""Which exit status the end of a turn deserves."""

import pytest

from parley.errors import AuthRequired
from parley.frontend.headless.exit_code import ExitCode, of_turn


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("end_turn", 0),
        ("error", 1),
        ("refusal", 3),
        ("max_tokens", 4),
        ("max_turn_requests", 4),
        ("cancelled", 5),
        ("something_new", 1),
    ],
)
def test_a_stop_reason_has_its_status(reason: str, code: int) -> None:
    assert of_turn(reason, cancelled=False, denied=False) == code


def test_a_turn_that_wants_a_login_has_not_begun() -> None:
    code = of_turn("error", cancelled=False, denied=False, failure=AuthRequired.CODE)
    assert code is ExitCode.NO_AGENT
    assert of_turn("error", cancelled=False, denied=False, failure=-32603) is ExitCode.FAILED


@pytest.mark.parametrize("reason", ["end_turn", "error", "cancelled", "refusal"])
def test_a_turn_that_was_cancelled_here_is_cancelled_whatever_the_agent_says(reason: str) -> None:
    assert of_turn(reason, cancelled=True, denied=False) is ExitCode.CANCELLED


@pytest.mark.parametrize(
    ("reason", "code"), [("end_turn", 6), ("cancelled", 6), ("max_tokens", 4), ("refusal", 3)]
)
def test_a_refused_permission_shows_unless_something_worse_happened(reason: str, code: int) -> None:
    assert of_turn(reason, cancelled=False, denied=True) == code


def test_outcomes_are_named_in_small_letters() -> None:
    assert [ExitCode.DONE.outcome, ExitCode.AGENT_DIED.outcome] == ["done", "agent_died"]
