"""The self-test tells what holds from what does not."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from parley.coder.sandbox import self_test
from parley.coder.sandbox.box import Launch
from parley.coder.sandbox.policy import Limits
from parley.coder.sandbox.sandbox import GAPS, available
from parley.coder.sandbox.self_test import Found, tried_out


class OpenBox:
    """Confines nothing."""

    def __init__(self, limits: Limits) -> None: ...

    @contextmanager
    def launch(self, command: tuple[str, ...], cwd: str) -> Generator[Launch]:
        yield Launch(command)


class BrokenBox(OpenBox):
    @contextmanager
    def launch(self, command: tuple[str, ...], cwd: str) -> Generator[Launch]:
        raise OSError("refused")
        yield


class SilentBox(OpenBox):
    @contextmanager
    def launch(self, command: tuple[str, ...], cwd: str) -> Generator[Launch]:
        yield Launch(("sleep", "60"))


def test_without_limits_everything_is_done_and_nothing_holds() -> None:
    found = asyncio.run(tried_out(OpenBox, network=True))
    assert {"write outside", "read hidden", "reach services", "read agent"} <= found.done
    assert {"mark outside", "change protected", "empty outside"} <= found.done
    assert not found.holds(network=True)
    assert not found.holds(network=True, gaps=frozenset(("reach services",)))


@pytest.mark.parametrize("network", [True, False])
def test_every_mechanism_of_this_machine_holds(network: bool) -> None:
    mechanisms = available(network)
    assert mechanisms
    for mechanism in mechanisms:
        found = asyncio.run(tried_out(mechanism.make, network=network))
        gaps = GAPS.get(mechanism.level, frozenset())
        assert found.holds(network=network, gaps=gaps), mechanism.level
        assert gaps <= found.done, "what holds is no gap"


def test_a_mechanism_that_fails_does_not_hold() -> None:
    assert asyncio.run(tried_out(BrokenBox, network=True)) == Found(frozenset())


def test_a_mechanism_that_takes_too_long_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_test, "SECONDS", 0.1)
    assert not asyncio.run(tried_out(SilentBox, network=True)).holds(network=True)


def test_a_network_that_is_missing_although_it_may_be_used_does_not_hold() -> None:
    assert not Found(frozenset(("ran", "write inside"))).holds(network=True)
    assert Found(frozenset(("ran", "write inside"))).holds(network=False)
