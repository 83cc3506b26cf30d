"""`parley sessions` on an agent of somebody else, through the protocol."""

import json
import sys
from pathlib import Path

import pytest

from parley.cli.main import main
from tests.cli.session_stage import enter
from tests.frontend.tricks import TRICKS, leaked

AGENT = [sys.executable, str(Path(__file__).parent / "programs/listing_agent.py")]

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    enter(tmp_path, monkeypatch)
    return tmp_path


def sessions(*arguments: str, can: str = "list load fork delete") -> int:
    return main(["sessions", *arguments, "--", *AGENT, *can.split()])


def test_all_pages_of_an_agent_are_listed(capsys: Capture) -> None:
    assert sessions("--all", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["sessionId"] for each in found] == ["one-of-them", "another-one"]
    assert sessions("--cwd", "/there") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split("  ") == ["another-", "2026-02-01", "The second"]


def test_an_agent_that_repeats_its_pages_does_not_keep_us(capsys: Capture) -> None:
    assert sessions("--all", "--json", can="list loop") == 0
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_a_session_is_shown_by_loading_it(capsys: Capture) -> None:
    assert sessions("show", "one-") == 0
    shown = capsys.readouterr().out
    assert "\nyou\nthe story of one-of-them\n\nagent\nThe first" in shown


def test_sessions_of_an_agent_are_searched_by_loading_them(capsys: Capture) -> None:
    assert sessions("search", "story of another") == 0
    assert capsys.readouterr().out.startswith("another-  The second\n")


@pytest.mark.parametrize("can", ["list fork", "old list fork"])
def test_a_fork_is_told_by_its_id(can: str, capsys: Capture) -> None:
    assert sessions("fork", "one-of-them", can=can) == 0
    assert len(capsys.readouterr().out.strip()) > 8


def test_what_cannot_be_deleted_does_not_keep_the_others(capsys: Capture) -> None:
    assert sessions("delete", "another-one", "one-of-them") == 1
    shown = capsys.readouterr().err
    assert "parley sessions: The first: not this one" in shown
    assert "deleted one-of-them  The first" in shown


@pytest.mark.parametrize(
    ("arguments", "can", "problem"),
    [
        (["--all"], "old load", "cannot list its sessions\ntry: name one by its whole id"),
        (["show", "one-of-them"], "old list", "cannot load a session\n"),
        (["fork", "one-of-them"], "list load", "cannot fork a session\n"),
        (["delete", "one-of-them"], "list load", "cannot delete a session\n"),
        (["delete", "one-of-them"], "list delete liar", "cannot delete a session\n"),
    ],
)
def test_what_an_agent_cannot_do_is_said_clearly(
    arguments: list[str], can: str, problem: str, capsys: Capture
) -> None:
    assert sessions(*arguments, can=can) == 1
    assert f"parley sessions: the agent (The first) {problem}" in capsys.readouterr().err


def test_without_a_list_a_session_is_loaded_by_its_whole_id(capsys: Capture) -> None:
    assert sessions("show", "one-of-them", can="old load") == 0
    assert "the story of one-of-them" in capsys.readouterr().out


def test_an_agent_that_dies_is_reported_with_its_last_words(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LISTING_TEXT", "\x1b[31mred\u202e")
    assert sessions("--all", can="die") == 1
    shown = capsys.readouterr().err
    assert "dying: \\u001b[31mred\\u202e" in shown
    assert leaked(shown) == []


def test_an_agent_is_found_by_its_name(home: Path, capsys: Capture) -> None:
    path = home / ".config/parley/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f"[agents.mine]\ncommand = '{AGENT[0]}'\nargs = ['{AGENT[1]}', 'list']\n")
    assert main(["sessions", "--all", "--agent", "mine", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2
    assert main(["sessions", "--agent", "nobody"]) == 1
    assert "`nobody` is no agent that is known" in capsys.readouterr().err


def test_no_trick_of_an_agent_reaches_the_terminal(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = "\n".join(trick.text for trick in TRICKS).replace("\0", "")
    monkeypatch.setenv("LISTING_TEXT", every.encode("utf-8", "replace").decode())
    for arguments in (
        ["--all"],
        ["show", "one-", "--full"],
        ["export", "one-"],
        ["delete", "anot"],
    ):
        sessions(*arguments)
        shown = capsys.readouterr()
        assert leaked(shown.out + shown.err) == [], arguments
    sessions("fork", "one-", can="list")
    assert leaked(capsys.readouterr().err) == []
