"""The sessions of our own agent, as `parley sessions` reads them."""

import asyncio
from pathlib import Path

import pytest

from parley.cli.stored_sessions import stored_sessions
from parley.coder.store.entry import Forgotten
from parley.session.event import StateChanged
from tests.cli.session_stage import FIRST, SECOND, store
from tests.frontend.stories import one_turn


def test_turns_become_states_and_what_only_the_model_knows_is_left_out(tmp_path: Path) -> None:
    store(tmp_path, FIRST, "/project", more=[Forgotten()])

    async def scenario() -> None:
        async with stored_sessions(tmp_path) as sessions:
            (session,) = await sessions.listed(None)
            events = await sessions.events(session)
            assert events[0] == StateChanged("running")
            assert events[-1] == StateChanged("idle", "end_turn")
            assert events[1:-1] == one_turn()[1:-1]

    asyncio.run(scenario())


def test_one_session_is_found_without_listing_all(tmp_path: Path) -> None:
    store(tmp_path, FIRST, "/project")

    async def scenario() -> None:
        async with stored_sessions(tmp_path) as sessions:
            found = await sessions.find(FIRST)
            assert found is not None
            assert found.cwd == "/project"
            assert await sessions.find(SECOND) is None
        async with stored_sessions(tmp_path / "nothing") as sessions:
            assert await sessions.find(FIRST) is None
        assert not (tmp_path / "nothing").exists()

    asyncio.run(scenario())


def test_more_sessions_than_one_page_are_all_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parley.cli.stored_sessions._PAGE", 2)
    store(tmp_path, FIRST, "/project")

    async def scenario() -> None:
        async with stored_sessions(tmp_path) as sessions:
            (first,) = await sessions.listed(None)
            for _ in range(4):
                await sessions.fork(first)
            assert len(await sessions.listed(None)) == 5
            assert len(await sessions.listed("/elsewhere")) == 0

    asyncio.run(scenario())
