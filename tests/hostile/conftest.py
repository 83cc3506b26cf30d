"""Fixtures of the hostile suite, and the line with its counts at the end of a run."""

from collections.abc import Iterator

import pytest

from tests.hostile.ledger import Ledger, Shared

_LEDGER = pytest.StashKey[Ledger]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_LEDGER] = Ledger()


@pytest.fixture(scope="session")
def ledger(request: pytest.FixtureRequest) -> Ledger:
    return request.config.stash[_LEDGER]


@pytest.fixture(scope="session")
def shared() -> Iterator[Shared]:
    agents = Shared()
    yield agents
    agents.close()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    ledger = config.stash[_LEDGER]
    if not ledger.runs:
        return
    done = {
        outcome: sum("tests/hostile/" in report.nodeid for report in reports)
        for outcome in ("passed", "failed")
        if (reports := terminalreporter.getreports(outcome))
    }
    counts = ", ".join(f"{count} tests {outcome}" for outcome, count in done.items())
    terminalreporter.write_line(f"{ledger}; {counts}")
