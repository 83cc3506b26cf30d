"""A filter of system calls: no sockets but those of the network, no namespaces, no mounts, no keys.

Landlock knows files; this keeps out what is no file: the sockets of services on this machine, which
would do anything for whoever connects, and corners of the kernel that no build needs. Built as the
bytes that the kernel wants, for x86-64 and 64-bit ARM. Pure.
"""

import struct
from collections.abc import Iterable, Mapping

from msgspec import Struct

_EPERM, _ENOSYS = 1, 38
_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _MACHINE_AT, _FIRST_AT, _THIRD_AT = 0, 4, 16, 32
_X32 = 0x40000000
_INET, _INET6, _NETLINK = 2, 10, 16
# Every flag that asks for a namespace. The one for time is part of a signal number in `clone`.
_NAMESPACES = 0x7E020000
_TIME_NAMESPACE = 0x80

# Where the numbers of a call are the same on all machines, because it is young.
_YOUNG = (425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442)
# mount, umount2, pivot_root, setns, add_key, request_key, keyctl, bpf, perf_event_open,
# userfaultfd, init_module, finit_module, delete_module, kexec_load, kexec_file_load, reboot,
# swapon, swapoff, acct, settimeofday, clock_settime, sethostname, setdomainname, quotactl,
# open_by_handle_at, process_vm_readv, process_vm_writev, syslog, vhangup
_X86_64 = (
    *(165, 166, 155, 308, 248, 249, 250, 321, 298, 323, 175, 313, 176, 246, 320, 169, 167, 168),
    *(163, 164, 227, 170, 171, 179, 304, 310, 311, 103, 153),
    # iopl, ioperm
    *(172, 173),
)
_AARCH64 = (
    *(40, 39, 41, 268, 217, 218, 219, 280, 241, 282, 105, 273, 106, 104, 294, 142, 224, 225),
    *(89, 170, 112, 161, 162, 60, 265, 270, 271, 116, 58),
)


class _Machine(Struct, frozen=True):
    audit: int
    refused: tuple[int, ...]
    socket: int
    clone: int
    unshare: int
    limits: int
    """The call that sets limits, of this process or of another."""
    clone3: int = 435


_MACHINES: Mapping[str, _Machine] = {
    "x86_64": _Machine(0xC000003E, _X86_64, 41, 56, 272, 302),
    "aarch64": _Machine(0xC00000B7, _AARCH64, 198, 220, 97, 261),
}


def program(machine: str, *, network: bool) -> bytes | None:
    """The filter for a machine as `os.uname` names it; `None` for one that is not known here."""
    known = _MACHINES.get(machine)
    if known is None:
        return None
    code = [
        _step(_LOAD, _MACHINE_AT),
        # Programs for another machine have other numbers, so none of them could be judged.
        *_unless_equal(known.audit, _FAIL | _EPERM),
        _step(_LOAD, _NUMBER_AT),
        _step(_AT_LEAST, _X32, no=1),
        _step(_RETURN, _FAIL | _ENOSYS),
    ]
    for number in (*known.refused, *_YOUNG):
        code += _if_equal(number, [_step(_RETURN, _FAIL | _EPERM)])
    # Its flags lie in memory, where a filter cannot look; programs then use the older call.
    code += _if_equal(known.clone3, [_step(_RETURN, _FAIL | _ENOSYS)])
    code += _if_equal(known.clone, _without_bits(_NAMESPACES))
    code += _if_equal(known.unshare, _without_bits(_NAMESPACES | _TIME_NAMESPACE))
    own = [_step(_LOAD, _FIRST_AT), *_unless_equal(0, _FAIL | _EPERM), *_allow()]
    code += _if_equal(known.limits, own)
    code += _if_equal(known.socket, _sockets((_INET, _INET6) if network else ()))
    code.append(_step(_RETURN, _ALLOW))
    return b"".join(code)


def _sockets(families: Iterable[int]) -> list[bytes]:
    allowed = [part for family in families for part in _if_equal(family, _allow())]
    # The list of network interfaces is asked for through a socket of its own kind.
    route = [_step(_LOAD, _THIRD_AT), *_unless_equal(0, _FAIL | _EPERM), *_allow()]
    return [
        _step(_LOAD, _FIRST_AT),
        *allowed,
        *_if_equal(_NETLINK, route),
        _step(_RETURN, _FAIL | _EPERM),
    ]


def _without_bits(bits: int) -> list[bytes]:
    return [
        _step(_LOAD, _FIRST_AT),
        _step(_ANY_BIT, bits, no=1),
        _step(_RETURN, _FAIL | _EPERM),
        *_allow(),
    ]


def _allow() -> list[bytes]:
    return [_step(_RETURN, _ALLOW)]


def _if_equal(value: int, then: list[bytes]) -> list[bytes]:
    """Steps that run if the loaded value is this one, and are skipped otherwise."""
    return [_step(_EQUAL, value, no=len(then)), *then]


def _unless_equal(value: int, answer: int) -> list[bytes]:
    return [_step(_EQUAL, value, yes=1), _step(_RETURN, answer)]


def _step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)
