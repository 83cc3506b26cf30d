"""The line with the figures at the end of a run."""

import pytest

from parley.conformance.requirements.catalogue import all_requirements
from tests.requirements.evidence import figures


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    if any("tests/requirements/" in report.nodeid for report in reports):
        terminalreporter.write_line(f"requirements: {figures(all_requirements())}")
