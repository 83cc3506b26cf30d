"""The report says what a person needs to see what went wrong."""

import pytest

from parley.conformance.player_report import Mismatch, Report, Traffic
from parley.rpc.transport import Oversize

TRAFFIC = (
    Traffic("out", b"x" * 310, "raw"),
    Traffic("in", Oversize(70, b"{", 64)),
    Traffic("in", b"{}"),
)


def test_a_good_report_is_one_line_and_what_nobody_expected() -> None:
    report = Report("s", "agent", 1, 3, (), ("request `a`",), TRAFFIC)
    assert report.ok
    assert report.text().splitlines() == [
        "ok: `s` as agent, version 1 (3 steps, 1 sent, 2 received)",
        "  unexpected: request `a`",
    ]
    report.check()


def test_a_bad_report_names_the_step_and_shows_the_last_frames() -> None:
    report = Report("s", "client", 2, 3, (Mismatch("4 (`receive`)", "a", "b"),), (), TRAFFIC)
    assert not report.ok
    assert report.text().splitlines() == [
        "FAILED: `s` as client, version 2 (3 steps, 1 sent, 2 received)",
        "  step 4 (`receive`)",
        "    expected: a",
        "    actual:   b",
        "  the last frames:",
        f"    -> [raw] {'x' * 300}… (10 more bytes)",
        "    <- a frame of 70 bytes, over the limit",
        "    <- {}",
    ]
    with pytest.raises(AssertionError, match="FAILED: `s` as client"):
        report.check()
    assert report.received == (Oversize(70, b"{", 64), b"{}")
