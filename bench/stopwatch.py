"""What every counting client measures about itself, and the line it prints."""

import json
import sys
import time
from pathlib import Path


class Stopwatch:
    """Starts when it is made, and stops when the last chunk was seen."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._result: dict[str, float] = {}
        self._cpu = time.process_time()
        self._wall = time.perf_counter()

    def stop(self) -> None:
        self._result = {
            "n": self._count,
            "seconds": time.perf_counter() - self._wall,
            "cpu_s": time.process_time() - self._cpu,
            "peak_rss_mb": _peak_mb(),
        }

    def line(self) -> str:
        return json.dumps(self._result)


def arguments(given: list[str]) -> tuple[bool, int, list[str]]:
    """Whether to block at the first chunk, how many chunks, and the command of the sender."""
    block = given[:1] == ["--block"]
    count, *sender = given[1:] if block else given
    return block, int(count), sender


def report_blocked() -> None:
    """Tell the harness that the handler blocks from here on."""
    sys.stdout.write("blocked\n")
    sys.stdout.flush()


def _peak_mb() -> float:
    # `getrusage` would report the peak of the parent as well, from before the exec.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0
