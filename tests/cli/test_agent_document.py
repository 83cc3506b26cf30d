"""What the guide of the agent shows is true."""

import re
from pathlib import Path

import pytest

from parley.cli.composition import rules_of
from parley.coder.config import load
from parley.coder.providers.scripted import read_script
from parley.coder.vendors import LOCAL_SERVERS, VENDORS

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "agent.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
    return next(text for name, text in blocks if name == language and containing in text)


def test_the_configuration_it_shows_has_no_problems(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(block("toml", "[agent]"))
    (tmp_path / "rules").write_text(block("", "deny  bash"))
    config = load({"HOME": str(tmp_path), "PARLEY_CONFIG": str(path), "WORK_KEY": "k"})
    assert (config.problems, config.warnings) == ((), ())
    rules, problems = rules_of(config)
    assert (len(rules), problems) == (8, ())
    shown = set(config.agent.__struct_fields__)
    assert set(config.sources) == shown - {"provider"}


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_every_vendor_is_in_the_table(vendor: object) -> None:
    each = next(known for known in VENDORS if known is vendor)
    (row,) = [line for line in GUIDE.splitlines() if line.startswith(f"| `{each.name}` |")]
    variables = {*each.key_variables, *((each.url_variable,) if each.url_variable else ())}
    assert set(re.findall(r"`([A-Z_]+)`", row)) == variables
    assert row.endswith(f"| `{each.model}` |")


def test_the_vendors_are_in_the_order_of_preference() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*_API_KEY", GUIDE, re.MULTILINE)
    assert rows == [vendor.name for vendor in VENDORS]


def test_every_local_server_is_named_with_its_port() -> None:
    text = " ".join(GUIDE.split())
    for server in LOCAL_SERVERS:
        assert re.search(rf"{re.escape(server.title)} \((?:port )?{server.port}\)", text)


def test_the_script_it_shows_can_be_played(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text(block("json", '"when"'))
    assert len(read_script(tmp_path / "script.json").answers) == 2
