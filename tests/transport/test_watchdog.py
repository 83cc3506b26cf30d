"""The watchdog: when it ends the process, with which status, and when it keeps quiet."""

import asyncio
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from parley.transport.watchdog import SIGNALS, Listener, Watchdog
from tests.transport.wires import BOUND, eventually, run


@dataclass
class Kennel:
    """A watchdog that notes the status instead of ending the process, and pipes for it to watch."""

    left: "queue.Queue[int]" = field(default_factory=queue.Queue)
    signals: list[int] = field(default_factory=list)
    hang_ups: int = 0

    def __post_init__(self) -> None:
        self.watchdog = Watchdog(answer_seconds=0.05, leave=self.left.put)
        self.stdin, self.to_stdin = os.pipe()
        self.from_stdout, self.stdout = os.pipe()

    def start(self) -> None:
        listener = Listener(asyncio.get_running_loop(), self.signals.append, self._hung_up)
        self.watchdog.start(listener, stdin=self.stdin, stdout=self.stdout)

    def close(self) -> None:
        self.watchdog.release_signals()
        self.watchdog.stop()
        for fd in (self.stdin, self.to_stdin, self.from_stdout, self.stdout):
            os.close(fd)

    def hang_up_input(self) -> None:
        os.close(self.to_stdin)
        self.to_stdin = os.open(os.devnull, os.O_WRONLY)

    def hang_up_output(self) -> None:
        os.close(self.from_stdout)
        self.from_stdout = os.open(os.devnull, os.O_RDONLY)

    def _hung_up(self) -> None:
        self.hang_ups += 1


@pytest.fixture
def kennel() -> Iterator[Kennel]:
    kennel = Kennel()
    yield kennel
    kennel.close()


def hold_up(kennel: Kennel) -> int:
    """Keep the event loop busy until the watchdog loses patience; the status it leaves with."""
    return kennel.left.get(timeout=BOUND)


def test_a_deadline_that_passes_ends_the_process_with_the_first_status(kennel: Kennel) -> None:
    async def scenario() -> None:
        kennel.start()
        kennel.watchdog.expect_end(3, within=0.01)
        kennel.watchdog.expect_end(4, within=0.0)
        assert hold_up(kennel) == 3

    run(scenario)


def test_a_deaf_loop_is_ended_when_the_input_is_hung_up(kennel: Kennel) -> None:
    async def scenario() -> None:
        kennel.start()
        kennel.hang_up_input()
        assert hold_up(kennel) == 0

    run(scenario)


def test_a_deaf_loop_is_ended_when_the_output_is_broken(kennel: Kennel) -> None:
    async def scenario() -> None:
        kennel.start()
        kennel.hang_up_output()
        assert hold_up(kennel) == 0

    run(scenario)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_deaf_loop_is_ended_by_a_signal_with_its_status(kennel: Kennel, number: int) -> None:
    async def scenario() -> None:
        kennel.watchdog.catch_signals()
        kennel.start()
        os.kill(os.getpid(), number)
        assert hold_up(kennel) == 128 + number

    run(scenario)


def test_a_loop_that_answers_is_told_and_left_alone(kennel: Kennel) -> None:
    async def scenario() -> None:
        kennel.watchdog.catch_signals()
        kennel.start()
        os.kill(os.getpid(), signal.SIGTERM)
        kennel.hang_up_output()
        await eventually(lambda: kennel.hang_ups == 1 and signal.SIGTERM in kennel.signals)
        # Several heartbeats long.
        await asyncio.sleep(0.35)
        assert kennel.left.empty()

    run(scenario)


def test_a_loop_that_answered_and_became_deaf_later_is_ended(kennel: Kennel) -> None:
    async def scenario() -> None:
        kennel.start()
        kennel.hang_up_output()
        await eventually(lambda: kennel.hang_ups == 1)
        assert hold_up(kennel) == 0

    run(scenario)


def test_a_signal_after_a_deadline_was_set_does_not_change_the_status(kennel: Kennel) -> None:
    async def scenario() -> None:
        kennel.watchdog.catch_signals()
        kennel.start()
        kennel.watchdog.expect_end(0, within=60)
        os.kill(os.getpid(), signal.SIGTERM)
        assert hold_up(kennel) == 0

    run(scenario)


def test_input_that_was_complete_before_the_start_is_no_hang_up(kennel: Kennel) -> None:
    async def scenario() -> None:
        os.write(kennel.to_stdin, b"everything\n")
        kennel.hang_up_input()
        kennel.start()
        # Deaf for longer than it would be forgiven after a hang-up.
        with pytest.raises(queue.Empty):
            kennel.left.get(timeout=0.2)
        await asyncio.sleep(0)
        assert kennel.hang_ups == 0

    run(scenario)


def test_a_closed_loop_is_not_deaf(kennel: Kennel) -> None:
    async def scenario() -> None:
        kennel.start()

    run(scenario)
    kennel.hang_up_output()
    with pytest.raises(queue.Empty):
        kennel.left.get(timeout=0.2)
    kennel.watchdog.expect_end(5, within=0.0)
    assert kennel.left.get(timeout=BOUND) == 5


def test_a_signal_is_seen_though_somebody_took_the_wake_up_descriptor(kennel: Kennel) -> None:
    async def scenario() -> None:
        kennel.watchdog.catch_signals()
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: None)
        kennel.start()
        os.kill(os.getpid(), signal.SIGTERM)
        await eventually(lambda: kennel.signals == [signal.SIGTERM])

    run(scenario)


def test_the_handlers_come_back(kennel: Kennel) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    kennel.watchdog.catch_signals()
    assert [signal.getsignal(number) for number in SIGNALS] != before
    kennel.watchdog.release_signals()
    kennel.watchdog.release_signals()
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_signals_are_left_alone_outside_the_main_thread(kennel: Kennel) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    thread = threading.Thread(target=kennel.watchdog.catch_signals)
    thread.start()
    thread.join(BOUND)
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_a_stopped_watchdog_ends_nothing() -> None:
    kennel = Kennel()

    async def scenario() -> None:
        kennel.start()
        kennel.watchdog.expect_end(1, within=0.1)

    run(scenario)
    kennel.close()
    began = time.monotonic()
    with pytest.raises(queue.Empty):
        kennel.left.get(timeout=0.2)
    assert time.monotonic() - began >= 0.2
