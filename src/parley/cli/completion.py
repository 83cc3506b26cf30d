"""`parley completion`: a script for a shell, made from the arguments of all commands."""

import argparse
import importlib
import os
from collections.abc import Mapping
from typing import cast

from parley.cli.main import COMMANDS, Command
from parley.client.agents import find_agents
from parley.coder.config import load
from parley.errors import ConfigError
from parley.frontend.completion_script import SCRIPTS, Flag, Kind, Node, Slot, is_word

EPILOG = """\
  eval "$(parley completion bash)"                                  in ~/.bashrc
  eval "$(parley completion zsh)"                                   in ~/.zshrc, after compinit
  parley completion fish > ~/.config/fish/completions/parley.fish   once

The names of agents are those that are known when the script is made.
"""
_PLACES: dict[str, Kind] = {"FILE": "file", "FOLDER": "folder"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("shell", choices=tuple(SCRIPTS), help="the shell")


def run(options: argparse.Namespace) -> int:
    print(SCRIPTS[options.shell](tree(), agent_names()), end="")
    return 0


def agent_names() -> tuple[str, ...]:
    """The agents that can be named, except those whose names a shell could misunderstand."""
    path = os.environ.get("PATH", os.defpath)
    try:
        found = find_agents(path, load(os.environ, {}).folders.config)
    except ConfigError:
        # A mistake in the file is no reason to have no completion.
        found = find_agents(path)
    return tuple(each.name for each in found if is_word(each.name))


def tree() -> Node:
    """All commands with all their arguments."""
    children: list[Node] = []
    for name, listed in COMMANDS.items():
        parser = argparse.ArgumentParser(prog=f"parley {name}", add_help=True)
        module = importlib.import_module(listed.module)
        cast("Command", module).add_arguments(parser)
        children.append(_node(name, listed.summary, parser))
    flags = (
        Flag(("-h", "--help"), Slot(), "explain the commands"),
        Flag(("--version",), Slot(), "print the version"),
    )
    return Node("parley", "", flags, (), tuple(children))


def _node(name: str, summary: str, parser: argparse.ArgumentParser) -> Node:
    flags: list[Flag] = []
    slots: list[Slot] = []
    children: list[Node] = []
    # A parser has no other way to tell of its arguments.
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if isinstance(action.choices, Mapping):
            # Only the commands below this one come with a parser each.
            subs = cast("Mapping[str, argparse.ArgumentParser]", action.choices)
            children += [_node(each, sub.description or "", sub) for each, sub in subs.items()]
        elif action.option_strings:
            names = tuple(action.option_strings)
            slot = Slot() if action.nargs == 0 else _slot(action)
            flags.append(Flag(names, slot, action.help or ""))
        else:
            slots.append(_slot(action))
    return Node(name, summary, tuple(flags), tuple(slots), tuple(children))


def _slot(action: argparse.Action) -> Slot:
    if action.choices is not None:
        return Slot("choice", tuple(map(str, action.choices)))
    if action.metavar == "NAME" and action.dest in ("agent", "name"):
        return Slot("agent")
    return Slot(_PLACES.get(str(action.metavar), "text"))
