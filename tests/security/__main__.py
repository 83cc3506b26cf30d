"""The security table: every campaign in its full form, with counts.

    python -m tests.security [PART...]

Without a part all of them run, which takes some minutes. The exit status is 1 if something that
must not work did.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator

from tests.security import (
    answer_campaign,
    bait_campaign,
    mode_campaign,
    path_campaign,
    sandbox_campaign,
    secret_campaign,
    shell_campaign,
    shell_fuzz,
    threats,
    web_campaign,
)
from tests.security.campaign import Result, table

PARTS: dict[str, Callable[[], Iterator[Result]]] = {
    "baits": bait_campaign.campaign,
    "paths": path_campaign.campaign,
    "shell": shell_campaign.campaign,
    "lines": shell_fuzz.campaign,
    "web": web_campaign.campaign,
    "sandbox": sandbox_campaign.campaign,
    "secrets": secret_campaign.campaign,
    "modes": mode_campaign.campaign,
    "answers": answer_campaign.campaign,
    "threats": threats.campaign,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("part", nargs="*", metavar="PART", help=f"some of: {', '.join(PARTS)}")
    chosen: list[str] = parser.parse_args().part or list(PARTS)
    if strangers := [name for name in chosen if name not in PARTS]:
        parser.error(f"there is no part {strangers[0]!r}; there are {', '.join(PARTS)}")
    rows: list[Result] = []
    for name in chosen:
        begun = time.monotonic()
        try:
            rows += PARTS[name]()
        except Exception as error:
            # One that breaks off costs its row, not what the others have found.
            rows.append(Result(name, 0, 1, (f"it broke off: {error!r}",)))
        sys.stderr.write(f"{name}: {time.monotonic() - begun:.0f} s\n")
    sys.stdout.write("\n".join(table(rows)) + "\n")
    return int(not all(row.holds for row in rows))


if __name__ == "__main__":
    sys.exit(main())
