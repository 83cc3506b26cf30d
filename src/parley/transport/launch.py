"""Starts a child process with pipes and a process group of its own, tied to our life.

It knows nothing of frames; `process` makes a transport of what it returns.
"""

import asyncio
import ctypes
import fcntl
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from parley.errors import ConnectionLost
from parley.transport import children
from parley.transport.descriptor import Descriptor, owned

_PR_SET_PDEATHSIG = 1
_F_SETPIPE_SZ = 1031
"""Linux's number, which the standard library has only on Linux."""
PIPE_SIZE = 256 * 1024
# Of a command that cannot be started, in the text of the error.
_SHOWN_CHARACTERS = 200
# What a program needs to find its files and to speak the user's language, and no secrets.
_BASICS = re.compile(
    r"PATH|HOME|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|TMPDIR|TEMP|TMP|TZ|USER|LOGNAME|SHELL"
    r"|XDG_\w+|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA"
)


class Child(Struct, frozen=True):
    """A running child and our ends of its three pipes."""

    process: "subprocess.Popen[bytes]"
    stdin: Descriptor
    stdout: Descriptor
    stderr: Descriptor


def launch(
    command: Sequence[str],
    *,
    cwd: str | os.PathLike[str] | None,
    env: Mapping[str, str],
) -> Child:
    """Start the command as the leader of its own session and process group.

    Call it from a thread that lives on: Linux ends the child together with the thread that
    started it.

    Raises:
        ConnectionLost: the program cannot be started; the text names the command.
    """
    pipes: list[int] = []
    try:
        for _ in range(3):
            pipes += os.pipe()
        child_in, ours_in, ours_out, child_out, ours_err, child_err = pipes
        process = subprocess.Popen(
            command,
            stdin=child_in,
            stdout=child_out,
            stderr=child_err,
            cwd=cwd,
            env=env,
            start_new_session=True,
            preexec_fn=_death_with_parent(),
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        for fd in pipes:
            os.close(fd)
        raise ConnectionLost(_why_not(command, cwd, error)) from error
    children.remember(process.pid)
    for fd in (child_in, child_out, child_err):
        os.close(fd)
    _widen(ours_in)
    _widen(ours_out)
    return Child(process, owned(ours_in), owned(ours_out), owned(ours_err))


def _widen(fd: int) -> None:
    """Let a pipe hold more, so that the two processes change places less often."""
    with suppress(OSError):
        fcntl.fcntl(fd, _F_SETPIPE_SZ, PIPE_SIZE)


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


def _death_with_parent() -> Callable[[], None] | None:
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


def _why_not(command: Sequence[str], cwd: str | os.PathLike[str] | None, error: Exception) -> str:
    start = f"cannot start `{' '.join(command)[:_SHOWN_CHARACTERS]}`"
    if cwd is not None and not os.path.isdir(cwd):
        return f"{start}: the working directory `{os.fspath(cwd)}` does not exist"
    match error:
        case FileNotFoundError():
            return f"{start}: there is no program `{command[0]}`\nhint: is it installed, in PATH?"
        case PermissionError():
            return f"{start}: `{command[0]}` is not executable"
        case OSError():
            return f"{start}: {error.strerror}"
        case _:
            return f"{start}: {error}"
