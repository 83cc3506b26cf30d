"""Agents that are imperfect in every way we know of: what the user of `parley run` sees.

The runs are made once, several at a time; each test looks at one of them.
"""

import json
import re

import pytest

from parley.frontend.headless.exit_code import ExitCode
from tests.architecture.source_tree import ROOT
from tests.frontend.headless.fault_cases import AS_FINAL, AS_JSON, ROWS, Row
from tests.frontend.headless.many_runs import Case, Seen, play

# All runs are made before the first test.
pytestmark = pytest.mark.timeout(240)

# Beyond what the options allow: the way out of an agent that does not listen, and a busy machine.
_MOST_SECONDS = 40.0


@pytest.fixture(scope="module")
def seen() -> dict[str, Seen]:
    cases = [row.case for row in (*ROWS, *AS_FINAL)] + AS_JSON
    assert len({case.name for case in cases}) == len(cases)
    return play(cases)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_the_user_sees_what_went_wrong_and_nothing_else(row: Row, seen: dict[str, Seen]) -> None:
    run = seen[row.case.name]
    assert (run.code, run.out) == (row.code, row.out), run.err
    assert _in_order(run.err, row.says), run.err
    assert row.says or not run.err, run.err
    assert "Traceback" not in run.err
    assert run.left == 0
    assert run.seconds < _MOST_SECONDS


@pytest.mark.parametrize("row", AS_FINAL, ids=str)
def test_the_answer_alone_is_on_stdout(row: Row, seen: dict[str, Seen]) -> None:
    run = seen[row.case.name]
    assert (run.code, run.out) == (row.code, row.out)


@pytest.mark.parametrize("case", AS_JSON, ids=lambda case: case.habits)
def test_every_line_is_an_event_and_the_last_one_is_the_result(
    case: Case, seen: dict[str, Seen]
) -> None:
    run = seen[case.name]
    events = [json.loads(line) for line in run.out.splitlines()]
    assert all(isinstance(each["event"], str) for each in events)
    assert [each["event"] for each in events].count("result") == 1
    result = events[-1]
    outcome = ExitCode(run.code).outcome
    assert (result["event"], result["exitCode"], result["outcome"]) == ("result", run.code, outcome)
    assert run.out.isascii()


def test_what_is_not_shown_is_not_kept(seen: dict[str, Seen]) -> None:
    # It is told 70 MB about sessions that are not its own.
    assert seen["other_session file"].peak_mb < seen[" file"].peak_mb + 20


def test_each_exit_status_has_its_row_and_is_documented() -> None:
    document = ROOT.joinpath("docs", "run.md").read_text(encoding="utf-8")
    cells: list[str] = re.findall(r"^\| ([\d, ]+) \| [a-z_, ]+ \|", document, re.M)
    documented = {int(number) for cell in cells for number in cell.split(",")}
    assert {row.code for row in ROWS} == {int(code) for code in ExitCode} == documented


def test_what_is_missing_or_out_of_order_is_noticed() -> None:
    assert _in_order("a b c", ("a", "c"))
    assert not _in_order("a b c", ("c", "a"))
    assert not _in_order("a b c", ("a", "d"))


def _in_order(text: str, parts: tuple[str, ...]) -> bool:
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True
