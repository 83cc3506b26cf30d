"""Commands inside commands are listed, and what cannot be listed is admitted."""

import pytest

from parley.coder.permission.nested import Commands, every_command, name_of
from parley.coder.permission.shell import Command, CommandLine, parse


@pytest.mark.parametrize(
    "line",
    [
        "rm x",
        "sudo rm x",
        "sudo -u root -- rm x",
        "env A=1 rm x",
        "command rm x",
        "exec rm x",
        "nohup rm x",
        "nice -n 5 rm x",
        "timeout -k 1 5 rm x",
        "stdbuf -o0 rm x",
        "busybox rm x",
        "sh -c 'rm x'",
        "bash -lc 'rm x'",
        "sh -c \"sh -c 'rm x'\"",
        "eval rm x",
        "eval 'rm x'",
        "trap 'rm x' EXIT",
        "alias a='rm x'",
        "let 'a[$(rm x)]=1'",
        "su root -c 'rm x'",
        "ssh host 'rm x'",
        "watch 'rm x'",
        "docker exec box rm x",
        "uv run rm x",
        "git bisect run rm x",
        "git submodule foreach 'rm x'",
        "timeout 5 bash -c 'cd y; rm x'",
        "echo $(sudo rm x)",
        "! for i in 1; do rm x; done",
    ],
)
def test_a_command_is_found_behind_others(line: str) -> None:
    assert ("rm", "x") in every_command(parse(line)).found


@pytest.mark.parametrize("line", ["xargs rm", "find . -exec rm", "parallel rm", "fd -x rm"])
def test_a_program_that_adds_words_leaves_the_rest_unknown(line: str) -> None:
    assert ("rm", None) in every_command(parse(line)).found


@pytest.mark.parametrize(
    "line",
    [
        "echo rm x | sh",
        "bash -s",
        "sudo bash",
        "source <(echo rm x)",
        "ls '",
        "ls " + "a" * 20_000,
        "sh -c 'ls \"'",
        "eval $'rm' x",
        "eval ${T:-rm} x",
        "trap $X EXIT",
        'bash -c "bash -c "${T:-rm} x""',
    ],
)
def test_what_cannot_be_seen_is_admitted(line: str) -> None:
    assert not every_command(parse(line)).complete


def test_nesting_and_growth_are_bounded() -> None:
    line = "rm x"
    for _ in range(8):
        line = "sh -c '" + line.replace("'", "'\\''") + "'"
    assert not every_command(parse(line)).complete
    many = every_command(parse("; ".join(["sudo " + "a " * 100] * 45)))
    assert not many.complete
    assert len(many.found) < 2_100


def test_a_plain_line_is_complete() -> None:
    assert every_command(parse("ls && git status")).complete


def test_a_command_without_words_carries_nothing() -> None:
    line = CommandLine("", (Command(()),))
    assert every_command(line) == Commands((), (), complete=True)


def test_redirections_inside_are_found() -> None:
    assert every_command(parse("sh -c 'echo x > .envrc' > y")).targets == ("y", ".envrc")


def test_programs_are_compared_without_folder_and_case() -> None:
    assert name_of("/bin/RM") == "rm"
    assert name_of(None) is None
