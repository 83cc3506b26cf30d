"""The table of what the reference of the older server states: each row has a check that exists."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from parley.conformance.requirements.catalogue import all_requirements

HERE = Path(__file__).parent
ROWS: list[dict[str, Any]] = tomllib.loads((HERE / "seed_002.toml").read_text("utf-8"))["row"]
FILES = (
    "test_seed_opening.py",
    "test_seed_turns.py",
    "test_seed_permissions.py",
    "test_seed_compaction.py",
)
SECTIONS = [
    "Lifecycle Overview", "initialize", "session/new", "session/load", "session/fork",
    "session/resume", "session/prompt", "session/cancel", "session/close", "sessions/list",
    "config/set", "Streaming Events", "Tool Call Lifecycle", "Tool Kind Mapping",
    "Tool Permission Categories", "request_permission Event", "Permission Options",
    "Response Format", "Error Handling",
]  # fmt: skip
IDS = {f"IAC-{number:02}" for number in range(1, 26)}
"""The requirements that hold the same facts; the last one is about another transport."""
EXCUSE = re.compile(r"v1 only: .+")


def checks() -> dict[str, set[int]]:
    """Every check, and the versions that it runs in, by the fixtures it takes."""
    found: dict[str, set[int]] = {}
    for file in FILES:
        for node in ast.parse((HERE / file).read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                taken = {each.arg for each in node.args.args}
                both = {1, 2} if taken & {"agent", "version"} else set[int]()
                one = {n for n in (1, 2) if f"agent_v{n}" in taken or f"version_{n}" in node.name}
                found[node.name] = both or one
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['section']}: {row['says']}"[:70])
def test_a_row_has_a_check_in_each_version_or_a_reason(row: dict[str, Any]) -> None:
    known = checks()
    assert set(row) <= {"section", "says", "ids", "v1", "v2"}
    for version in (1, 2):
        cell = row[f"v{version}"]
        excused = version == 2 and EXCUSE.fullmatch(cell)
        assert excused or version in known.get(cell, ()), f"{cell} does not run in {version}"


def test_every_check_has_a_row() -> None:
    named = {(version, row[f"v{version}"]) for row in ROWS for version in (1, 2)}
    without = [
        (version, name)
        for name, versions in checks().items()
        for version in versions
        if (version, name) not in named
    ]
    assert without == []


def test_every_section_and_every_requirement_has_a_row() -> None:
    assert list(dict.fromkeys(row["section"] for row in ROWS)) == SECTIONS
    named = {id for row in ROWS for id in row.get("ids", ())}
    assert named >= IDS
    assert named <= {each.id for each in all_requirements()}
