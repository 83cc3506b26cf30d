"""`parley scripted-client`, with a scripted agent as its agent."""

import sys

import pytest

from parley.cli.main import main

PROGRAM = "import sys; from parley.cli.main import main; sys.exit(main())"
AGENT = [sys.executable, "-c", PROGRAM, "scripted-agent"]


def test_a_whole_turn_between_two_processes(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["scripted-client", "v1/turn-client", "--", *AGENT, "v1/turn-agent"]) == 0
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "ok: `v1/turn-client` as client, version 1" in shown.err


def test_an_agent_that_says_something_else_gives_status_1(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["scripted-client", "v2/turn-client", "--", *AGENT, "v1/turn-agent"]) == 1
    shown = capfd.readouterr().err
    assert "FAILED: `v2/turn-client` as client, version 2" in shown
    assert "FAILED: `v1/turn-agent` as agent, version 1" in shown


def test_an_agent_that_cannot_be_started_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scripted-client", "v1/turn-client", "--", "./no-such-agent"]) == 1
    assert "no-such-agent" in capsys.readouterr().err


def test_the_agent_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scripted-client", "v1/turn-client"]) == 2
    assert "write its command after `--`" in capsys.readouterr().err


def test_the_list_names_scenarios_for_clients_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["scripted-client", "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert "habits/string-ids" in names
    assert "hello-agent" not in names
