"""Every requirement of the protocol is here, and tied to tests that exist or to who owes it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from parley.conformance.requirements.catalogue import all_requirements
from tests.requirements.evidence import (
    AWAITED,
    OTHERS,
    ROOT,
    Evidence,
    all_evidence,
    figures,
    names_in,
)

# How many requirements each group has; their ids count from one. The files must agree.
GROUPS = {
    "RPC": 30, "STD": 16, "NEG": 18, "DEC": 17, "EXT": 16, "CAN": 13,
    "V1-INIT": 12, "V1-AUTH": 14, "V1-SES": 10, "V1-LOAD": 9, "V1-RES": 4, "V1-CLO": 4,
    "V1-DIR": 9, "V1-MCP": 7, "V1-LST": 10, "V1-DEL": 3, "V1-PRM": 15, "V1-CNC": 9, "V1-CNT": 5,
    "V1-TC": 12, "V1-PER": 8, "V1-PLN": 4, "V1-CMD": 4, "V1-FS": 9, "V1-TRM": 15, "V1-MOD": 6,
    "V1-CFG": 12, "V1-ELI": 20, "V1-NOT": 3, "V1-CMP": 4, "V1-U": 17,
    "V2-INIT": 9, "V2-AUTH": 10, "V2-SES": 4, "V2-RES": 12, "V2-CLO": 7, "V2-LST": 4, "V2-DEL": 2,
    "V2-DIR": 1, "V2-MCP": 7, "V2-PRM": 25, "V2-BGW": 5, "V2-CNC": 10, "V2-TCX": 5, "V2-MSG": 6,
    "V2-TC": 9, "V2-TRM": 10, "V2-DIF": 6, "V2-ICO": 1, "V2-PER": 11, "V2-PLN": 4, "V2-CFG": 6,
    "V2-CMD": 3, "V2-ELI": 5, "V2-USE": 1, "V2-NOT": 1, "V2-CMP": 1, "V2-ERR": 1, "V2-SDK": 1,
    "IAC": 26, "SEE": 8,
}  # fmt: skip
IDS = {f"{group}-{number:02}" for group, count in GROUPS.items() for number in range(1, count + 1)}

# The source of the ids, where it lies beside the repository. Remote transports are not in yet.
UPSTREAM = ROOT.parent / "shared" / "protocol" / "requirements.md"
LATER = ("HTT-", "WSK-", "PRX-", "MCA-")

SHARE = 0.95
"""The part of the duties of what is here that tests must prove."""
MOST_AWAITED = 5
"""How many duties may wait for parts to come. It shrinks with every part; it never grows."""


def test_every_id_is_in_the_catalogue_and_no_other() -> None:
    assert {each.id for each in all_requirements()} == IDS


def test_every_id_has_its_evidence_in_the_file_of_its_topic() -> None:
    wanted = [(each.id, each.topic) for each in all_requirements()]
    assert [(each.id, each.topic) for each in all_evidence()] == wanted


def test_the_catalogue_says_what_its_source_says() -> None:
    sides = {"A": "agent", "C": "client", "B": "both"}
    here = {each.id: (sides[each.side[0].upper()], each.level) for each in all_requirements()}
    source = {id: (sides[side], level) for id, side, level in _upstream(UPSTREAM)}
    # Without the source there is nothing to compare; the groups above hold by themselves.
    assert here == (source or here)


@pytest.mark.parametrize("each", all_evidence(), ids=lambda each: each.id)
def test_the_evidence_is_tests_that_exist_or_a_reason(each: Evidence) -> None:
    assert bool(each.tests) != bool(each.reason)
    assert bool(each.reason) == bool(each.owner)
    assert each.owner in {None} | AWAITED | OTHERS
    assert len(set(each.tests)) == len(each.tests)
    missing = [test for test in each.tests if not _exists(test)]
    assert missing == []


def test_a_test_that_does_not_exist_is_noticed() -> None:
    here = "tests/requirements/test_requirements.py"
    assert _exists(f"{here}::test_a_test_that_does_not_exist_is_noticed")
    assert not _exists(f"{here}::test_that_nobody_wrote")
    assert not _exists("tests/requirements/test_nowhere.py::test_that_nobody_wrote")


def test_no_duty_is_owed_by_nobody() -> None:
    duties = {each.id for each in all_requirements() if each.binding}
    assert [
        each.id for each in all_evidence() if each.owner == "nobody" and each.id in duties
    ] == []


def test_nearly_every_duty_of_what_is_here_is_proved() -> None:
    found = figures(all_requirements())
    assert found.share >= SHARE, str(found)
    assert found.binding_with_tests >= SHARE * found.binding, str(found)
    assert found.binding_awaited <= MOST_AWAITED, str(found)


def test_every_id_that_the_code_names_is_a_requirement() -> None:
    named = re.compile(rf"\b(?:{'|'.join(GROUPS)})-\d\d\b")
    strangers: list[str] = []
    for folder in ("src", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            found = set(named.findall(path.read_text(encoding="utf-8"))) - IDS
            strangers += [f"{path.relative_to(ROOT)}: {id}" for id in sorted(found)]
    assert strangers == []


def _exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return name in names_in(path)


def _upstream(file: Path) -> Iterator[tuple[str, str, str]]:
    """The ids of the source with side and level."""
    row = re.compile(r"\| ([A-Z0-9-]+-\d\d) \| (\w) \| ([A-Z ]+?)(?: \(ref\))? \|")
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        found = row.match(line)
        if found and not found[1].startswith(LATER):
            yield found[1], found[2], found[3]
