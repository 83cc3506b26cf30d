"""`parley scripted-client`: plays a scenario as a client, to an agent that it starts."""

import argparse
import asyncio
import sys

from parley.cli.scripted_agent import (
    add_shared_arguments,
    chosen_scenario,
    conclude,
    list_scenarios,
)
from parley.conformance.player_driver import play
from parley.conformance.player_report import Report
from parley.errors import ConfigError
from parley.transport.process import spawn

HELP = """
It starts the agent, says and expects what the scenario says, faults included, and ends the agent
again. What the agent complains on stderr is passed on, and the report follows it.

SCENARIO is the path of a JSON file, or the name of a scenario that comes with the package:

  parley scripted-client v1/turn-client -- my-agent --acp

The exit status is 0 when everything went as the scenario says, 1 when not.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = HELP
    parser.add_argument("scenario", metavar="SCENARIO", nargs="?", help="what to play")
    parser.add_argument(
        "agent", metavar="AGENT", nargs="*", help="the command of the agent, after `--`"
    )
    add_shared_arguments(parser)


def run(options: argparse.Namespace) -> int:
    if options.list:
        return list_scenarios("client")
    scenario = chosen_scenario(options, "client")
    if not options.agent:
        hint = "write its command after `--`"
        raise ConfigError("the command line", "AGENT", "is missing", hint)

    async def drive() -> Report:
        transport = await spawn(options.agent, on_stderr=_pass_on)
        return await play(scenario, transport, variables=dict(options.set))

    return conclude(asyncio.run(drive()))


def _pass_on(line: str) -> None:
    print(line, file=sys.stderr)
