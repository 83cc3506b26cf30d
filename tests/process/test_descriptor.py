"""Descriptors that do not block us, and do not stop blocking for others."""

import os
import pty
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from parley.process.descriptor import Descriptor, borrowed, owned


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe whose ends the test copies before it gives them away."""
    read, write = os.pipe()
    yield read, write
    os.close(read)
    os.close(write)


def test_an_owned_descriptor_does_not_block(pipe: tuple[int, int]) -> None:
    read, write = pipe
    source, sink = owned(os.dup(read)), owned(os.dup(write))
    with pytest.raises(BlockingIOError):
        source.read(1)
    assert sink.write(b"abc") == 3
    assert source.read(10) == b"abc"
    sink.close()
    source.close()


def test_a_borrowed_pipe_keeps_blocking_for_everybody_else(pipe: tuple[int, int]) -> None:
    read, write = pipe
    source = borrowed(os.dup(read), os.O_RDONLY)
    sink = borrowed(os.dup(write), os.O_WRONLY)
    with pytest.raises(BlockingIOError):
        source.read(1)
    with pytest.raises(BlockingIOError):
        _fill(sink)
    assert os.get_blocking(read)
    assert os.get_blocking(write)
    source.close()
    sink.close()


def test_a_borrowed_terminal_keeps_blocking_for_everybody_else() -> None:
    controller, terminal = pty.openpty()
    source = borrowed(os.dup(terminal), os.O_RDWR)
    with pytest.raises(BlockingIOError):
        source.read(1)
    os.write(controller, b"typed\n")
    assert source.read(100) == b"typed\n"
    assert os.get_blocking(terminal)
    source.close()
    os.close(terminal)
    os.close(controller)


def test_a_borrowed_socket_keeps_blocking_for_everybody_else() -> None:
    here, there = socket.socketpair()
    with here, there:
        end = borrowed(os.dup(here.fileno()), os.O_RDWR)
        with pytest.raises(BlockingIOError):
            end.read(1)
        with pytest.raises(BlockingIOError):
            _fill(end)
        there.send(b"abc")
        assert end.read(10) == b"abc"
        assert os.get_blocking(here.fileno())
        end.close()


def test_a_borrowed_file_is_read_from_where_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"readrest")
    fd = os.open(file, os.O_RDONLY)
    assert os.read(fd, 4) == b"read"
    source = borrowed(fd, os.O_RDONLY)
    assert source.read(100) == b"rest"
    source.close()


def test_a_borrowed_descriptor_is_not_inherited(pipe: tuple[int, int]) -> None:
    source = borrowed(os.dup(pipe[0]), os.O_RDONLY)
    assert not os.get_inheritable(source.fd)
    source.close()


def test_where_a_pipe_cannot_be_opened_again_the_flag_is_put_back(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    read = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    write = os.open(tmp_path / "fifo", os.O_WRONLY)
    os.close(read)
    # A named pipe without readers cannot be opened for writing without waiting for one.
    sink = borrowed(os.dup(write), os.O_WRONLY)
    assert not os.get_blocking(write)
    with pytest.raises(BrokenPipeError):
        sink.write(b"x")
    sink.close()
    assert os.get_blocking(write)
    os.close(write)


def _fill(sink: Descriptor) -> None:
    for _ in range(1000):
        sink.write(b"x" * 4096)
