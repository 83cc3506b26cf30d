"""Wrong usage is said in one form: what is wrong, and what to try."""

import argparse
from pathlib import Path

import pytest

from parley.cli.usage import Parser, complaint, meant
from parley.errors import AcpError, ConfigError, ConnectionLost, InternalError


def parser() -> Parser:
    made = Parser(prog="parley x")
    made.add_argument("--size", type=int, choices=(1, 2))
    made.add_argument("--seconds", metavar="SECONDS", type=_seconds)
    made.add_argument("--path", type=Path)
    made.add_argument("--format", choices=("text", "json"))
    either = made.add_mutually_exclusive_group()
    either.add_argument("--yes", action="store_true")
    either.add_argument("--no", action="store_true")
    actions = made.add_subparsers(dest="action", metavar="ACTION", prog="parley x")
    shown = actions.add_parser("show")
    shown.add_argument("id", metavar="ID", nargs="+")
    shown.add_argument("--age", metavar="AGE", required=True)
    return made


def _seconds(text: str) -> float:
    raise argparse.ArgumentTypeError(f"`{text}` is too long\nhint: wait")


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("--sise 1", "parley x: `--sise` is no option|did you mean `--size`? `parley x --help`"),
        ("--sze=1", "parley x: `--sze` is no option|did you mean `--size`? `parley x --help`"),
        ("--zzz", "parley x: `--zzz` is no option|`parley x --help` explains"),
        ("--format jsn", "parley x: `--format` cannot be `jsn`|did you mean `json`? there are: te"),
        ("--size 3", "parley x: `--size` cannot be `3`|there are: 1, 2"),
        ("--size b", "parley x: `--size` cannot be `b`|--size 1|2"),
        ("--size", "parley x: `--size` needs a value|--size 1|2"),
        ("--path", "parley x: `--path` needs a value|--path PATH"),
        ("--seconds 5", "parley x: `--seconds`: `5` is too long|wait"),
        ("--yes=1", "parley x: `--yes` takes no value|`--yes` alone"),
        ("--yes --no", "parley x: `--no` and `--yes` exclude each other|leave out one"),
        ("shwo", "parley x: `shwo` is no action|did you mean `show`? there are: show"),
        ("show a", "parley x show: `--age` is missing|parley x show ID --age AGE"),
        ("show", "parley x show: `ID` is missing|parley x show ID --age AGE"),
        ("show a --aeg 1 --age 2", "parley x show: `--aeg` is no option|did you mean `--age`?"),
        ("show a --age 2 b", "parley x show: `b` is an argument too many|leave it out"),
    ],
)
def test_what_is_wrong_and_the_fix_are_one_line_each(
    arguments: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(arguments.split())
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    problem, fix = printed.err.splitlines()
    wanted, _, hint = shown.partition("|")
    assert problem == wanted
    assert fix.startswith(f"try: {hint}")


def test_what_is_missing_is_shown_by_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    made = Parser(prog="parley x")
    made.example = "parley x this"
    made.add_argument("what")
    with pytest.raises(SystemExit):
        made.parse_args([])
    assert capsys.readouterr().err == "parley x: `what` is missing\ntry: parley x this\n"


def test_words_of_the_standard_library_that_are_not_known_are_passed_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        parser().error("the moon is full")
    shown = capsys.readouterr().err
    assert shown == "parley x: the moon is full\ntry: `parley x --help` explains it\n"


def test_what_is_right_is_taken() -> None:
    options = parser().parse_args(["--size", "2", "--format", "json", "show", "a", "--age", "3"])
    assert (options.size, options.format, options.id, options.age) == (2, "json", ["a"], "3")


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ConfigError("a.toml", "k", "is odd", "fix"), "parley x: a.toml: `k` is odd\ntry: fix\n"),
        (ConfigError("the command line", "k", "is odd", "fix"), "parley x: `k` is odd\ntry: fix\n"),
        (ConfigError("parley x", "k", "is odd", "fix"), "parley x: `k` is odd\ntry: fix\n"),
        (ConnectionLost("gone\x1b[31m"), "parley x: gone\\u001b[31m\n"),
        (InternalError("the disk is full"), "parley x: the disk is full\n"),
    ],
)
def test_an_error_has_the_same_form(error: AcpError, shown: str) -> None:
    assert complaint("parley x", error) == shown


def test_letters_in_another_order_are_meant_first() -> None:
    assert meant("--modle", ["--mode", "--model"]) == "did you mean `--model`? "
    assert meant("--mod", ["--mode", "--model"]) == "did you mean `--mode`? "
    assert meant("--zzz", ["--mode"]) == ""
    assert meant("--nonsense", ["--losses"]) == ""
