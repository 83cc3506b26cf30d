"""`parley acp` with a stopwatch in its store: `python -m bench.soak_agent TIMES acp ...`.

Everything that is written to the store is timed where it happens, and each time is added to the
file `TIMES` at once, so that the watch itself takes no memory. Otherwise it is the real program.
"""

import os
import struct
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from parley.cli.main import main
from parley.coder.store import store
from parley.coder.store.failure import StoreFailed
from parley.coder.store.writer import Lane, Writer

_ROW = struct.Struct("=?d")


class _TimedWriter(Writer):
    times: int
    """The descriptor of the file."""

    def _store(self, lanes: Sequence[Lane], *, durable: bool) -> dict[Lane, StoreFailed]:
        began = time.perf_counter()
        failures = super()._store(lanes, durable=durable)
        os.write(self.times, _ROW.pack(durable, time.perf_counter() - began))
        return failures


def read_times(path: Path) -> tuple[list[float], list[float]]:
    """Seconds of each commit that waited for the disk, and of each that did not."""
    data = path.read_bytes() if path.exists() else b""
    rows = list(_ROW.iter_unpack(data[: len(data) // _ROW.size * _ROW.size]))
    return [taken for durable, taken in rows if durable], [
        taken for durable, taken in rows if not durable
    ]


if __name__ == "__main__":
    _TimedWriter.times = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    store.Writer = _TimedWriter
    sys.exit(main())
