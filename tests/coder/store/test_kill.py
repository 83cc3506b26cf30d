"""Processes that are killed, and processes that want the same session."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from parley.coder.store.failure import SessionInUse
from tests.coder.store.kill_campaign import contest_rounds, forker, kill_rounds
from tests.coder.store.staging import FIRST, filled, opened, run


def test_nothing_that_was_told_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    tally = kill_rounds(tmp_path, 40)
    assert (tally.kills, tally.lost, tally.wrong) == (40, [], [])
    assert tally.told > 1_000


def test_two_processes_never_write_into_each_others_entries(tmp_path: Path) -> None:
    refused, wrong = contest_rounds(tmp_path, 20)
    assert wrong == []
    assert refused > 0


def test_a_session_is_free_as_soon_as_its_holder_is_dead(tmp_path: Path) -> None:
    async def made() -> None:
        async with opened(tmp_path) as store:
            await filled(store, FIRST)

    async def wanted() -> None:
        async with opened(tmp_path) as store:
            with pytest.raises(SessionInUse) as refusal:
                await store.open(FIRST)
            assert refusal.value.data == {"reason": "session_in_use", "pid": pid}
            os.kill(pid, signal.SIGKILL)
            await asyncio.to_thread(program.until, "ended")
            await store.open(FIRST)

    run(made)
    with forker() as program:
        (pid,) = program.order(tmp_path, "hold", 1, FIRST)
        if ["ready"] not in program.early:
            program.until("ready")
        run(wanted)
