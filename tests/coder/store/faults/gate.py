"""Lets calls pass up to the n-th one, which fails, alone or with all that follow."""

import errno
from collections import Counter

from tests.coder.store.faults.listener import SHORT, Listener

# A call that was interrupted is made again, and SQLite would do so for ever.
_MOST_INTERRUPTIONS = 8


class Gate(Listener):
    """Counts calls while it is armed, and refuses some."""

    def __init__(self) -> None:
        self.calls = 0
        self.refused = 0
        self.by_call: Counter[str] = Counter()
        """How often which call was refused, over all uses."""
        self.last = ""
        """What was refused last, for a person."""
        self._armed = False
        self._first = 0
        self._number = 0
        self._most = 0

    def arm(self, first: int, number: int, *, lasting: bool) -> None:
        """Have the call with this place fail; `lasting` means that all later ones do, too."""
        self.calls, self.refused, self.last = 0, 0, ""
        self._first, self._number = first, number
        self._most = 1
        if lasting:
            self._most = _MOST_INTERRUPTIONS if number == errno.EINTR else 10**9
        self._armed = True

    def disarm(self) -> None:
        self._armed = False

    def refusal(self, call: str, path: str) -> int:
        if not self._armed:
            return 0
        self.calls += 1
        if self.calls < self._first or self.refused >= self._most:
            return 0
        if self._number == SHORT and call not in ("write", "pwrite", "pwrite64"):
            # Only what is written can be cut short; the count goes on to the next such call.
            return 0
        self.refused += 1
        self.by_call[call] += 1
        self.last = f"{call} {path.rpartition('/')[2]}"
        return self._number
