"""A stderr that never makes anybody wait."""

import os
import subprocess
import sys
from contextlib import suppress

from parley.transport.lossy import LossyStream


class Pipe:
    """Takes what it is told to take."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.room: int | None = None

    def write(self, data: bytes) -> int:
        if self.room == 0:
            raise BlockingIOError
        part = data if self.room is None else data[: self.room]
        self.taken.append(part)
        return len(part)


def test_what_fits_is_written() -> None:
    pipe = Pipe()
    stream = LossyStream(pipe.write)
    assert stream.writable()
    assert stream.write(b"one\n") == 4
    assert pipe.taken == [b"one\n"]


def test_what_does_not_fit_is_dropped_and_counted_in_the_next_line_that_does() -> None:
    pipe = Pipe()
    stream = LossyStream(pipe.write)
    pipe.room = 0
    assert stream.write(b"lost\n") == 5
    assert stream.write(b"lost too\n") == 9
    pipe.room = None
    stream.write(b"here\n")
    stream.write(b"again\n")
    assert pipe.taken == [b"[14 bytes were not read and are lost]\nhere\n", b"again\n"]


def test_the_part_that_did_not_fit_is_counted() -> None:
    pipe = Pipe()
    stream = LossyStream(pipe.write)
    pipe.room = 2
    stream.write(b"half\n")
    pipe.room = None
    stream.write(b"x\n")
    assert pipe.taken == [b"ha", b"[3 bytes were not read and are lost]\nx\n"]


PROGRAM = """
import logging, sys
logging.basicConfig(stream=sys.stderr, format="%(message)s")
sys.stdout = sys.stderr
from parley.transport.lossy import never_wait_for_stderr
never_wait_for_stderr()
logging.warning("from a log")
print("from print")
print("to stderr", file=sys.stderr)
"""


def test_logs_and_prints_go_through_it() -> None:
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, timeout=10)
    assert said.stderr == b"from a log\nfrom print\nto stderr\n"


def test_a_stderr_that_nobody_reads_stops_nobody() -> None:
    nobody_reads, stderr = os.pipe()
    os.set_blocking(stderr, False)
    with suppress(BlockingIOError):
        while True:
            os.write(stderr, bytes(4096))
    os.set_blocking(stderr, True)
    done = subprocess.run([sys.executable, "-c", PROGRAM], stderr=stderr, timeout=10)
    os.close(stderr)
    os.close(nobody_reads)
    assert done.returncode == 0


def test_without_a_stderr_nothing_is_replaced() -> None:
    program = (
        "import os, sys; os.close(2); before = sys.stderr; "
        "from parley.transport.lossy import never_wait_for_stderr; "
        "never_wait_for_stderr(); os._exit(sys.stderr is not before)"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=10).returncode == 0


def test_a_handler_with_another_stream_keeps_it() -> None:
    program = (
        "import io, logging; other = io.StringIO(); "
        "logging.basicConfig(stream=other); "
        "from parley.transport.lossy import never_wait_for_stderr; never_wait_for_stderr(); "
        "assert logging.root.handlers[0].stream is other"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=10).returncode == 0
