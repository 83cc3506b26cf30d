"""What a test of an agent or of a client needs: an in-process pair, and peers that follow a script.

These names are the public surface; the pytest plugin offers the same as fixtures.
"""

from parley.conformance.player_driver import play
from parley.conformance.player_report import Report
from parley.conformance.recording import load_recording, to_scenario
from parley.conformance.scenario import Scenario, ScenarioError
from parley.conformance.scenario_check import parse_scenario
from parley.conformance.scenario_files import load_scenario, scenario_names
from parley.conformance.scripted_peer import ScriptedAgent, ScriptedClient
from parley.testing.pairing import pair

__all__ = [
    "Report",
    "Scenario",
    "ScenarioError",
    "ScriptedAgent",
    "ScriptedClient",
    "load_recording",
    "load_scenario",
    "pair",
    "parse_scenario",
    "play",
    "scenario_names",
    "to_scenario",
]
