"""`parley scripted-agent`: plays a scenario as an agent, to whoever started this process."""

import argparse
import asyncio
import sys

from parley.conformance.player_driver import play
from parley.conformance.player_report import Report
from parley.conformance.scenario import Scenario
from parley.conformance.scenario_files import load_scenario, scenario_names
from parley.conformance.scripted_stage import HalfClosingPipe, ProcessStage
from parley.errors import ConfigError
from parley.transport.takeover import StdioTakeover

HELP = """
Put it where a client expects the command of an agent. It reads messages on stdin and writes
messages on stdout, as the scenario says, faults included. The report goes to stderr.

SCENARIO is the path of a JSON file, or the name of a scenario that comes with the package. A
minimal one:

  {"scenario": 1, "name": "hello", "plays": "agent", "protocol": 1, "steps": [
    {"do": "receive", "method": "initialize", "result": {"protocolVersion": 1}},
    {"do": "receive", "method": "session/new", "result": {"sessionId": "s1"}},
    {"do": "receive", "method": "session/prompt", "as": "turn"},
    {"do": "notify", "method": "session/update", "params": {"sessionId": "s1",
      "update": {"sessionUpdate": "agent_message_chunk",
                 "content": {"type": "text", "text": "Hello"}}}},
    {"do": "answer", "to": "turn", "result": {"stopReason": "end_turn"}}]}

The exit status is 0 when everything went as the scenario says, 1 when not. A `crash` step ends
with its own.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = HELP
    parser.add_argument("scenario", metavar="SCENARIO", nargs="?", help="what to play")
    add_shared_arguments(parser)


def run(options: argparse.Namespace) -> int:
    if options.list:
        return list_scenarios("agent")
    scenario = chosen_scenario(options, "agent")
    # Before anything else can write there: stdout belongs to the conversation.
    takeover = StdioTakeover()
    takeover.forget()

    async def serve() -> Report:
        transport = HalfClosingPipe(takeover.source, takeover.sink)
        stage = ProcessStage(transport)
        return await play(scenario, transport, stage=stage, variables=dict(options.set))

    return conclude(asyncio.run(serve()))


def add_shared_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that a scripted agent and a scripted client share."""
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        type=_assignment,
        action="append",
        default=[],
        help="give a variable of the scenario another value",
    )
    parser.add_argument(
        "--list", action="store_true", help="name the scenarios that come with the package"
    )


def chosen_scenario(options: argparse.Namespace, plays: str) -> Scenario:
    """The scenario that the command line names.

    Raises:
        ConfigError: it names none, or one for the other side.
        ScenarioError: it cannot be read.
    """
    if options.scenario is None:
        hint = "`--list` names those that are there"
        raise ConfigError("the command line", "SCENARIO", "is missing", hint)
    scenario = load_scenario(options.scenario)
    if scenario.plays != plays:
        hint = f"play it with `parley scripted-{scenario.plays}`"
        problem = f"is for a scripted {scenario.plays}"
        raise ConfigError("the command line", scenario.name, problem, hint)
    return scenario


def list_scenarios(plays: str) -> int:
    """Print the scenarios for one side, with what each is about."""
    for name in scenario_names():
        scenario = load_scenario(name)
        if scenario.plays == plays:
            print(f"{name:<36} {scenario.about}")
    return 0


def conclude(report: Report) -> int:
    """Show the report and return the exit status that it deserves."""
    print(report.text(), file=sys.stderr)
    return 0 if report.ok else 1


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"`{text}` has no name\nhint: write NAME=VALUE")
    return name, value
