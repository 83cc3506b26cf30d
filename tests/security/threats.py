"""The table of threats: read from `threats.toml`, shown in the manual, and run as a campaign.

    python -m tests.security.threats

prints it as it stands in `docs/security.md`.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct, convert

from tests.security.campaign import Result

FILE = Path(__file__).with_name("threats.toml")
ROOT = FILE.parents[2]
ROWS = 30
AWAITED = "remote transports"
"""The only part that is not here yet; rows about it wait for it."""


class Threat(Struct, frozen=True, forbid_unknown_fields=True):
    threat: str
    defence: str
    tests: tuple[str, ...] = ()
    owner: str | None = None
    reason: str | None = None


@cache
def threats() -> dict[int, Threat]:
    """The rows by their numbers."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {int(number): convert(row, Threat) for number, row in rows.items()}


def every_test() -> list[str]:
    """The tests of all rows, each once."""
    return list(dict.fromkeys(test for row in threats().values() for test in row.tests))


def manual() -> str:
    """The table as the manual has it."""
    lines: list[str] = []
    for number, row in threats().items():
        lines += [f"**{number}. {row.threat}.** {row.defence}", ""]
        lines += [f"- `{test}`" for test in row.tests]
        lines += [f"- {row.reason}"] if row.reason else []
        lines.append("")
    return "\n".join(lines)


def campaign() -> Iterator[Result]:
    """Run the tests of all rows."""
    tests = every_test()
    ran = subprocess.run(
        (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    failures = re.findall(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
    if ran.returncode != 0 and not failures:
        failures = [f"the tests ended with status {ran.returncode}"]
    proved = sum(bool(row.tests) for row in threats().values())
    counted = re.search(r"(\d+) passed", ran.stdout)
    cases = counted[1] if counted else "0"
    how = f"{len(tests)} tests, {cases} cases; {ROWS - proved} rows wait for {AWAITED}"
    yield Result("threat rows with their regression tests", proved, ROWS - 2, tuple(failures), how)


if __name__ == "__main__":
    sys.stdout.write(manual())
