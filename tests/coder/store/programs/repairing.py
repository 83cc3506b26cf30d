"""Forks processes that repair a store, or only have it open; each may be killed any time.

Every line on stdin is one order: the folder and the manner. A number has the repair kill itself at
that step: whenever it opens, renames, removes or changes the mode of something. A fraction such as
`0.012` has it killed after so many seconds, `share` has the store open until killed.
"""

import os
import signal
import sys
import time
from pathlib import Path

from parley.coder.store.database import Database
from parley.coder.store.repair import repair

STEPS = ("open", "os.", "sqlite3.", "fcntl.")


def say(*words: object) -> None:
    # One write of less than a page is never mixed with another.
    os.write(1, (" ".join(str(word) for word in words) + "\n").encode())


def die_at(step: int) -> None:
    seen = 0

    def count(event: str, values: tuple[object, ...]) -> None:
        nonlocal seen
        if event.startswith(STEPS):
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def work(folder: Path, manner: str) -> None:
    if manner == "share":
        database = Database(folder)
        database.connection()
        say("ready")
        signal.pause()
    if "." not in manner:
        die_at(int(manner))
    repair(folder, lambda text: None)


def main() -> None:
    say("begun")
    for line in sys.stdin:
        folder, manner = line.split()
        pid = os.fork()
        if pid == 0:
            work(Path(folder), manner)
            os._exit(0)
        say("forked", pid)
        if "." in manner:
            time.sleep(float(manner))
            # It is not waited for yet, so the number is still its own.
            os.kill(pid, signal.SIGKILL)
        say("ended", os.waitpid(pid, 0)[1])


main()
