"""The filter of system calls, played by a small machine, and by the kernel."""

import struct

import pytest

from parley.coder.sandbox.seccomp import program

X86, ARM = 0xC000003E, 0xC00000B7
ALLOWED, REFUSED, MISSING = 0x7FFF0000, 0x00050001, 0x00050026


def judged(code: bytes, machine: int, number: int, *arguments: int) -> int:
    """What the filter answers to a call."""
    padded = (*arguments, *([0] * (6 - len(arguments))))
    data = struct.pack("=IIQ6Q", number, machine, 0, *padded)
    steps = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    at = loaded = 0
    while True:
        kind, yes, no, value = steps[at]
        at += 1
        match kind:
            case 0x20:
                (loaded,) = struct.unpack_from("=I", data, value)
            case 0x15:
                at += yes if loaded == value else no
            case 0x35:
                at += yes if loaded >= value else no
            case 0x45:
                at += yes if loaded & value else no
            case _:
                return value


def code(machine: str, *, network: bool = True) -> bytes:
    made = program(machine, network=network)
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("number", "arguments", "answer"),
    [
        (1, (), ALLOWED),  # write
        (59, (), ALLOWED),  # execve
        (101, (), ALLOWED),  # ptrace, which Landlock and process ids of its own confine
        (165, (), REFUSED),  # mount
        (250, (), REFUSED),  # keyctl
        (321, (), REFUSED),  # bpf
        (425, (), REFUSED),  # io_uring_setup
        (435, (), MISSING),  # clone3
        (56, (17,), ALLOWED),  # clone, as fork does it
        (56, (0x10000000 | 17,), REFUSED),  # clone with a user namespace
        (272, (0x200,), ALLOWED),  # unshare of the folder
        (272, (0x20000,), REFUSED),  # unshare of mounts
        (272, (0x80,), REFUSED),  # unshare of time
        (41, (2, 1, 0), ALLOWED),  # socket of the network
        (41, (10, 2, 0), ALLOWED),
        (41, (1, 1, 0), REFUSED),  # unix socket
        (41, (16, 3, 0), ALLOWED),  # netlink, to list interfaces
        (41, (16, 3, 9), REFUSED),  # netlink, to audit
        (41, (17, 3, 0), REFUSED),  # packets
        (41, (40, 1, 0), REFUSED),  # vsock
        (53, (1, 1, 0), ALLOWED),  # socketpair
        (302, (0, 7), ALLOWED),  # prlimit of itself
        (302, (4711, 7), REFUSED),  # prlimit of another process
        (0x40000000 | 165, (), MISSING),  # the other numbers of the same machine
    ],
)
def test_calls_are_judged_one_by_one(number: int, arguments: tuple[int, ...], answer: int) -> None:
    assert judged(code("x86_64"), X86, number, *arguments) == answer


def test_without_the_network_no_socket_of_it_is_made() -> None:
    closed = code("x86_64", network=False)
    assert judged(closed, X86, 41, 2, 1, 0) == REFUSED
    assert judged(closed, X86, 41, 10, 2, 0) == REFUSED
    assert judged(closed, X86, 41, 16, 3, 0) == ALLOWED


def test_calls_of_another_machine_are_refused() -> None:
    assert judged(code("x86_64"), 0x40000003, 1) == REFUSED
    assert judged(code("aarch64"), X86, 64) == REFUSED


def test_arm_has_its_own_numbers() -> None:
    made = code("aarch64")
    assert judged(made, ARM, 64) == ALLOWED
    assert judged(made, ARM, 40) == REFUSED
    assert judged(made, ARM, 198, 1, 1, 0) == REFUSED
    assert judged(made, ARM, 198, 2, 1, 0) == ALLOWED
    assert judged(made, ARM, 220, 0x10000000) == REFUSED


def test_there_is_no_filter_for_a_machine_that_nobody_knows() -> None:
    assert program("vax", network=True) is None
