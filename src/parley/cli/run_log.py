"""Where the records of the library go while a run runs: beside the output, as safe lines.

Without this they would be written over whatever the terminal shows, with the agent's own words in
them. What an agent did wrong and nobody minded is told only to who wants to know everything, and
when the run has failed.
"""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager

from parley.frontend.headless.screen import Tone

_KEPT = 8
_LONGEST = 500

Say = Callable[[str, Tone], None]


class RunLog(logging.Handler):
    """Says records at once, or keeps the last ones until it is known whether they matter."""

    def __init__(self, say: Say, *, verbose: bool) -> None:
        super().__init__(logging.WARNING)
        self._say = say
        self._verbose = verbose
        self._kept: dict[str, str] = {}
        """The last record of each kind: the same thing may go wrong a thousand times."""

    def emit(self, record: logging.LogRecord) -> None:
        text = _text(record)
        if self._verbose:
            self._say(f"noticed: {text}", "dim")
        elif record.levelno >= logging.ERROR:
            self._say(f"noticed: {text}", "warning")
        else:
            self._kept.pop(kind := text.rpartition(": ")[2], None)
            self._kept[kind] = text
            if len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]

    def tell_kept(self) -> None:
        """The run has failed: what was kept may be the reason."""
        for text in self._kept.values():
            self._say(f"noticed: {text}", "plain")
        self._kept.clear()


@contextmanager
def records_to(say: Say, *, verbose: bool) -> Generator[RunLog]:
    """Let all records of this process be said this way for a block."""
    log, root = RunLog(say, verbose=verbose), logging.getLogger()
    root.addHandler(log)
    try:
        yield log
    finally:
        root.removeHandler(log)


def _text(record: logging.LogRecord) -> str:
    text = record.getMessage()
    if record.exc_info and record.exc_info[1] is not None:
        error = record.exc_info[1]
        text = f"{text}: {type(error).__name__}: {error}"
    return text[:_LONGEST]
