"""A strict bridge refuses a loss where somebody waits, and only there."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from parley.protocol.bridge_loss import LossGate, LossRefused, Work, refusable
from parley.protocol.settings import Loss
from parley.rpc.calls import answering
from parley.rpc.peer import Call

LOSS = Loss("diff", "a diff", "s")
CALL = Call(1, "session/new", b"", 0)


def _run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(5):
            await scenario()

    asyncio.run(bounded())


def test_a_refusal_names_the_loss() -> None:
    error = LossRefused(LOSS)
    assert error.code == -32603
    assert error.message == "Internal error: the bridge refuses to lose `diff`: a diff"
    assert error.data == {"acpBridge": {"loss": "diff", "detail": "a diff"}}


def test_a_bridge_that_is_not_strict_only_reports() -> None:
    async def scenario() -> None:
        told: list[Loss] = []
        gate = LossGate(told.append, strict=False)
        answering.set(CALL)
        refusable()
        work = Work()
        with gate.working("s", work):
            gate.to_client(LOSS)
        gate.to_agent(LOSS)
        assert told == [LOSS, LOSS]
        assert not work.refusal.done()
        LossGate(None, strict=False).to_client(LOSS)

    _run(scenario)


def test_work_in_the_session_of_the_loss_fails_once() -> None:
    async def scenario() -> None:
        gate = LossGate(None, strict=True)
        work, other = Work(), Work()
        with gate.working("s", work), gate.working("t", other):
            assert gate.work_in("s") is work
            gate.to_client(LOSS)
            gate.to_client(Loss("other", "later", "s"))
        assert gate.work_in("s") is None
        assert work.refusal.result().data == {"acpBridge": {"loss": "diff", "detail": "a diff"}}
        assert not other.refusal.done()

    _run(scenario)


def test_work_in_one_session_may_overlap() -> None:
    async def scenario() -> None:
        gate = LossGate(None, strict=True)
        turn, replay = Work(), Work()
        first, second = gate.working("s", turn), gate.working("s", replay)
        with first:
            second.__enter__()
            assert gate.work_in("s") is replay
        assert gate.work_in("s") is replay
        second.__exit__(None, None, None)
        assert gate.work_in("s") is None

    _run(scenario)


def test_work_that_was_given_up_does_not_fail() -> None:
    async def scenario() -> None:
        gate = LossGate(None, strict=True)
        work = Work()
        work.cancelled = True
        with gate.working("s", work):
            gate.to_client(LOSS)
        assert not work.refusal.done()

    _run(scenario)


def test_a_request_fails_until_its_answer_has_left() -> None:
    async def scenario() -> None:
        told: list[Loss] = []
        gate = LossGate(told.append, strict=True)
        answering.set(CALL)
        gate.to_client(LOSS)  # Nothing was said about this task yet.
        refusable()
        with pytest.raises(LossRefused):
            gate.to_client(LOSS)
        answering.set(None)
        gate.to_client(LOSS)
        assert len(told) == 3

    _run(scenario)


def test_what_goes_to_the_agent_is_refused_before_it_is_sent() -> None:
    told: list[Loss] = []
    with pytest.raises(LossRefused):
        LossGate(told.append, strict=True).to_agent(LOSS)
    assert told == [LOSS]
