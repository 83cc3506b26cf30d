"""The arguments of `parley run`."""

import argparse
from typing import get_args

import pytest

from parley.cli.run_arguments import add_run_arguments, assignment, seconds
from parley.coder.settings import Mode


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_run_arguments(parser)
    return parser.parse_args(words)


def test_options_may_stand_before_and_behind_the_prompt() -> None:
    options = parsed("--allow", "edit", "fix", "it", "--deny", "bash:rm *", "--yes")
    assert (options.prompt, options.allow, options.deny) == (["fix", "it"], ["edit"], ["bash:rm *"])
    assert (options.yes, options.output, options.deadline) == (True, "text", 60.0)


def test_assignments_are_split_at_the_first_sign() -> None:
    options = parsed("x", "--set", "a=b=c", "--answer", "n=")
    assert (options.set, options.answer) == ([("a", "b=c")], [("n", "")])


@pytest.mark.parametrize("text", ["a", "=b", ""])
def test_what_is_no_assignment_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        assignment(text)


@pytest.mark.parametrize("text", ["0", "-1", "x", "inf", "nan"])
def test_what_is_no_number_of_seconds_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        seconds(text)


@pytest.mark.parametrize("words", [("--yes", "--no"), ("--quiet", "--verbose"), ("--output", "x")])
def test_what_excludes_each_other_is_wrong_usage(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed("x", *words)
    assert ended.value.code == 2


def test_the_help_names_the_modes_of_our_agent_and_examples_of_rules() -> None:
    parser = argparse.ArgumentParser()
    add_run_arguments(parser)
    shown = " ".join(parser.format_help().split())
    assert f"of our agent: {', '.join(get_args(Mode))} " in shown
    assert "allow this without asking, such as edit or 'bash:pytest *'" in shown
    assert "whatever else is allowed, such as 'bash:rm *'" in shown
