"""The `parley` command: finds the command that was named and runs it.

Each command is a module of its own with `add_arguments(parser)` and `run(options) -> int`. It is
imported only when it is the one that was named, so that `--help` and a start stay fast.
"""

import argparse
import gc
import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple, Protocol, cast, get_args

from parley import __version__
from parley.cli.help_text import command_lines, filled, help_width, packed
from parley.cli.usage import Parser, complaint, meant
from parley.errors import AcpError, ConfigError

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
    at = next((at for at, word in enumerate(given) if not word.startswith("-")), len(given))
    name = "".join(given[at : at + 1])
    if at or name not in commands:
        overview = _Overview(commands)
        overview.parse_args(given[:at])
        if not name:
            overview.print_help(sys.stderr)
            return 2
        if name not in commands:
            hint = f"{meant(name, commands)}`parley --help` lists the commands"
            overview.fail(f"`{name}` is no command", hint)
    listed = commands[name]
    command = _imported(listed.module)
    own, agent = given[at + 1 :], []
    if getattr(command, "TAKES_AGENT", False) and "--" in own:
        # The parser would lose the border between the arguments and the command of an agent.
        border = own.index("--")
        own, agent = own[:border], own[border + 1 :]
    parser = Parser(prog=f"parley {name}", description=listed.summary)
    parser.example = listed.example
    command.add_arguments(parser)
    options = parser.parse_args(own, argparse.Namespace(agent_command=agent))
    return _guarded(parser.prog, command, options)


def _imported(module: str) -> Command:
    # Importing leaves little garbage, and looking for it takes a twentieth of the start. What was
    # imported stays until the end, so nobody needs to look at it later either.
    gc.disable()
    try:
        return cast("Command", importlib.import_module(module))
    finally:
        gc.freeze()
        gc.enable()


class _Overview(Parser):
    """The parser in front of all commands, with a help that somebody new can act on."""

    def __init__(self, commands: Mapping[str, Listed]) -> None:
        super().__init__(prog="parley", usage="parley COMMAND [ARGUMENT...]")
        self._commands = commands
        self.add_argument("--version", action="version", version=f"parley {__version__}")

    def format_help(self) -> str:
        width = help_width()
        lines = [self.format_usage(), filled(_FIRST_STEPS, width)]
        for group in get_args(Group):
            listed = {name: each for name, each in self._commands.items() if each.group == group}
            if listed:
                entries = (_entry(name, each, width) for name, each in listed.items())
                lines += [f"{group}:", *chain.from_iterable(entries), ""]
        lines.append(filled(_LAST_WORDS, width))
        return "\n".join(lines)


_FIRST_STEPS = """\
The Agent Client Protocol on the command line: a coding agent, a client for every agent, and tools.

Nothing needs to be configured to begin:

  parley tour                watch the agent fix a bug in a small project of its own
  parley run "list ."        let the agent do something in this folder
  parley doctor              see what it finds here, and how to give it a model
"""


_LAST_WORDS = "`parley COMMAND --help` explains a command. --version prints the version.\n"


def _entry(name: str, listed: Listed, width: int) -> Iterator[str]:
    indent = " " * 19
    yield from packed(listed.summary.split(), width, f"  {name:<17}", indent)
    if listed.example:
        yield from command_lines(f"{indent}$ {listed.example}", width)


def _guarded(prog: str, command: Command, options: argparse.Namespace) -> int:
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
        print(complaint(prog, error), end="", file=sys.stderr)
        return 2 if isinstance(error, ConfigError) else 1
    return status
