"""Ways to read and write a file descriptor without ever blocking the event loop.

The flag `O_NONBLOCK` belongs to the open file, not to the descriptor: on a terminal or a pipe that
was inherited, the shell and other processes see it too. So a borrowed descriptor never gets it as
long as there is another way: pipes and terminals are opened once more, which makes an open file of
our own, and sockets are asked not to block call by call. Where neither works the flag is set, and
put back when the descriptor is closed.
"""

import os
import socket
import stat
from collections.abc import Callable
from functools import partial

from msgspec import Struct

Buffer = bytes | memoryview


class Descriptor(Struct, frozen=True):
    """One descriptor that we own. `read` and `write` raise `BlockingIOError` instead of waiting."""

    fd: int
    read: Callable[[int], bytes]
    write: Callable[[Buffer], int]
    close: Callable[[], None]


def owned(fd: int) -> Descriptor:
    """Take over a descriptor whose open file nobody else uses."""
    os.set_blocking(fd, False)
    return _plain(fd, partial(os.close, fd))


def borrowed(fd: int, access: int) -> Descriptor:
    """Take over a descriptor whose open file others may share; `access` is as for `os.open`."""
    mode = os.fstat(fd).st_mode
    if stat.S_ISSOCK(mode):
        return _asking_each_time(socket.socket(fileno=fd))
    if not stat.S_ISFIFO(mode) and not os.isatty(fd):
        # Regular files and devices like `/dev/null` do not wait for a peer.
        return _plain(fd, partial(os.close, fd))
    try:
        opened = os.open(f"/proc/self/fd/{fd}", access | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return _flagged(fd)
    os.dup2(opened, fd, inheritable=False)
    os.close(opened)
    return _plain(fd, partial(os.close, fd))


def _plain(fd: int, close: Callable[[], None]) -> Descriptor:
    return Descriptor(fd, partial(os.read, fd), partial(os.write, fd), close)


def _asking_each_time(sock: socket.socket) -> Descriptor:
    def read(size: int) -> bytes:
        return sock.recv(size, socket.MSG_DONTWAIT)

    def write(data: Buffer) -> int:
        return sock.send(data, socket.MSG_DONTWAIT)

    return Descriptor(sock.fileno(), read, write, sock.close)


def _flagged(fd: int) -> Descriptor:
    was_blocking = os.get_blocking(fd)
    os.set_blocking(fd, False)

    def close() -> None:
        os.set_blocking(fd, was_blocking)
        os.close(fd)

    return _plain(fd, close)
