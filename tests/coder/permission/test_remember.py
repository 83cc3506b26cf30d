"""What "always" leaves behind is what the option says, and nothing more."""

import pytest

from parley.coder.permission.access import RunsCommand, WritesPath
from parley.coder.permission.policy import Request, judge
from parley.coder.permission.remember import options_for, remembered_for
from parley.coder.store.entry import Remembered
from parley.session.question import PermissionOption
from tests.coder.permission.shell_strings import GENEROUS, REFUSED

ROOTS = ("/w",)


def bash(command: str) -> Request:
    return Request("bash", "execute", (RunsCommand(command, "/w"),))


def pattern(command: str) -> str:
    return remembered_for(bash(command), allowed=True, roots=ROOTS).pattern


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("git commit -m x", "git commit"),
        ("npm test", "npm test"),
        ("npm run build -- --x", "npm run build"),
        ("pytest -q", "pytest"),
        ("cd src && pytest -q 2>&1 | tail -5", "pytest"),
        ("uv run pytest", "uv run pytest"),
        ("python -m pytest -x", "python -m pytest"),
        ("git push && npm publish", "=git push && npm publish"),
        ("git commit -m x --template=/etc/x", "=git commit -m x --template=/etc/x"),
        ("sh -c 'ls'", "=sh -c 'ls'"),
        ("sudo ls", "=sudo ls"),
        ("env ls", "=env ls"),
        ("python -c x", "=python -c x"),
        ("node -e x", "=node -e x"),
        ("docker run x", "=docker run x"),
        ("ssh host ls", "=ssh host ls"),
        ("ls | xargs rm", "=ls | xargs rm"),
        ("rm x", "=rm x"),
        ("cat /etc/passwd", "=cat /etc/passwd"),
        ("pytest > out", "=pytest > out"),
        ("pytest '", "=pytest '"),
        ("pytest $X", "=pytest $X"),
        ("ls", "=ls"),
    ],
)
def test_a_command_is_remembered_by_its_first_words_or_as_it_is(command: str, kept: str) -> None:
    assert pattern(command) == kept


@pytest.mark.parametrize("line", [line for line, rules in REFUSED if rules == GENEROUS])
def test_an_answer_for_one_command_is_never_an_answer_for_another(line: str) -> None:
    kept = tuple(
        remembered_for(bash(command), allowed=True, roots=ROOTS)
        for command in (
            "git status -s",
            "git diff",
            "npm test",
            "make test",
            "pytest -q",
            "ls; pwd",
        )
    )
    assert judge(bash(line), "ask", (), kept, ROOTS).effect == "ask"


def test_what_was_remembered_holds_for_the_same_command() -> None:
    for command in ("git commit -m x", "sudo ls > y", "cd src && pytest -q", "a\nb"):
        for allowed, effect in ((True, "allow"), (False, "deny")):
            kept = remembered_for(bash(command), allowed=allowed, roots=ROOTS)
            assert judge(bash(command), "ask", (), (kept,), ROOTS).effect == effect


def test_a_tool_on_files_is_remembered_as_a_whole() -> None:
    request = Request("edit_file", "write", (WritesPath("/w/a"),))
    assert remembered_for(request, allowed=False, roots=ROOTS) == Remembered(False, "edit_file")


def test_the_options_say_what_will_be_remembered() -> None:
    assert options_for(bash("git commit -m x"), roots=ROOTS) == (
        PermissionOption("allow_once", "Allow once", "allow_once"),
        PermissionOption(
            "allow_always", "Always allow `git commit …` in this session", "allow_always"
        ),
        PermissionOption("reject_once", "Reject once", "reject_once"),
        PermissionOption(
            "reject_always", "Always reject `git commit …` in this session", "reject_always"
        ),
    )
    exact = [option.name for option in options_for(bash("sudo ls"), roots=ROOTS)]
    assert exact[1] == "Always allow exactly this command in this session"
    request = Request("edit_file", "write", (WritesPath("/w/a"),))
    files = [option.name for option in options_for(request, roots=ROOTS)]
    assert files[3] == "Always reject every `edit_file` call in this session"


def test_an_answer_that_would_not_hold_is_not_offered() -> None:
    kinds = [option.kind for option in options_for(bash("x"), roots=ROOTS, lasting=False)]
    assert kinds == ["allow_once", "reject_once", "reject_always"]
