"""The `parley` command: finds the command that was named and runs it.

Each command is a module of its own with `add_arguments(parser)` and `run(options) -> int`. It is
imported only when it is the one that was named, so that `--help` and a start stay fast.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, cast

from parley import __version__
from parley.errors import AcpError


class Listed(NamedTuple):
    """What is known of a command before it is imported."""

    module: str
    summary: str


COMMANDS: Mapping[str, Listed] = {
    "acp": Listed("parley.cli.acp", "the coding agent on stdio, as an editor starts it"),
    "agents": Listed("parley.cli.agents", "list the agents that are here or can be installed"),
    "bridge": Listed("parley.cli.bridge", "join a client to an agent of the other version"),
    "doctor": Listed("parley.cli.doctor", "explain what the agent finds on this machine"),
    "methods": Listed("parley.cli.methods", "print the methods of a protocol version as a table"),
    "run": Listed("parley.cli.run", "give an agent prompts, from a script or a terminal"),
    "scripted-agent": Listed("parley.cli.scripted_agent", "play a scenario as an agent on stdio"),
    "scripted-client": Listed("parley.cli.scripted_client", "play a scenario as a client of AGENT"),
}

# What a shell reports for a program that ended by SIGINT, or by SIGPIPE.
_INTERRUPTED = 130
_BROKEN_PIPE = 141


class Command(Protocol):
    """What the module of a command offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> int:
        """Its work. With `TAKES_AGENT = True` the module gets `options.agent_command`, too."""
        ...


def main(arguments: Sequence[str] | None = None, commands: Mapping[str, Listed] = COMMANDS) -> int:
    """Run one command and return the exit status: 0 done, 1 failed, 2 wrong usage."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Global options take no value, so the first word that is not an option names the command.
    name = next((word for word in given if not word.startswith("-")), None)
    listed = commands.get(name or "")
    command = cast("Command", importlib.import_module(listed.module)) if listed else None
    parser = _parser(commands, name, command)
    agent: list[str] = []
    if getattr(command, "TAKES_AGENT", False) and "--" in given:
        # The parser would lose the border between the arguments and the command of an agent.
        border = given.index("--")
        given, agent = given[:border], given[border + 1 :]
    options = parser.parse_args(given, argparse.Namespace(agent_command=agent))
    if command is None:
        parser.print_help(sys.stderr)
        return 2
    return _guarded(command, options)


def _parser(
    commands: Mapping[str, Listed], name: str | None, command: Command | None
) -> argparse.ArgumentParser:
    """The parser of all commands; only the named one knows its arguments."""
    parser = argparse.ArgumentParser(
        prog="parley",
        description="The Agent Client Protocol on the command line.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"parley {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for each, (_, summary) in commands.items():
        sub = subparsers.add_parser(each, help=summary, description=summary, allow_abbrev=False)
        if command is not None and each == name:
            command.add_arguments(sub)
    return parser


def _guarded(command: Command, options: argparse.Namespace) -> int:
    """Run the command; what a person would see as noise becomes an exit status."""
    try:
        status = command.run(options)
        # A closed pipe shows itself at the latest here, where it can still be handled.
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes stdout once more at exit, and would complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except AcpError as error:
        print(f"parley: {error}", file=sys.stderr)
        return 1
    return status
