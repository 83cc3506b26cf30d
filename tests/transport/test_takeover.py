"""Taking stdin and stdout: who gets what meanwhile, and that everything comes back."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from parley.transport import takeover as taking
from parley.transport.takeover import StdioTakeover


@dataclass
class Streams:
    """Three descriptors that play the standard ones, and the test's ends of them."""

    stdin: int
    to_stdin: int
    stdout: int
    from_stdout: int
    stderr: int
    from_stderr: int


@contextmanager
def played() -> Iterator[Streams]:
    """Streams with the two objects of Python on top, which the test runner keeps for itself."""
    stdin, to_stdin = os.pipe()
    from_stdout, stdout = os.pipe()
    from_stderr, stderr = os.pipe()
    before = sys.stdout, sys.stderr
    with (
        pytest.MonkeyPatch.context() as patch,
        open(os.dup(stdout), "w") as sys.stdout,
        open(os.dup(stderr), "w") as sys.stderr,
    ):
        # The process of the tests may have more files open than a program that starts.
        patch.setattr(taking, "_FIRST_PRIVATE", max(stderr + 50, 50))
        yield Streams(stdin, to_stdin, stdout, from_stdout, stderr, from_stderr)
        sys.stdout, sys.stderr = before
    for fd in (stdin, to_stdin, stdout, from_stdout, stderr, from_stderr):
        os.close(fd)


def taken(streams: Streams) -> StdioTakeover:
    return StdioTakeover(stdin=streams.stdin, stdout=streams.stdout, stderr=streams.stderr)


def release(takeover: StdioTakeover) -> None:
    takeover.source.close()
    takeover.sink.close()
    takeover.restore()


def test_the_real_streams_are_private() -> None:
    with played() as streams:
        takeover = taken(streams)
        os.write(streams.to_stdin, b"question\n")
        assert takeover.source.read(100) == b"question\n"
        takeover.sink.write(b"answer\n")
        assert os.read(streams.from_stdout, 100) == b"answer\n"
        assert not os.get_inheritable(takeover.source.fd)
        assert not os.get_inheritable(takeover.sink.fd)
        assert min(takeover.source.fd, takeover.sink.fd) >= 50
        release(takeover)


def test_everybody_else_reads_nothing_and_writes_to_stderr() -> None:
    with played() as streams:
        takeover = taken(streams)
        assert os.read(streams.stdin, 100) == b""
        os.write(streams.stdout, b"from a library\n")
        assert os.read(streams.from_stderr, 100) == b"from a library\n"
        sys.stdout.write("from print\n")
        sys.stdout.flush()
        assert os.read(streams.from_stderr, 100) == b"from print\n"
        assert os.get_inheritable(streams.stdin)
        assert os.get_inheritable(streams.stdout)
        release(takeover)


def test_everything_comes_back() -> None:
    with played() as streams:
        old = sys.stdout
        takeover = taken(streams)
        assert sys.stdout is sys.stderr
        release(takeover)
        takeover.restore()
        assert sys.stdout is old
        os.write(streams.to_stdin, b"in")
        assert os.read(streams.stdin, 100) == b"in"
        os.write(streams.stdout, b"out")
        assert os.read(streams.from_stdout, 100) == b"out"
        assert os.get_blocking(streams.stdin)
        assert os.get_blocking(streams.stdout)


def test_a_stdout_that_somebody_else_replaced_meanwhile_is_left_alone(tmp_path: Path) -> None:
    with played() as streams:
        takeover = taken(streams)
        with (tmp_path / "other").open("w") as other:
            sys.stdout = other
            release(takeover)
            assert sys.stdout is other


def test_what_was_forgotten_does_not_come_back() -> None:
    with played() as streams:
        takeover = taken(streams)
        takeover.forget()
        release(takeover)
        os.write(streams.stdout, b"printed on the way out")
        assert os.read(streams.from_stderr, 100) == b"printed on the way out"


def test_streams_that_are_not_open_are_empty_and_swallow_everything() -> None:
    with played() as streams:
        os.close(streams.stdin)
        os.close(streams.stdout)
        takeover = taken(streams)
        assert takeover.source.read(100) == b""
        assert takeover.sink.write(b"swallowed") == 9
        os.write(streams.stdout, b"from a library\n")
        assert os.read(streams.from_stderr, 100) == b"from a library\n"
        release(takeover)


def test_without_stderr_what_others_write_is_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    with played() as streams:
        old = sys.stdout
        monkeypatch.setattr(sys, "stderr", None)
        os.close(streams.stderr)
        takeover = StdioTakeover(stdin=streams.stdin, stdout=streams.stdout, stderr=streams.stderr)
        os.write(streams.stdout, b"swallowed")
        assert sys.stdout is old
        release(takeover)
        streams.stderr = os.open(os.devnull, os.O_WRONLY)


def test_a_number_that_a_closed_stream_lent_to_another_file_is_not_touched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with played() as streams:
        monkeypatch.setattr(sys, "__stdin__", None)
        monkeypatch.setattr(sys, "__stdout__", None)
        before = os.fstat(0), os.fstat(1)
        takeover = StdioTakeover(stderr=streams.stderr)
        assert (os.fstat(0), os.fstat(1)) == before
        assert takeover.source.read(100) == b""
        assert takeover.sink.write(b"swallowed") == 9
        release(takeover)
        assert (os.fstat(0), os.fstat(1)) == before


def test_a_stdout_that_was_closed_as_an_object_is_no_obstacle() -> None:
    with played() as streams:
        sys.stdout.close()
        release(taken(streams))
