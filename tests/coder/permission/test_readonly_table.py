"""Options are read as the programs read them, and unknown ones are not guessed at."""

import pytest

from parley.coder.permission.readonly_table import READERS


@pytest.mark.parametrize(
    ("program", "word", "taken"),
    [
        ("ls", "-la", 1),
        ("ls", "-Z", None),
        ("ls", "--color=never", 1),
        ("ls", "--colo", None),
        ("ls", "--ignore", 2),
        ("ls", "--ignore=x", 1),
        ("head", "-n", 2),
        ("head", "-n5", 1),
        ("head", "-qn", 2),
        ("head", "-20", 1),
        ("cat", "-20", None),
        ("grep", "-rnA3", 1),
        ("grep", "-rnA", 2),
        ("rg", "--pre", None),
        ("sort", "-o", None),
        ("date", "-s", None),
    ],
)
def test_an_option_takes_as_many_words_as_the_program_does(
    program: str, word: str, taken: int | None
) -> None:
    assert READERS[program].option(word) == taken


@pytest.mark.parametrize(
    ("word", "given"),
    [
        ("-e", True),
        ("-re", True),
        ("-ex", True),
        ("-rn", False),
        ("-Ae", False),
        ("--regexp=x", True),
        ("--files", True),
        ("--count", False),
    ],
)
def test_a_pattern_may_be_given_by_an_option(word: str, given: bool) -> None:
    assert READERS["grep"].is_pattern(word) is given


def test_no_program_that_shows_the_environment_or_runs_others_is_listed() -> None:
    assert (
        READERS.keys() & {"env", "printenv", "awk", "sed", "xargs", "tee", "python", "git"} == set()
    )
