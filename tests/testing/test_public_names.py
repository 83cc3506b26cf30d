"""The names of `parley.testing` are a decision."""

import parley.testing


def test_the_public_names_are_there_and_no_others() -> None:
    assert parley.testing.__all__ == [
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
    assert [name for name in parley.testing.__all__ if not hasattr(parley.testing, name)] == []
