"""Hooks of the user's configuration."""

from pathlib import Path

import pytest

from parley.coder.config import Config, load
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
    assert config.hooks == Hooks(
        (
            Hook("hooks.before_tool[0]", ("~/bin/check", "--strict"), ("bash", "edit_*"), 5),
            Hook("hooks.before_tool[1]", ("/bin/sh", "-c", "jq . | tee -a ~/log"), ("docs__*",)),
        ),
        (Hook("hooks.after_tool[0]", ("/usr/bin/format",), ("*",), DEFAULT_SECONDS),),
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
    assert config.hooks.before == (Hook("hooks.before_tool[0]", ("/bin/sh", "-c", "x")),)
