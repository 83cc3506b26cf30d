"""What was piped in."""

import asyncio
import os
from pathlib import Path

import pytest

from parley.errors import ConfigError
from parley.frontend.headless.context import MOST_STDIN
from parley.frontend.headless.standard_input import is_given, read_all


def read(fd: int) -> str:
    return asyncio.run(asyncio.wait_for(read_all(fd), 5))


def test_a_pipe_is_read_to_its_end_without_stopping_the_loop() -> None:
    async def scenario() -> str:
        reader, writer = os.pipe()
        reading = asyncio.ensure_future(read_all(reader))
        for word in (b"hello ", b"world"):
            await asyncio.sleep(0)
            os.write(writer, word)
        os.close(writer)
        text = await reading
        os.close(reader)
        return text

    assert asyncio.run(asyncio.wait_for(scenario(), 5)) == "hello world"


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    with open(tmp_path / "a") as file:
        assert is_given(file.fileno())
        assert read(file.fileno()) == "text"


def test_what_is_no_text_or_too_long_is_refused(tmp_path: Path) -> None:
    for data in (b"\xff", b"x" * (MOST_STDIN + 1)):
        (tmp_path / "a").write_bytes(data)
        with open(tmp_path / "a") as file, pytest.raises(ConfigError):
            read(file.fileno())


def test_a_terminal_nothing_and_a_closed_descriptor_are_no_input() -> None:
    with open(os.devnull) as nothing:
        assert not is_given(nothing.fileno())
    reader, writer = os.pipe()
    assert is_given(reader)
    os.close(writer)
    os.close(reader)
    assert not is_given(reader)
