"""What is a command, and what only looks like one."""

import pytest

from parley.coder.commands.typed import Typed, typed_command, unknown_answer
from parley.coder.known_commands import Custom, Known
from parley.session.content import Link, Text
from parley.session.option import Command

KNOWN = Known((Custom(Command("ship-it", "Ships"), "Ship."),))


def _typed(text: str, *files: str) -> Typed | None:
    return typed_command((Text(text),), KNOWN, lambda name: name in files)


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("/help", "help", ""),
        ("/help\n", "help", ""),
        ("/undo 2 --force", "undo", "2 --force"),
        ("/ship-it\nnow\nplease ", "ship-it", "now\nplease"),
        ("/compact   keep  this", "compact", "keep  this"),
    ],
)
def test_an_exact_name_and_a_blank_or_nothing_is_a_command(
    text: str, name: str, arguments: str
) -> None:
    assert _typed(text, "help") == Typed(name, arguments)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "help",
        " /help",
        "/",
        "//",
        "/usr/bin/env does not start",
        "/src/app.py",
        "/help/me",
        "/help.md",
        "/help,",
        "/help: what is this",
        "/help?",
        "/ help",
        "/über",
        "/*comment*/",
        f"/{'x' * 65}",
        "/tmp is full",
    ],
)
def test_a_path_and_other_text_are_for_the_model(text: str) -> None:
    assert _typed(text, "tmp") is None


def test_a_prompt_that_begins_with_something_else_is_no_command() -> None:
    link = Link("file:///a", "a")
    assert typed_command((link, Text("/help")), KNOWN, lambda name: False) is None
    assert typed_command((), KNOWN, lambda name: False) is None


def test_what_is_attached_comes_with_the_command() -> None:
    link = Link("file:///a", "a")
    typed = typed_command((Text("/review "), link), KNOWN, lambda name: False)
    assert typed == Typed("review", "", (link,))


def test_a_mistyped_command_is_answered_with_the_one_that_was_meant() -> None:
    assert _typed("/Help me") == Typed("Help", "me", known=False)
    assert "Did you mean `/help`?" in unknown_answer("Help", KNOWN)
    assert "Did you mean" not in unknown_answer("xyzzy", KNOWN)
