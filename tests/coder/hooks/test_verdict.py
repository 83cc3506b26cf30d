"""What the end of a hook means for a call."""

import pytest

from parley.coder.hooks.verdict import MOST_CHARACTERS, Ended, Verdict, after, before


@pytest.mark.parametrize("stdout", ["", "ok\n", "{}", ' {"decision": null}\n', "\ufeff{}"])
def test_a_hook_that_ends_well_lets_a_call_pass(stdout: str) -> None:
    assert before(Ended(0, stdout, "noise")) == Verdict("pass")


def test_a_hook_cannot_allow_anything() -> None:
    assert before(Ended(0, '{"decision": "allow", "reason": "I say so"}')) == Verdict("pass")


def test_a_refusal_behind_the_mark_of_a_text_is_heard() -> None:
    assert before(Ended(0, '\ufeff{"decision": "deny", "reason": "r"}')) == Verdict("block", "r")


@pytest.mark.parametrize(
    ("stdout", "verdict"),
    [
        ('{"decision": "deny", "reason": "no\\nway"}', Verdict("block", "no\nway")),
        ('{"decision": "deny"}', Verdict("block", "it gave no reason")),
        ('{"decision": "deny", "reason": 5}', Verdict("block", "it gave no reason")),
        ('{"decision": "ask", "reason": "look"}', Verdict("ask", "look")),
        ('{"decision": "ask"}', Verdict("ask", "A hook wants you to decide.")),
    ],
)
def test_a_hook_can_refuse_a_call_or_want_a_question(stdout: str, verdict: Verdict) -> None:
    assert before(Ended(0, stdout)) == verdict


@pytest.mark.parametrize(
    "stdout",
    [
        '{"decision": "deny"',
        "{decision: deny}",
        '{"decision": "block"}',
        '{"decision": true}',
        '{"decision": ["deny"]}',
        '{"a":' * 5000,
        'checking\n{"decision": "deny"}',
        '{"decision": "allow"}\n{"decision": "deny"}',
        '[{"decision": "deny"}]',
        '"deny"',
        '{"decison": "deny"}',
        '{"Decision": "deny"}',
        '{"decision": "allow", "continue": false}',
        '{"hookSpecificOutput": {"permissionDecision": "deny"}}',
        '{"reason": "no"}',
    ],
)
def test_a_decision_that_nobody_understands_is_no(stdout: str) -> None:
    verdict = before(Ended(0, stdout))
    assert verdict.effect == "block"
    assert verdict.problem


def test_exit_status_2_blocks_with_what_was_said_on_stderr() -> None:
    assert before(Ended(2, "{", "\x1b[31mnot here\x1b[0m\n")) == Verdict("block", "not here")
    assert before(Ended(2)) == Verdict("block", "it gave no reason")


@pytest.mark.parametrize("status", [1, 3, 126, 127, 255])
def test_every_other_exit_status_is_a_hook_that_does_not_work(status: int) -> None:
    verdict = before(Ended(status, '{"decision": "allow"}', "first\nlast"))
    assert verdict == Verdict("block", problem=f"ended with status {status}: last")


def test_a_hook_that_could_not_run_blocks() -> None:
    assert before(Ended(0, problem="is gone")) == Verdict("block", problem="is gone")


def test_what_a_hook_says_afterwards_is_for_the_model() -> None:
    assert after(Ended(0, "formatted\n", "noise")) == ("formatted", "")
    assert after(Ended(2, "noise", "two tests fail")) == ("two tests fail", "")
    assert after(Ended(0)) == ("", "")


def test_a_hook_that_fails_afterwards_says_nothing() -> None:
    assert after(Ended(1, "text", "")) == ("", "ended with status 1")
    assert after(Ended(None, "text", problem="is gone")) == ("", "is gone")


def test_what_a_hook_says_is_bounded() -> None:
    said, _ = after(Ended(0, "x" * 60_000))
    assert len(said) < MOST_CHARACTERS + 50
    assert said.endswith("[… it said more …]")
