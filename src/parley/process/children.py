"""The process groups that were started here and still live, so that none outlives this process.

One list for the whole process, since its end is one event: the exit handler and the watchdog of a
stdio agent kill whatever is still in it. The kill works from any thread and without an event loop.
"""

import atexit
import os
import signal
from contextlib import suppress

# Each group with the process that started it: a fork inherits the list, but not the duty.
_groups: dict[int, int] = {}


def remember(group: int) -> None:
    """Add a process group that must not outlive this process."""
    # Registering again moves nothing and costs nothing; it must not happen at import.
    atexit.unregister(kill_all)
    atexit.register(kill_all)
    _groups[group] = os.getpid()


def forget(group: int) -> None:
    """Drop a group that has ended. Call it before the leader is reaped: later its id is free."""
    _groups.pop(group, None)


def signal_group(group: int, number: int) -> None:
    """Send a signal to all processes of a group, if there are any."""
    # macOS answers `EPERM` for a group in which only zombies are left.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def kill_all() -> None:
    """Kill every remembered group at once, with everything in it."""
    for group, owner in list(_groups.items()):
        if owner == os.getpid():
            signal_group(group, signal.SIGKILL)
