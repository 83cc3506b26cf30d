"""The tables do not contradict each other."""

from parley.coder.permission.program_table import (
    CODE,
    ESCAPES,
    EVALUATORS,
    LINE_ONLY,
    NAMED_BY_ITSELF,
    OPEN_SUBCOMMANDS,
    SHELLS,
    SUBCOMMANDS,
    WRAPPERS,
)


def test_no_program_that_runs_others_is_named_by_its_first_words() -> None:
    named = NAMED_BY_ITSELF | set(SUBCOMMANDS)
    assert named & (LINE_ONLY | SHELLS | EVALUATORS | WRAPPERS) == set()
    assert {name for name in named if CODE.fullmatch(name)} == set()


def test_every_escape_is_an_option() -> None:
    assert {
        option for options in ESCAPES.values() for option in options if option[0] != "-"
    } == set()


def test_every_open_subcommand_is_one_word() -> None:
    words = {word for subcommands in OPEN_SUBCOMMANDS.values() for word in subcommands}
    assert {word for word in words if word.startswith("-")} == set()
