"""The arguments of `parley sessions` mean the same before and behind the action."""

import argparse
from datetime import timedelta

import pytest

from parley.cli.session_arguments import add_session_arguments


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_session_arguments(parser)
    return parser.parse_args(arguments)


def test_without_an_action_there_are_the_defaults_of_a_list() -> None:
    assert vars(parsed()) == {
        "action": None,
        "agent": None,
        "all": False,
        "cwd": None,
        "data_dir": None,
        "json": False,
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ("--all", "--agent", "a", "--cwd", "/x", "list"),
        ("list", "--all", "--agent", "a", "--cwd", "/x"),
    ],
)
def test_options_hold_wherever_they_stand(arguments: tuple[str, ...]) -> None:
    options = parsed(*arguments)
    assert (options.action, options.all, options.agent, options.cwd) == ("list", True, "a", "/x")


def test_an_age_becomes_a_time_span() -> None:
    assert parsed("prune", "--older-than", "2w").older_than == timedelta(days=14)


@pytest.mark.parametrize(
    "arguments", [("prune",), ("show",), ("delete",), ("export", "a", "--format", "x")]
)
def test_what_is_missing_or_wrong_is_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit):
        parsed(*arguments)
