"""The cheap sender of the benchmark, which also writes down when each prompt came.

Usage: timed_sender.py NOTES. A line of NOTES has the time, and the memory and the processor time
of the client by then.
"""

import os
import sys
import time
from pathlib import Path

import raw_sender


class Notes:
    """One line per prompt, written at once."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def prompted(self) -> None:
        came = time.monotonic()
        rss, peak = _memory_mb(os.getppid())
        spent = int(Path(f"/proc/{os.getppid()}/schedstat").read_text().split()[0]) / 1e9
        os.write(self._fd, f"{came} {rss} {peak} {spent}\n".encode())


def _memory_mb(pid: int) -> tuple[float, float]:
    """What a process has in memory, and the most that it had."""
    found: dict[str, float] = {}
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in ("VmRSS", "VmHWM"):
            found[name] = int(value.split()[0]) / 1024
    return found["VmRSS"], found["VmHWM"]


if __name__ == "__main__":
    raw_sender.main(on_prompt=Notes(sys.argv[1]).prompted)
