"""The words of commands: plain ones for rules that allow, all of them for rules that forbid."""

from typing import Any

import pytest

from parley.frontend.headless.command_words import all_words, command_of, plain_words


@pytest.mark.parametrize(
    ("raw", "command"),
    [
        ({"command": "pytest -q"}, "pytest -q"),
        ({"cmd": "ls"}, "ls"),
        ({"command": "ls", "args": ["-l", 3]}, ("ls", "-l")),
        ({"command": ["git", "status"]}, ("git", "status")),
        ({"command": ["bash", "-lc", "rm -r x"]}, "rm -r x"),
        ({"command": []}, None),
        ({"command": 3}, None),
        ({"command": " "}, None),
        ({"path": "x"}, None),
        ("ls", None),
        (None, None),
    ],
)
def test_the_command_is_found_where_agents_put_it(raw: Any, command: Any) -> None:
    assert command_of(raw) == command


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("pytest -q tests", ("pytest", "-q", "tests")),
        ("grep 'a;b' \"c d\"", ("grep", "a;b", "c d")),
        (("rm", "-r", "a;b"), ("rm", "-r", "a;b")),
        ("echo '$HOME'", ("echo", "$HOME")),
    ],
)
def test_a_plain_command_has_its_words(line: Any, words: tuple[str, ...]) -> None:
    assert plain_words(line) == words


@pytest.mark.parametrize(
    "line",
    [
        "pytest; rm -r x",
        "pytest && rm x",
        "pytest | sh",
        "pytest & rm x",
        "pytest > /etc/passwd",
        "pytest < x",
        "pytest $(rm x)",
        "pytest `rm x`",
        'pytest "$(rm x)"',
        'pytest "`rm x`"',
        "pytest $HOME",
        "pytest \n rm x",
        "pytest \\\n x",
        "(pytest)",
        "{ pytest; }",
        "PATH=. pytest",
        "pytest 'unclosed",
        'pytest "unclosed',
        "! pytest",
        "pytest # rm",
        "",
        (),
    ],
)
def test_what_may_be_more_than_one_plain_command_has_no_words(line: Any) -> None:
    assert plain_words(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "rm -r x",
        "cd y && rm -r x",
        "ls; rm -r x",
        "ls | rm -r x",
        "echo $(rm -r x)",
        "echo `rm -r x`",
        'echo "$(rm -r x)"',
        "bash -c 'rm -r x'",
        'bash -c "cd y; rm -r x"',
        "sudo rm -r x",
        "sudo -u root rm -r x",
        "env A=1 rm -r x",
        "A=1 rm -r x",
        "/bin/rm -r x",
        "timeout 5 rm -r x",
        "if true; then rm -r x; fi",
        "eval rm -r x",
        "eval 'rm -r x'",
        "(rm -r x)",
        "ls\nrm -r x",
        "\\rm -r x",
        "r''m -r x",
        ("sh", "-c", "rm -r x"),
        ("rm", "-r", "x"),
    ],
)
def test_a_command_is_found_wherever_it_hides(line: Any) -> None:
    commands = all_words(line)
    assert commands is not None
    assert any(words[:1] == ("rm",) and words[-1].startswith("x") for words in commands)


@pytest.mark.parametrize("line", ["echo 'unclosed", "eval eval eval eval eval ls"])
def test_what_cannot_be_read_is_said_to_be_unclear(line: str) -> None:
    assert all_words(line) is None
