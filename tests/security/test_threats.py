"""Every row of the table of threats has tests that exist, and the manual says the same."""

import pytest

from tests.requirements.evidence import names_in
from tests.security.threats import AWAITED, ROOT, ROWS, Threat, every_test, manual, threats


def test_no_row_is_missing() -> None:
    assert list(threats()) == list(range(1, ROWS + 1))


@pytest.mark.parametrize("row", threats().values(), ids=threats())
def test_a_row_has_tests_that_exist_or_waits_for_a_part_to_come(row: Threat) -> None:
    assert bool(row.tests) != bool(row.reason)
    assert row.owner == (AWAITED if row.reason else None)
    assert len(set(row.tests)) == len(row.tests)
    assert [test for test in row.tests if not _exists(test)] == []


def test_there_are_enough_regression_tests() -> None:
    assert len(every_test()) >= 40
    assert sum(bool(row.reason) for row in threats().values()) <= 2


def test_a_test_that_does_not_exist_is_noticed() -> None:
    here = "tests/security/test_threats.py"
    assert _exists(f"{here}::test_no_row_is_missing")
    assert not _exists(f"{here}::test_that_nobody_wrote")


def test_the_manual_has_the_whole_table() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    # `python -m tests.security.threats` prints what belongs there.
    assert manual() in text


def _exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return name in names_in(path)
