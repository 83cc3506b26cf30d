"""Scenarios as files: those that come with the package, and anybody's."""

from pathlib import Path

from parley.conformance.scenario import Scenario, ScenarioError
from parley.conformance.scenario_check import parse_scenario

SHIPPED = Path(__file__).parent / "scenarios"
"""The folder of the scenarios that come with the package."""


def scenario_names() -> list[str]:
    """The names of all scenarios that come with the package."""
    return sorted(
        path.relative_to(SHIPPED).with_suffix("").as_posix() for path in SHIPPED.rglob("*.json")
    )


def load_scenario(source: str | Path) -> Scenario:
    """The scenario in a file, or the one of that name that comes with the package.

    Raises:
        ScenarioError: there is none, or it is not one; the text says what is wrong and where.
    """
    path = Path(source)
    if path.suffix != ".json" and not path.is_file():
        path = SHIPPED / f"{source}.json"
        if str(source) not in scenario_names():
            hint = "hint: give the path of a file, or one of the names in `--list`"
            raise ScenarioError(f"there is no scenario `{source}`\n{hint}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ScenarioError(f"cannot read the scenario {path}: {error.strerror}") from None
    return parse_scenario(data, str(source))
