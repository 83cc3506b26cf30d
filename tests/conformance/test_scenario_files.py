"""Scenarios are found by path and by name."""

from pathlib import Path

import pytest

from parley.conformance.scenario import ScenarioError
from parley.conformance.scenario_files import load_scenario, scenario_names

TEXT = '{"scenario": 1, "name": "mine", "plays": "agent", "protocol": 1, "steps": []}'


def test_a_file_is_a_scenario_whatever_it_is_called(tmp_path: Path) -> None:
    for name in ("a.json", "b"):
        (tmp_path / name).write_text(TEXT)
        assert load_scenario(tmp_path / name).name == "mine"


def test_every_scenario_that_comes_with_the_package_bears_its_own_name() -> None:
    names = scenario_names()
    assert len(names) > 50
    assert [load_scenario(name).name for name in names] == names
    assert [name for name in names if not load_scenario(name).about] == []


@pytest.mark.parametrize("name", ["nobody", "../player", "missing.json"])
def test_a_scenario_that_is_not_there_is_an_error_that_names_it(name: str) -> None:
    with pytest.raises(ScenarioError, match=name.replace(".", r"\.")):
        load_scenario(name)


def test_a_mistake_in_a_file_is_said_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(TEXT.replace("[]", '[{"do": "dance"}]'))
    with pytest.raises(ScenarioError, match=r"bad\.json: step 1: invalid value 'dance' at `do`"):
        load_scenario(str(file))
