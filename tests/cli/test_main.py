"""The `parley` command as a person meets it."""

import argparse
import importlib
import os
import shlex
import subprocess
import sys

import pytest

from parley import __version__
from parley.cli.main import COMMANDS, Listed, main

PARLEY = [sys.executable, "-c", "import sys; from parley.cli.main import main; sys.exit(main())"]
FAILING = {"fail": Listed("tests.cli.failing_commands", "end in a chosen way")}


def test_version_prints_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"parley {__version__}\n"


def test_help_lists_every_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert [name for name, each in COMMANDS.items() if each.summary not in shown] == []
    assert [name for name, each in COMMANDS.items() if f"$ {each.example}\n" not in shown] == []
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_example_of_the_help_is_a_line_of_its_command(name: str) -> None:
    words = shlex.split(COMMANDS[name].example.removeprefix('eval "$(').removesuffix(')"'))
    assert words[:2] == ["parley", name]
    border = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser()
    module = importlib.import_module(COMMANDS[name].module)
    module.add_arguments(parser)
    given = words[2:] if name == "bridge" else words[2:border]
    assert parser.parse_args(given)


def test_what_an_agent_wrote_into_an_error_is_made_visible(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["fail", "--how", "lose"], FAILING) == 1
    assert capsys.readouterr().err == "parley fail: gone; its last words:\n\\u001b[31mred\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["fial"], "parley: `fial` is no command\ntry: did you mean `fail`? `parley --help` lists"),
        (["--nonsense"], "parley: `--nonsense` is no option\ntry: `parley --help` explains"),
        (
            ["fail", "--how", "7", "--hwo=3"],
            "parley fail: `--hwo` is no option\ntry: did you mean `--how`? `parley fail --help`",
        ),
        (["fail"], "parley fail: `--how` is missing\ntry: parley fail --how HOW\n"),
        (["--help=x"], "parley: `-h/--help` takes no value\ntry: "),
    ],
)
def test_a_wrong_argument_is_a_usage_error_that_names_it_and_the_fix(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments, FAILING)
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(complaint)
    assert shown.err.count("\n") == 2


def test_without_a_command_the_help_is_shown_and_the_status_is_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("usage: parley")


def test_the_status_of_a_command_is_the_status_of_the_program() -> None:
    assert main(["fail", "--how", "seven"], FAILING) == 7


def test_ctrl_c_is_quiet_and_gives_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fail", "--how", "interrupt"], FAILING) == 130
    assert capsys.readouterr() == ("", "")


def test_an_error_of_ours_is_a_message_and_not_a_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["fail", "--how", "refuse"], FAILING) == 2
    assert capsys.readouterr().err == (
        "parley fail: parley.toml: `port` is not a number\ntry: write a number\n"
    )


def test_a_reader_that_goes_away_is_no_reason_to_complain() -> None:
    source, sink = os.pipe()
    os.close(source)
    try:
        finished = subprocess.run(
            [*PARLEY, "methods"], stdout=sink, stderr=subprocess.PIPE, timeout=30, check=False
        )
    finally:
        os.close(sink)
    assert finished.stderr == b""
    assert finished.returncode == 141


@pytest.mark.parametrize("columns", [60, 72, 100, 200])
@pytest.mark.parametrize("name", ["", *COMMANDS, "sessions show", "sessions prune"])
def test_every_help_fits_the_terminal_and_breaks_no_word(
    name: str,
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def words(width: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        with pytest.raises(SystemExit):
            main([*name.split(), "--help"])
        shown = capsys.readouterr().out
        assert max(map(len, shown.splitlines())) <= min(width, 100)
        return [word for word in shown.split() if word != "\\"]

    assert words(columns) == words(100)
