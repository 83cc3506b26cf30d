"""What `parley doctor` says about the content of projects that the user trusts."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from parley.cli.finding import Finding
from parley.coder.trust.book import ASIDE, FILE, TrustBook


def trust_findings(data: Path) -> Iterator[Finding]:
    """How many agreements there are, if any, and whether their file is believed."""
    count, problem = TrustBook(data).examined()
    path = data / FILE
    if problem:
        what = f"{path} {problem}, so nothing of any project is trusted"
        remove = f"rm -r {shlex.quote(str(path))}"
        yield Finding("trust", "problem", what, f"remove it ({remove}), and use /trust again")
    elif count:
        things = "one thing" if count == 1 else f"{count} things"
        yield Finding("trust", "ok", f"you trust {things} that projects bring along ({path})")
    for aside in sorted(data.glob(f"{ASIDE}*")):
        what = f"{aside} was not believed when you last used /trust, and kept aside"
        remove = f"rm {shlex.quote(str(aside))}"
        yield Finding("trust", "note", what, f"remove it when you do not need it ({remove})")
