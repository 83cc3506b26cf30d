"""What `parley doctor` says about the content of projects that the user trusts."""

from collections.abc import Iterator
from pathlib import Path

from parley.cli.finding import Finding
from parley.coder.trust.book import FILE, TrustBook


def trust_findings(data: Path) -> Iterator[Finding]:
    """How many agreements there are, if any, and whether their file is believed."""
    count, problem = TrustBook(data).examined()
    path = data / FILE
    if problem:
        what = f"{path} {problem}, so nothing of any project is trusted"
        yield Finding("trust", "problem", what, f"remove it (rm -r {path}), and use /trust again")
    elif count:
        yield Finding("trust", "ok", f"{count} of what projects bring along, kept in {path}")
