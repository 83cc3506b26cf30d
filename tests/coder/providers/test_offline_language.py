"""What is read out of plain text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.providers.offline_language import (
    Command,
    CreateFile,
    Help,
    ListFiles,
    NotUnderstood,
    ReadFile,
    ReplaceText,
    RunCommand,
    SearchText,
    commands_in,
)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("list", ListFiles(".")),
        ("ls src", ListFiles("src")),
        ("list ..", ListFiles("..")),
        ("Please list the files in the folder src.", ListFiles("src")),
        ("show files", ListFiles(".")),
        ("show me the file src/app.py", ReadFile("src/app.py")),
        ("show x.py", ReadFile("x.py")),
        ("read 'a b.txt'", ReadFile("a b.txt")),
        ("could you read “a b.txt”, please?", None),
        ("Could you open README.md?", ReadFile("README.md")),
        ("search def add in src", SearchText("def add", "src")),
        ('grep for "x; then y"', SearchText("x; then y")),
        ("find TODO", SearchText("TODO")),
        ("replace 'a - b' with 'a + b' in app.py", ReplaceText("a - b", "a + b", "app.py")),
        ("replace all a by b in x.py", ReplaceText("a", "b", "x.py", everywhere=True)),
        (
            "change return a to return b in the file x.py",
            ReplaceText("return a", "return b", "x.py"),
        ),
        (r'create a.txt with "one\ntwo\t\"q\" \x"', CreateFile("a.txt", 'one\ntwo\t"q" \\x')),
        ("create a file a.py with\n```python\nx = 1\n```", CreateFile("a.py", "x = 1\n")),
        ("create a.txt containing the text hello", CreateFile("a.txt", "hello")),
        ("run pytest -q", RunCommand("pytest -q")),
        ('run the command echo "a  b"', RunCommand('echo "a  b"')),
        ("run `a; b`", RunCommand("a; b")),
        ("run ls ..", RunCommand("ls ..")),
        ("run echo it's", RunCommand("echo it's")),
        ("help", Help()),
        ("?", Help()),
        ("What can you do?", Help()),
        ("fix the bug", None),
        ("don't read x", None),
        ("", None),
        (";;", None),
    ],
)
def test_one_command_is_read_or_nothing_is(text: str, command: Command | None) -> None:
    found = commands_in(text)
    assert isinstance(found, NotUnderstood) if command is None else found == (command,)


@pytest.mark.parametrize(
    "text",
    [
        "read a then list b; run c",
        "read a\nlist b\nrun c",
        "1. read a\n2. list b\n3. run c",
        "First read a, and then list b. Then run c.",
    ],
)
def test_commands_can_be_joined(text: str) -> None:
    assert commands_in(text) == (ReadFile("a"), ListFiles("b"), RunCommand("c"))


def test_one_strange_piece_makes_the_whole_unknown() -> None:
    assert commands_in('read a then make it "nice"') == NotUnderstood('make it "nice"')


@given(st.text())
def test_any_text_is_commands_or_unknown(text: str) -> None:
    found = commands_in(text)
    assert found
    assert isinstance(found, tuple | NotUnderstood)


@given(st.text(alphabet=st.characters(exclude_characters="'\ue000\ue001"), min_size=1))
def test_quoted_text_arrives_as_it_is(text: str) -> None:
    assert commands_in(f"search '{text}'") == (SearchText(text),)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 20_000_000,
        '"' * 200_000,
        " '" * 100_000,
        "\"'`“ " * 40_000,
        "replace " + "a to b in " * 90,
        "replace " + "a to b in " * 700,
        "\n" * 8_000,
        "run " + "y" * 1_000,
    ],
    ids=lambda text: f"{text[:9]!r}-{len(text)}",
)
def test_a_text_that_nobody_types_is_no_command_and_takes_no_time(text: str) -> None:
    started = time.process_time()
    found = commands_in(text)
    assert isinstance(found, NotUnderstood)
    assert time.process_time() - started < 3


def test_a_mark_that_nothing_closes_hides_no_other_quotation() -> None:
    assert commands_in("search \"it's\" ; search 'a;b' in c") == (
        SearchText("it's", None),
        SearchText("a;b", "c"),
    )
    assert commands_in('search x" "; read `a b`') == (SearchText('x" "', None), ReadFile("a b"))
