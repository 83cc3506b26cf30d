"""`parley acp`: the coding agent on stdin and stdout, as an editor starts it."""

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from parley.cli.first_answer import first_profile
from parley.cli.late_agent import LateAgent
from parley.cli.log_file import start_logging
from parley.coder.config import Config, load
from parley.coder.providers.choice import Choice, choose
from parley.errors import ConfigError
from parley.process.core_dump import leave_no_core
from parley.protocol.serve import serve
from parley.protocol.settings import IAC_CODE, Settings
from parley.rpc.transport import Transport
from parley.transport.stdio import run_stdio

if TYPE_CHECKING:
    from parley.coder.application import Application
    from parley.coder.runtime import Runtime

_log = logging.getLogger("parley.cli")

EPILOG = """\
Write it wherever an editor asks for the command of an agent:

  parley acp

Without any configuration it starts, understands plain commands, and says how to configure a model.
docs/agent.md explains models, permissions, rules and sessions; `parley doctor` shows what is found.

Everything can also be set in the environment (PARLEY_MODEL and so on) or in
~/.config/parley/config.toml. Nothing is ever read from the folder the agent works in.

The exit status is 0 when the client ends the conversation, 1 when the agent cannot start, 2 for
wrong usage or a wrong setting, and 128 plus its number after a signal.
"""
_VALUES = (
    ("model", "MODEL", "the model to begin with, as provider/model"),
    ("provider", "NAME", "the provider to use; `offline` and `scripted` need no configuration"),
    ("mode", "MODE", "ask, auto-edit, plan or full-access"),
    ("script", "FILE", "what the provider `scripted` plays"),
    ("config", "FILE", "the configuration file"),
    ("data-dir", "FOLDER", "where sessions and logs are kept"),
    ("log-level", "LEVEL", "debug, info, warning or error"),
)

_CHOICES = {
    "mode": ("ask", "auto-edit", "plan", "full-access"),
    "log-level": ("debug", "info", "warning", "error"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    for name, metavar, meaning in _VALUES:
        parser.add_argument(f"--{name}", metavar=metavar, help=meaning, choices=_CHOICES.get(name))
    parser.add_argument(
        "--unstable", action="store_true", help="speak the unstable parts of both versions as well"
    )
    parser.add_argument(
        "--login", action="store_true", help="ask for a provider and its key, here in the terminal"
    )


def run(options: argparse.Namespace) -> int:
    leave_no_core()
    if options.login:
        # Nobody who starts the agent for an editor needs it.
        from parley.cli.login import log_in  # noqa: PLC0415

        return log_in(configuration(options))
    if options.script is not None and (problem := _problem_of(options.script)):
        print(f"parley acp: --script {problem}", file=sys.stderr)
        return 2
    if sys.stdin is not None and sys.stdin.isatty():
        print("parley acp: an editor starts this; waiting for one on stdin", file=sys.stderr)
    # Before anything else is opened or written: stdout belongs to the client from here on.
    return run_stdio(_Agent(options).serve)


def configuration(options: argparse.Namespace) -> Config:
    """What the user has configured, as it is at this moment."""
    flags = {
        name.replace("-", "_"): getattr(options, name.replace("-", "_")) for name, *_ in _VALUES
    }
    return load(os.environ, flags)


def _problem_of(script: str) -> str:
    """What is wrong with a script that was named, with the fix; empty if nothing is."""
    # A start without a script need not know how to read one.
    from parley.coder.providers.scripted import read_script  # noqa: PLC0415

    try:
        read_script(Path(script))
    except ConfigError as error:
        fix = 'name a script; "Scripts" in docs/agent.md describes them'
        return f"{script!r} {error.problem}\ntry: {fix}"
    return ""


class _Agent:
    """One run of the agent."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._application: Application | None = None
        self._runtime: Runtime | None = None

    async def serve(self, transport: Transport) -> None:
        config = configuration(self._options)
        start_logging(config.folders.state, config.agent.log_level or "info")
        choice = choose(config)
        agent = LateAgent(first_profile(config, choice), lambda: self._made(config, choice))
        settings = Settings(
            unstable=self._options.unstable,
            # What the reference server says in its own way is said in that way to everybody.
            dialects=frozenset({IAC_CODE}),
        )
        _log.info("started with %s: %s", choice.model, choice.reason)
        try:
            await serve(agent, transport, settings)
        finally:
            await agent.aclose()
            if self._application is not None and self._runtime is not None:
                await self._application.aclose()
                await self._runtime.aclose()
            _log.info("ended")

    def _made(self, config: Config, choice: Choice) -> "Application":
        # Most of the agent, which the answer to `initialize` does not need.
        from parley.cli.composition import Composition  # noqa: PLC0415

        composition = Composition(config, choice, lambda: configuration(self._options))
        self._runtime = composition.runtime()
        self._application = composition.application(self._runtime)
        return self._application
