"""Hooks of the user's configuration."""

from pathlib import Path

import pytest

from parley.coder.config import Config, load
from parley.coder.config_hooks import unknown_tools
from parley.coder.hook import DEFAULT_SECONDS, Hook, Hooks


def configured(folder: Path, text: str) -> Config:
    path = folder / "config.toml"
    path.write_text(text)
    return load({"HOME": str(folder), "PARLEY_CONFIG": str(path)})


def test_hooks_are_read_in_their_order(tmp_path: Path) -> None:
    text = """
        [[hooks.before_tool]]
        tools = ["bash", "edit_*"]
        command = ["~/bin/check", "--strict"]
        timeout = 5
        [[hooks.before_tool]]
        tools = "docs__*"
        command = "jq . | tee -a ~/log"
        [[hooks.after_tool]]
        command = ["/usr/bin/format"]
    """
    config = configured(tmp_path, text)
    assert config.problems == ()
    assert not config.rules_unclear
    file = str(tmp_path / "config.toml")
    shell = ("/bin/sh", "-c", "jq . | tee -a ~/log")
    check = ("~/bin/check", "--strict")
    assert config.hooks == Hooks(
        (
            Hook("hooks.before_tool[0]", check, ("bash", "edit_*"), 5, file),
            Hook("hooks.before_tool[1]", shell, ("docs__*",), DEFAULT_SECONDS, file),
        ),
        (Hook("hooks.after_tool[0]", ("/usr/bin/format",), ("*",), DEFAULT_SECONDS, file),),
    )


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("hooks = 1", "hooks"),
        ("hooks = {before_tool = 1}", "hooks.before_tool"),
        ("hooks = {before_tool = [1]}", "hooks.before_tool[0]"),
        ("[[hooks.PreToolUse]]\ncommand = 'x'", "hooks.PreToolUse"),
        ("[[hooks.before_tool]]", "hooks.before_tool[0]"),
        ("[[hooks.before_tool]]\ncommand = ' '", "hooks.before_tool[0]"),
        ("[[hooks.before_tool]]\ncommand = []", "hooks.before_tool[0]"),
        ("[[hooks.before_tool]]\ncommand = ['', 'a']", "hooks.before_tool[0]"),
        ("[[hooks.before_tool]]\ncommand = ['./check']", "hooks.before_tool[0].command"),
        ("[[hooks.before_tool]]\ncommand = ['bin/check']", "hooks.before_tool[0].command"),
        ("[[hooks.before_tool]]\ncommand = ['a', \"\\u0000\"]", "hooks.before_tool[0].command"),
        ("[[hooks.before_tool]]\ncommand = 5", "hooks.before_tool[0].command"),
        ("[[hooks.before_tool]]\ncommand = 'x'\ntimeout = 0", "hooks.before_tool[0].timeout"),
        ("[[hooks.before_tool]]\ncommand = 'x'\ntimeout = 601", "hooks.before_tool[0].timeout"),
        ("[[hooks.before_tool]]\ncommand = 'x'\nmatcher = 'y'", "hooks.before_tool[0].matcher"),
    ],
)
def test_a_mistake_is_named_and_makes_sessions_careful(tmp_path: Path, text: str, key: str) -> None:
    config = configured(tmp_path, text)
    assert key in [error.key for error in config.problems]
    assert config.rules_unclear


def test_a_hook_with_a_wrong_value_still_guards_every_tool(tmp_path: Path) -> None:
    text = "[[hooks.before_tool]]\ncommand = 'x'\ntools = 5"
    config = configured(tmp_path, text)
    assert [hook.tools for hook in config.hooks.before] == [("*",)]


def test_a_hook_for_a_tool_that_there_is_not_is_named(tmp_path: Path) -> None:
    text = """
        [[hooks.before_tool]]
        tools = ["Bash", "edit_*", "docs__*", "*"]
        command = "x"
        [[hooks.after_tool]]
        tools = ["shell", "Write*"]
        command = "x"
    """
    found = unknown_tools(configured(tmp_path, text).hooks, ("bash", "edit_file"))
    assert [(error.key, error.problem) for error in found] == [
        ("hooks.after_tool[0]", "names the tool `shell`, which there is not"),
        ("hooks.after_tool[0]", "names the tool `Write*`, which there is not"),
    ]
    assert "bash, edit_file" in found[0].hint
