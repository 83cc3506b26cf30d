"""Sixty turns with a model whose window is small; `long_conversation` holds longer ones."""

import asyncio
from pathlib import Path

from tests.coder.long_conversation import WINDOW, converse


def test_a_long_session_stays_in_the_window_and_loses_nothing(tmp_path: Path) -> None:
    report = asyncio.run(converse(tmp_path, 60))
    assert report.compactions > 2
    assert report.refused == 0
    assert report.largest < WINDOW * 0.85
    assert report.late < report.early * 1.25
    assert (report.facts_asked, report.facts_known) == (3, 3)
    assert report.detail_recalled
    assert report.loaded == report.told == 122
    assert report.spent == report.requests + report.summaries


def test_a_window_that_is_smaller_than_the_model_is_known_for_costs_one_refusal(
    tmp_path: Path,
) -> None:
    report = asyncio.run(converse(tmp_path, 40, window=12_000, claimed=48_000))
    assert report.refused == 1
    assert (report.facts_asked, report.facts_known) == (2, 2)
    assert report.loaded == report.told
