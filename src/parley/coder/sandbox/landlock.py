"""Landlock: the kernel's own limits on files, for us and everything we start. No dependency.

It only allows: what lies in an allowed folder cannot be forbidden again. So a hidden path is kept
out by allowing everything around it, and a protected path inside the workspace cannot be kept
from being written. It holds for root too.
"""

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress

from parley.coder.sandbox.policy import DEVICES, Limits, without

LEAST_ABI = 3
"""Linux 6.2. Before that a file could be emptied that could not be written."""

_CREATE_RULESET, _ADD_RULE, RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL_DEVICE = 1 << 14, 1 << 15
# Rights that a rule for a file can have; the others are for folders.
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_TCP = 3
_TCP_SINCE = 4
_IOCTL_SINCE = 5
# Abstract sockets and signals that lead out.
_SCOPES = 3
_SCOPES_SINCE = 6


def abi() -> int:
    """The version that the kernel has; 0 if it has none."""
    if sys.platform != "linux":
        return 0
    return max(_syscall(_CREATE_RULESET, None, 0, _ASK_VERSION), 0)


def handled(version: int) -> int:
    """All rights on files that a version knows."""
    return (1 << (16 if version >= _IOCTL_SINCE else 15)) - 1


def ruleset(limits: Limits, version: int) -> int:
    """A descriptor of the limits, for `landlock_restrict_self`. Whoever gets it closes it.

    Raises:
        OSError: the kernel refuses it.
    """
    everything = handled(version)
    network = _TCP if version >= _TCP_SINCE and not limits.network else 0
    scopes = _SCOPES if version >= _SCOPES_SINCE else 0
    # The kernel refuses a longer structure than it knows only if there is something in the rest.
    attributes = struct.pack("=QQQ", everything, network, scopes)
    fd = _syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "the kernel refuses the limits of the sandbox")
    try:
        _allow(fd, ("/",), _EXECUTE | _READ_DIR)
        _allow(fd, without("/", limits.hidden, _names), _READ)
        change = everything & ~(_MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEVICE)
        closed = (*limits.hidden, *limits.own)
        for folder in limits.writable:
            _allow(fd, without(folder, closed, _names), change)
        device = _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
        _allow(fd, DEVICES, device & everything)
    except OSError:
        os.close(fd)
        raise
    return fd


def _allow(ruleset: int, paths: Iterable[str], rights: int) -> None:
    for path in paths:
        # What is not there, or what may not be looked at, needs no permission.
        with suppress(FileNotFoundError, PermissionError, NotADirectoryError):
            _allow_one(ruleset, path, rights)


def _allow_one(ruleset: int, path: str, rights: int) -> None:
    # A link is not followed: it may lead into what is hidden.
    fd = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        folder = stat.S_ISDIR(os.fstat(fd).st_mode)
        rule = struct.pack("=Qi", rights if folder else rights & _OF_FILES, fd)
        # A link has no rights of its own, so the kernel refuses a rule for one.
        if _syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0) < 0 and folder:
            raise OSError(ctypes.get_errno(), "the kernel refuses a rule of the sandbox")
    finally:
        os.close(fd)


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if not entry.is_symlink()]
    except OSError:
        return []


def _syscall(number: int, *arguments: int | bytes | None) -> int:
    return ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *arguments)
