"""A step counts only when everything that belongs to it was seen."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.others.driving import TEXT, Manner, Seen
from tests.others.judging import HEAD, NO, YES, judge, not_there, table
from tests.others.strangers import STRANGERS, Stranger

WRITER = Stranger("writer", "npm", ("writer@1.2.3",), lambda folder: [], writes=True)
STARTED: dict[str, Any] = {"result": {"protocolVersion": 1}}


def test_a_file_that_was_allowed_and_written_and_refused_and_not_written_is_good() -> None:
    row = judge(WRITER, _runs(_seen(allowed=True), _seen(allowed=False)))
    assert row.steps == (YES,) * 8
    assert row.good
    assert row.cells == ("writer", "1.2.3", "1", *(YES,) * 8, "1.0", "-")


def test_a_file_that_was_allowed_but_not_written_is_not_good() -> None:
    row = judge(WRITER, _runs(_seen(allowed=True, written=None), _seen(allowed=False)))
    assert row.steps[4] == NO
    assert not row.good


def test_a_refusal_that_writes_or_does_not_tell_is_not_good() -> None:
    wrote = judge(WRITER, _runs(_seen(allowed=True), _seen(allowed=False, written=TEXT)))
    silent = judge(WRITER, _runs(_seen(allowed=True), _seen(allowed=False, status=0)))
    assert (wrote.steps[5], silent.steps[5]) == (NO, NO)
    assert wrote.remarks == ("refuse: why",)


def test_who_never_asks_is_not_good() -> None:
    row = judge(WRITER, _runs(_seen(allowed=None), _seen(allowed=None)))
    assert row.steps[4:6] == (NO, NO)


def test_processes_that_stay_are_told() -> None:
    row = judge(WRITER, _runs(_seen(allowed=True, left=("node",)), _seen(allowed=False)))
    assert row.remarks == ("left behind: node",)
    assert not row.good


def test_the_table_has_a_line_for_who_could_not_be_installed() -> None:
    text = table([not_there(WRITER, "no network")])
    head, rule, line = text.splitlines()
    assert [cell.strip() for cell in head.strip("|").split("|")] == list(HEAD)
    assert len(head) == len(rule) == len(line)
    assert "not installed: no network" in line


def test_every_stranger_is_pinned_and_has_a_name_of_its_own() -> None:
    assert len({stranger.name for stranger in STRANGERS}) == len(STRANGERS)
    for stranger in STRANGERS:
        for package in stranger.packages:
            version = package.replace("==", "@").rpartition("@")[2]
            assert version.replace(".", "").isdigit(), package
        assert stranger.command(Path("/folder"))


def test_a_turn_in_another_session_was_no_continuation() -> None:
    other = Seen(0, ({**OPENED, "sessionId": "other"}, ENDED), "", 1.0, None)
    row = judge(WRITER, {**_runs(_seen(allowed=True), _seen(allowed=False)), "again": other})
    assert (row.steps[7], row.good) == (NO, False)


def test_a_step_that_is_known_to_fail_is_told_but_does_not_count() -> None:
    other = Seen(1, (), "why", 1.0, None)
    gap = replace(WRITER, gaps=("continued",))
    row = judge(gap, {**_runs(_seen(allowed=True), _seen(allowed=False)), "again": other})
    assert (row.steps[7], row.remarks, row.good) == ("no", ("again: why",), True)


def test_a_turn_that_only_our_patience_ended_was_not_cancelled_by_the_agent() -> None:
    row = judge(WRITER, {**_runs(_seen(allowed=True), _seen(allowed=False)), "interrupt": LEFT})
    assert (row.steps[6], row.good) == (NO, False)


LEFT = Seen(5, ({"event": "turn_ended", "stopReason": None},), "why", 1.0, None)
OPENED: dict[str, Any] = {"event": "session_opened", "sessionId": "s"}
ENDED: dict[str, Any] = {"event": "turn_ended", "stopReason": "end_turn"}
AGAIN = Seen(0, (OPENED, ENDED), "", 1.0, None)
CANCELLED = Seen(5, ({"event": "turn_ended", "stopReason": "cancelled"},), "", 1.0, None)


def _runs(allowing: Seen, refusing: Seen) -> dict[Manner, Seen]:
    return {"allow": allowing, "refuse": refusing, "interrupt": CANCELLED, "again": AGAIN}


def _seen(
    *,
    allowed: bool | None,
    written: str | None = "",
    status: int | None = None,
    left: tuple[str, ...] = (),
) -> Seen:
    """A run as it should be, but for what is given."""
    events: list[dict[str, Any]] = [
        OPENED,
        {"event": "tool_call_changed", "status": "completed" if allowed else "failed"},
        {"event": "turn_ended", "stopReason": "end_turn"},
    ]
    if allowed is not None:
        events.append({"event": "permission_answered", "allowed": allowed})
    usual = (0, TEXT) if allowed else (6, None)
    return Seen(
        usual[0] if status is None else status,
        tuple(events),
        "why",
        1.0,
        usual[1] if written == "" else written,
        left,
        (STARTED,),
    )
