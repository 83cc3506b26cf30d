"""What binds a child process to ours: its environment, its death with us, the news of its end.

It starts nothing by itself; whoever calls `subprocess.Popen` uses these pieces.
"""

import asyncio
import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
# What a program needs to find its files and to speak the user's language, and no secrets.
_BASICS = re.compile(
    r"PATH|HOME|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|TMPDIR|TEMP|TMP|TZ|USER|LOGNAME|SHELL"
    r"|XDG_\w+|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA"
)


def environment(env: Mapping[str, str] | None, *, clean: bool) -> dict[str, str]:
    """The environment of a child: ours or only its harmless basics, with `env` on top."""
    ours = os.environ.items()
    base = {name: value for name, value in ours if not clean or _BASICS.fullmatch(name)}
    return {**base, **(env or {})}


def call_at_exit(process: "subprocess.Popen[bytes]", callback: Callable[[], None]) -> None:
    """Call back in the event loop when the child has ended.

    On Linux it is not reaped then, so that its id still names its group and no other.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            call_at_exit_by_descriptor(process, callback)
            return
    call_at_exit_by_thread(process, callback)


def call_at_exit_by_descriptor(
    process: "subprocess.Popen[bytes]", callback: Callable[[], None]
) -> None:
    """Watch a descriptor that becomes readable when the child ends: needs Linux 5.3."""
    loop = asyncio.get_running_loop()
    fd = os.pidfd_open(process.pid)

    def ended() -> None:
        loop.remove_reader(fd)
        os.close(fd)
        callback()

    loop.add_reader(fd, ended)


def call_at_exit_by_thread(
    process: "subprocess.Popen[bytes]", callback: Callable[[], None]
) -> None:
    """Let a thread wait for the child: works everywhere, and reaps it before the callback."""
    loop = asyncio.get_running_loop()

    def wait() -> None:
        process.wait()
        # A closed event loop refuses the call: nobody wants to know any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(callback)

    threading.Thread(target=wait, name="parley-wait", daemon=True).start()


def death_with_parent() -> Callable[[], None] | None:
    """What the child does before it becomes the program: ask to die when we die.

    The request belongs to the process that makes it and survives `exec`, so nothing but code
    between fork and exec can make it without starting another program first. That code is one
    call of a C function that was looked up before the fork: it takes no lock and imports nothing.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        # If we died before the request was made, nobody will fulfil it.
        if os.getppid() != parent:
            os._exit(1)

    return ask
