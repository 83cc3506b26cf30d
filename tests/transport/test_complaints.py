"""What a child says on stderr: read, bounded, and passed on by line."""

import asyncio
import os

from parley.process.descriptor import owned
from parley.transport.complaints import KEPT_BYTES, KEPT_LINES, Complaints
from tests.transport.wires import eventually, run


def test_the_last_lines_are_kept() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        complaints = Complaints(owned(read), None)
        for number in range(300):
            os.write(write, b"line %d\n" % number)
        os.close(write)
        complaints.finish()
        lines = complaints.tail.splitlines()
        assert lines == [f"line {number}" for number in range(300 - KEPT_LINES, 300)]

    run(scenario)


def test_no_more_bytes_are_kept_than_the_bound() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        complaints = Complaints(owned(read), None)
        for _ in range(100):
            os.write(write, b"x" * 10_000)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        complaints.finish()
        assert len(complaints.tail) == KEPT_BYTES
        assert len(complaints._kept) <= 2 * KEPT_BYTES
        os.close(write)

    run(scenario)


def test_each_line_is_passed_on_when_it_is_complete() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        seen: list[str] = []
        complaints = Complaints(owned(read), seen.append)
        os.write(write, b"first\nsec")
        await eventually(lambda: seen == ["first"])
        os.write(write, "ond \N{SNOWMAN}\n\xff".encode("utf-8", "surrogateescape") + b"\xfe")
        os.close(write)
        await eventually(lambda: len(seen) == 3)
        assert seen == ["first", "second \N{SNOWMAN}", "\xff\ufffd"]
        complaints.finish()
        assert complaints.tail.startswith("first\nsecond")

    run(scenario)


def test_a_line_that_is_too_long_is_cut() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        seen: list[str] = []
        complaints = Complaints(owned(read), seen.append)
        for _ in range(20):
            os.write(write, b"x" * 10_000)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        os.write(write, b"\nshort\n")
        await eventually(lambda: len(seen) == 2)
        assert seen == ["x" * 4096 + " ...", "short"]
        complaints.finish()
        os.close(write)

    run(scenario)


def test_a_callback_that_fails_does_not_stop_the_reading() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        failures: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: failures.append(what))

        def fail(line: str) -> None:
            raise ValueError(line)

        complaints = Complaints(owned(read), fail)
        os.write(write, b"one\ntwo\n")
        await eventually(lambda: len(failures) == 2)
        os.write(write, b"three\n")
        await eventually(lambda: len(failures) == 3)
        complaints.finish()
        assert complaints.tail == "one\ntwo\nthree"
        os.close(write)

    run(scenario)


def test_finishing_does_not_wait_for_somebody_who_keeps_the_pipe_open() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        complaints = Complaints(owned(read), None)
        os.write(write, b"last words")
        complaints.finish()
        complaints.finish()
        assert complaints.tail == "last words"
        os.close(write)

    run(scenario)
