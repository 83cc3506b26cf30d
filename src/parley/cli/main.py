"""The `parley` command: finds the command that was named and runs it.

Each command is a module of its own with `add_arguments(parser)` and `run(options) -> int`. It is
imported only when it is the one that was named, so that `--help` and a start stay fast.
"""

import argparse
import gc
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, NoReturn, Protocol, cast, get_args

from parley import __version__
from parley.cli.help_text import HelpText
from parley.errors import AcpError

Group = Literal["Use an agent", "Set it up", "Build agents and clients"]


class Listed(NamedTuple):
    """What is known of a command before it is imported."""

    module: str
    summary: str
    group: Group = "Build agents and clients"
    example: str = ""
    """A command line that a newcomer can try."""


COMMANDS: Mapping[str, Listed] = {
    "tour": Listed(
        "parley.cli.tour",
        "watch the agent do a real task in a small project",
        "Use an agent",
        "parley tour",
    ),
    "run": Listed(
        "parley.cli.run",
        "give an agent prompts, from a script or a terminal",
        "Use an agent",
        'parley run "what does this project do?"',
    ),
    "sessions": Listed(
        "parley.cli.sessions",
        "list, read, search and export what was said and done",
        "Use an agent",
        "parley sessions --all",
    ),
    "agents": Listed(
        "parley.cli.agents",
        "list the agents that are here or can be installed",
        "Use an agent",
        "parley agents",
    ),
    "acp": Listed(
        "parley.cli.acp",
        "the coding agent on stdio, as an editor starts it",
        "Set it up",
        "parley acp --login",
    ),
    "setup": Listed(
        "parley.cli.setup", "tell an editor about an agent", "Set it up", "parley setup zed --apply"
    ),
    "doctor": Listed(
        "parley.cli.doctor",
        "explain what the agent finds on this machine",
        "Set it up",
        "parley doctor",
    ),
    "completion": Listed(
        "parley.cli.completion",
        "print what makes a shell complete our commands",
        "Set it up",
        'eval "$(parley completion bash)"',
    ),
    "bridge": Listed(
        "parley.cli.bridge",
        "join a client to an agent of the other version",
        example="parley bridge -- some-agent --acp",
    ),
    "methods": Listed(
        "parley.cli.methods",
        "print the methods of a protocol version as a table",
        example="parley methods --version 2",
    ),
    "scripted-agent": Listed(
        "parley.cli.scripted_agent",
        "play a scenario as an agent on stdio",
        example="parley scripted-agent v1/turn-agent",
    ),
    "scripted-client": Listed(
        "parley.cli.scripted_client",
        "play a scenario as a client of AGENT",
        example="parley scripted-client v1/turn-client -- some-agent --acp",
    ),
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
    command = _imported(listed.module) if listed else None
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


def _imported(module: str) -> Command:
    # Importing leaves little garbage, and looking for it takes a twentieth of the start. What was
    # imported stays until the end, so nobody needs to look at it later either.
    gc.disable()
    try:
        return cast("Command", importlib.import_module(module))
    finally:
        gc.freeze()
        gc.enable()


class _Overview(argparse.ArgumentParser):
    """The parser of all commands, with a help that somebody new can act on."""

    commands: Mapping[str, Listed] = {}
    named: str | None = None
    """The command that was named, if there is such a command."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where the right way is explained."""
        command = "parley" if self.named is None else f"parley {self.named}"
        self.print_usage(sys.stderr)
        self.exit(2, f"{command}: error: {message}\nhint: `{command} --help` shows what there is\n")

    def format_help(self) -> str:
        lines = [self.format_usage(), _FIRST_STEPS]
        for group in get_args(Group):
            listed = {name: each for name, each in self.commands.items() if each.group == group}
            if listed:
                lines += [f"{group}:", *map(_entry, listed, listed.values()), ""]
        lines.append("`parley COMMAND --help` explains a command. --version prints the version.")
        return "\n".join(lines) + "\n"


_FIRST_STEPS = """\
The Agent Client Protocol on the command line: a coding agent, a client for every agent, and tools.

Nothing needs to be configured to begin:

  parley tour                watch the agent fix a bug in a small project of its own
  parley run "list ."        let the agent do something in this folder
  parley doctor              see what it finds here, and how to give it a model
"""


def _entry(name: str, listed: Listed) -> str:
    line = f"  {name:<17}{listed.summary}"
    return f"{line}\n{'':<19}$ {listed.example}" if listed.example else line


def _parser(
    commands: Mapping[str, Listed], name: str | None, command: Command | None
) -> argparse.ArgumentParser:
    """The parser of the named command, or of all where none is known."""
    parser = _Overview(
        prog="parley",
        usage="parley COMMAND [ARGUMENT...]",
        allow_abbrev=False,
        formatter_class=HelpText,
    )
    parser.commands = commands
    parser.named = None if command is None else name
    parser.add_argument("--version", action="version", version=f"parley {__version__}")
    subparsers = parser.add_subparsers(
        metavar="COMMAND", prog="parley", parser_class=argparse.ArgumentParser
    )
    for each, listed in commands.items():
        if command is not None and each != name:
            continue  # Making all of them takes longer than anything that the agent does at start.
        sub = subparsers.add_parser(
            each, description=listed.summary, allow_abbrev=False, formatter_class=HelpText
        )
        if command is not None:
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
        # Only here, since a command that works does not need it.
        from parley.frontend.visible import visible  # noqa: PLC0415

        # An agent may have written it.
        print(f"parley: {visible(str(error))}", file=sys.stderr)
        return 1
    return status
