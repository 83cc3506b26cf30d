"""What a process uses, seen from outside."""

import os
from contextlib import suppress
from pathlib import Path


class Gauge:
    """Memory, descriptors, threads and children of a process."""

    def __init__(self, pid: int) -> None:
        self._proc = Path(f"/proc/{pid}")
        self._pid = pid

    def forget_peak(self) -> float:
        """Let the peak of memory count from now on; what is in use now, in MB."""
        (self._proc / "clear_refs").write_text("5")
        return self.megabytes()

    def megabytes(self) -> float:
        """The memory in use."""
        return self._number("VmRSS") / 1024

    def peak(self) -> float:
        """The most memory in use since `forget_peak`, in MB."""
        return self._number("VmHWM") / 1024

    def threads(self) -> int:
        return self._number("Threads")

    def descriptors(self) -> int:
        return len(os.listdir(self._proc / "fd"))

    def processor_seconds(self) -> float:
        """The processor time of all threads so far."""
        spent = (task / "schedstat" for task in (self._proc / "task").iterdir())
        return sum(int(each.read_text().split()[0]) for each in spent) / 1e9

    def children(self) -> list[int]:
        listed = (self._proc / "task" / str(self._pid) / "children").read_text()
        return [int(each) for each in listed.split()]

    def is_running(self) -> bool:
        """Whether the process is there; one that waits to be reaped is not."""
        with suppress(OSError):
            state = (self._proc / "stat").read_text().rpartition(")")[2].split()[0]
            return state not in "ZX"
        return False

    def _number(self, field: str) -> int:
        for each in (self._proc / "status").read_text().splitlines():
            if each.startswith(f"{field}:"):
                return int(each.split()[1])
        raise KeyError(field)
