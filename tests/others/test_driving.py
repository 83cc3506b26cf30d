"""A stranger is driven with a real `parley run`; here the strangers are our own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.others import driving
from tests.others.driving import Seen, drive
from tests.others.judging import NO, NONE, YES, judge
from tests.others.strangers import Stranger

PARLEY = str(Path(sys.executable).with_name("parley"))


def test_a_turn_of_an_agent_without_tools_is_seen_whole(tmp_path: Path) -> None:
    seen = drive(_scripted("hello-agent"), tmp_path, tmp_path / "scratch", "allow")
    assert (seen.status, seen.protocol, seen.stop_reason) == (0, 1, "end_turn")
    assert seen.left_behind == ()
    row = judge(_scripted("hello-agent"), {"allow": seen})
    assert row.steps == (YES, YES, YES, NONE, NONE, NONE, NONE, NONE)
    assert row.good


def test_an_agent_that_dies_is_a_row_that_says_why(tmp_path: Path) -> None:
    stranger = _scripted("faults/dies-mid-turn")
    seen = drive(stranger, tmp_path, tmp_path / "scratch", "allow")
    row = judge(stranger, {"allow": seen})
    assert row.steps[:3] == (YES, YES, NO)
    assert not row.good
    assert "went away" in row.remarks[0]


def test_an_interrupted_turn_is_seen_to_be_cancelled(tmp_path: Path) -> None:
    script = tmp_path / "waits.json"
    script.write_text(json.dumps(_waiting()))
    stranger = _scripted(str(script))
    seen = drive(stranger, tmp_path, tmp_path / "scratch", "interrupt")
    assert (seen.status, seen.stop_reason) == (5, "cancelled")


def test_a_process_that_outlives_the_run_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "_LEAVING_SECONDS", 0.0)
    sleeper = ["sleep", "30"]
    with subprocess.Popen(sleeper, env={"PARLEY_OTHERS_RUN": "left", "PATH": "/usr/bin:/bin"}) as p:
        try:
            found = driving.left_behind("left")
        finally:
            p.kill()
    assert found == ("sleep",)


def test_the_reason_of_a_run_that_printed_nothing_is_its_status() -> None:
    assert Seen(9, (), "", 0.1, None).trouble == "exit status 9"


def _scripted(name: str) -> Stranger:
    return Stranger(
        name,
        "PyPI",
        ("parley==1",),
        lambda folder: [PARLEY, "scripted-agent", name],
        tool=False,
        permission=False,
    )


def _waiting() -> dict[str, Any]:
    """Begins a turn and waits to be cancelled."""
    said = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Begun"}}
    started: dict[str, Any] = {"protocolVersion": 1, "agentCapabilities": {}}
    return {
        "scenario": 1,
        "name": "waits",
        "plays": "agent",
        "protocol": 1,
        "always": [{"method": "initialize", "result": started}],
        "steps": [
            {"do": "receive", "method": "session/new", "result": {"sessionId": "s"}},
            {"do": "receive", "method": "session/prompt", "as": "turn"},
            {
                "do": "notify",
                "method": "session/update",
                "params": {"sessionId": "s", "update": said},
            },
            {"do": "receive", "method": "session/cancel"},
            {"do": "answer", "to": "turn", "result": {"stopReason": "cancelled"}},
        ],
    }
