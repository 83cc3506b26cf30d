"""A line is plain if two readers agree on its words; every other line still lists its commands."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.permission import shell
from parley.coder.permission.shell import MOST_CHARACTERS, MOST_PARTS, Command, parse
from tests.coder.permission.shell_strings import ALLOWED


def test_a_plain_line_has_its_commands_in_order() -> None:
    line = parse("git log --oneline | head -5 && cd 'my folder'; ls 2>&1")
    assert line.plain
    assert [command.argv for command in line.commands] == [
        ("git", "log", "--oneline"),
        ("head", "-5"),
        ("cd", "my folder"),
        ("ls",),
    ]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("ls > x", "a redirection"),
        ("ls &", "a background command"),
        ("x=1", "an assignment"),
        ("x=1 ls", "an assignment"),
        ("export x=1", "an assignment"),
        ("f() { ls; }", "a function"),
        ("(ls)", "a subshell"),
        ("if ls; then ls; fi", "control flow"),
        ("for x in y; do ls; done", "control flow"),
        ("time ls", "control flow"),
        ("cat <<E\nx\nE", "a here-document"),
        ("cat <<< x", "a here-document"),
        ("echo $(ls)", "a substitution"),
        ("cat <(ls)", "a substitution"),
        ("echo $x", "an expansion"),
        ("echo $'x'", "an expansion"),
        ("ls {a,b}", "a brace expansion"),
        ("ls # x", "a comment"),
        ("ls \\\n-la", "a line continuation"),
        ("ls\r", "a control character"),
        ("ls\x00", "a syntax error"),
        ("ls\u00a0x", "a look-alike character"),
        ("ls '", "a syntax error"),
        ("ls &&", "a syntax error"),
        ("ls *", "a wildcard"),
        ("* x", "a wildcard"),
        ("ls -l*", "a wildcard"),
        ("cat src/.?", "a wildcard"),
        ("cat src/[a]", "a wildcard"),
    ],
)
def test_what_keeps_a_line_from_being_plain_has_a_name(text: str, fact: str) -> None:
    line = parse(text)
    assert not line.plain
    assert fact in line.facts


def test_a_wildcard_behind_a_fixed_beginning_is_plain_and_marked() -> None:
    line = parse("grep -r x --include=*.py src/*.py 'a*'")
    assert line.plain
    assert line.commands == (
        Command(("grep", "-r", "x", "--include=*.py", "src/*.py", "a*"), frozenset({3, 4})),
    )


@pytest.mark.parametrize(
    "text",
    [
        "(rm x)",
        "{ rm x; }",
        "echo $(rm x)",
        'echo "`rm x`"',
        "cat <(rm x)",
        "f() { rm x; }",
        "if true; then rm x; fi",
        "! rm x",
        "a=1 rm x",
        "rm x &",
        "cat <<E | rm x\nE\n",
        "cat <<E\n$(rm x)\nE\n",
        "r\\\nm x",
        "ls\n\\rm x",
        "ls # y\n\\rm x",
        "! true\n \t\\rm x",
        "'r'\"m\" x",
        "export A=$(rm x)",
        "[[ -f $(rm x) ]]",
    ],
)
def test_commands_are_found_at_any_depth(text: str) -> None:
    assert ("rm", "x") in [command.words for command in parse(text).commands]


def test_a_word_that_only_a_shell_knows_is_not_guessed() -> None:
    assert parse("$x -f ${y} $'z'").commands == (Command((None, "-f", None, None)),)


def test_redirections_say_where_they_lead_to() -> None:
    assert parse("ls > a.txt 2>> 'b c' < $d").targets == ("a.txt", "b c", None)


@pytest.mark.parametrize("text", ["rm 2>&1 -rf /", "rm > x -rf /", "rm <<E -rf /\nE\n", "ls '"])
def test_a_line_with_words_that_belong_nowhere_is_not_complete(text: str) -> None:
    assert not parse(text).complete


def test_fifty_parts_can_be_checked_and_more_cannot() -> None:
    assert parse("; ".join(["ls"] * MOST_PARTS)).plain
    line = parse("; ".join(["ls"] * MOST_PARTS + ["rm x"]))
    assert line.facts == {"more than can be checked"}
    assert line.commands[-1].words == ("rm", "x")


def test_a_line_that_is_too_long_is_not_even_read() -> None:
    line = parse("ls " + "a" * MOST_CHARACTERS)
    assert (line.facts, line.commands, line.complete) == (
        {"more than can be checked"},
        (),
        False,
    )


def test_the_deepest_line_is_read_without_recursion() -> None:
    assert not parse("(" * 4_900 + "ls" + ")" * 4_900).plain


def test_an_empty_line_is_not_plain() -> None:
    assert not parse("").plain
    assert not parse("\n").plain


def test_words_that_the_readers_split_differently_are_not_plain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shell, "read", lambda text: ())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    line = parse("ls --only-this-test")
    parse.cache_clear()
    assert line.facts == {"words that two readers split differently"}


def test_without_the_grammar_nothing_is_understood() -> None:
    program = (
        "import sys\n"
        "sys.modules['tree_sitter_bash'] = None\n"
        "from parley.coder.permission.shell import parse\n"
        "line = parse('ls')\n"
        "print(line.plain, line.complete, *line.facts)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert finished.stdout == "False False no shell grammar to check it with\n"


def test_importing_the_policy_does_not_load_the_grammar() -> None:
    program = "import sys, parley.coder.permission.policy\nprint('tree_sitter' in sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert finished.stdout == "False\n"


@given(st.text(max_size=40))
def test_any_text_is_read_without_failing(text: str) -> None:
    line = parse(text)
    assert line.text == text


@given(st.text(alphabet="ab '\"\\;&|$`(){}<>#~!*=\n-", max_size=20))
def test_a_plain_line_has_only_words_that_are_known(text: str) -> None:
    line = parse(text)
    if line.plain:
        assert all(None not in command.words for command in line.commands)


# Every program is missing, and what bash calls for a missing one notes the words it was given.
_NOTE_WORDS = r"""
command_not_found_handle() { local IFS=$'\1'; printf '%s\2' "$*" >> "$NOTES"; }
enable -n echo cd pwd test true false type command
for line; do
    eval "$line" > /dev/null 2>&1 < /dev/null
    printf '\3' >> "$NOTES"
done
"""


def test_the_words_of_plain_lines_are_those_that_bash_passes(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    # Behind `||` nothing runs here, since no command fails.
    lines = [line for line, _ in ALLOWED if "||" not in line]
    notes = tmp_path / "notes"
    subprocess.run(
        [bash, "--norc", "--noprofile", "-c", _NOTE_WORDS, "bash", *lines],
        env={"PATH": str(tmp_path), "LC_ALL": "C.UTF-8", "NOTES": str(notes)},
        cwd=tmp_path,
        timeout=60,
        check=True,
    )
    noted = notes.read_text().split("\3")[:-1]
    for line, words in zip(lines, noted, strict=True):
        found = [tuple(command.split("\1")) for command in words.split("\2")[:-1]]
        assert sorted(found) == sorted(command.argv for command in parse(line).commands), line
