"""Starts a child process with pipes and a process group of its own, tied to our life.

It knows nothing of frames; `process` makes a transport of what it returns.
"""

import fcntl
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from parley.errors import ConnectionLost
from parley.process import children
from parley.process.descriptor import Descriptor, owned
from parley.process.life import death_with_parent

_F_SETPIPE_SZ = 1031
"""Linux's number, which the standard library has only on Linux."""
PIPE_SIZE = 256 * 1024
# Of a command that cannot be started, in the text of the error.
_SHOWN_CHARACTERS = 200


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
            preexec_fn=death_with_parent(),
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
