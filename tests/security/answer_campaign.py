"""Answers to permission questions that are not a clear yes, sent to a real agent.

    python -m tests.security.answer_campaign

Each goes over the wire in both versions of the protocol, for a tool that writes and for one that
runs a command.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.agent.raw_process import Json
from tests.agent.refusals import FORMS, LINES, SCRIPT, TOOLS, answering, check_denied
from tests.agent.stage import Stage, staged
from tests.security.campaign import Result, table

Answer = Callable[[Stage, Json], None]


def failures(version: int, folder: Path) -> Iterator[str]:
    """The answers that were taken for a yes."""
    with staged(SCRIPT, folder, version) as stage:
        for name, form in FORMS.items():
            stage.client.answers = answering(stage, form)
            yield from _failure(stage, f"version {version}: {name}")
        for name, answer in LINES.items():
            stage.client.answers = _bound(stage, answer)
            yield from _failure(stage, f"version {version}: {name}")


def campaign() -> Iterator[Result]:
    found: list[str] = []
    for version in (1, 2):
        with tempfile.TemporaryDirectory(prefix="answers-") as folder:
            found += failures(version, Path(folder))
    how = f"versions 1 and 2, {len(TOOLS)} tools: {4 * (len(FORMS) + len(LINES))} questions"
    yield Result(
        "permission answers that are no yes", len(FORMS) + len(LINES), 30, tuple(found), how
    )


def _bound(stage: Stage, answer: Answer) -> Callable[[Json], None]:
    return lambda request: answer(stage, request)


def _failure(stage: Stage, name: str) -> Iterator[str]:
    try:
        check_denied(stage.open())
    except AssertionError:
        yield name


if __name__ == "__main__":
    rows = list(campaign())
    sys.stdout.write("\n".join(table(rows)) + "\n")
    sys.exit(not all(row.holds for row in rows))
