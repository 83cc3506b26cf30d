"""The table of losses in the documents names every loss that the code can report."""

import re

from tests.architecture.source_tree import ROOT

_REPORTED = re.compile(r'(?:[Ll]ose|Loss|_loser\(session_id\))\(\s*f?"([a-z_]+(?:\.[a-z_]+)*)"')
_MADE_UP = {"tool_call.name", "tool_call.raw_input", "tool_call.raw_output"}
"""Names that are put together from the name of a field."""


def test_every_loss_is_in_the_table_and_nothing_else_is() -> None:
    reported = {
        name
        for path in sorted((ROOT / "src" / "parley" / "protocol").rglob("*.py"))
        for name in _REPORTED.findall(path.read_text(encoding="utf-8"))
    }
    text = (ROOT / "docs" / "bridge.md").read_text(encoding="utf-8")
    table = text.partition("## What is lost")[2]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    documented = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert documented == reported | _MADE_UP
