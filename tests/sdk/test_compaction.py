"""A compaction as a block: one beginning, one end, and the summary in between."""

import asyncio

import pytest

from parley.errors import LocalProtocolError
from parley.sdk.compaction import Compaction
from parley.session.content import Link, Text
from parley.session.event import CompactionChanged, CompactionSummaryAdded
from tests.sdk.fake_client import NotingClient
from tests.sdk.stage import run


def _compaction(client: NotingClient) -> Compaction:
    return Compaction(client, "s", "c")


def test_v1_cmp_02_the_summary_stands_between_the_beginning_and_one_end() -> None:
    async def scenario() -> None:
        client = NotingClient()
        link = Link("file:///notes", "notes")
        async with _compaction(client) as compaction:
            await compaction.add("It was ")
            await compaction.add(link)
        assert client.events == [
            CompactionChanged("c", "in_progress"),
            CompactionSummaryAdded("c", Text("It was ")),
            CompactionSummaryAdded("c", link),
            CompactionChanged("c", "completed"),
        ]

    run(scenario())


def test_an_error_ends_it_as_failed_and_stays_the_authors() -> None:
    async def scenario() -> None:
        client = NotingClient()
        with pytest.raises(RuntimeError, match="private"):
            async with _compaction(client):
                raise RuntimeError("private")
        assert client.events[1:] == [CompactionChanged("c", "failed")]

    run(scenario())


def test_a_failure_with_a_reason_is_its_only_end() -> None:
    async def scenario() -> None:
        client = NotingClient()
        async with _compaction(client) as compaction:
            await compaction.fail("too long")
        assert client.events[1:] == [CompactionChanged("c", "failed", error="too long")]

    run(scenario())


def test_cancelling_ends_it_as_cancelled() -> None:
    async def scenario() -> None:
        client = NotingClient()
        begun = asyncio.Event()

        async def work() -> None:
            async with _compaction(client):
                begun.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(work())
        await begun.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert client.events[1:] == [CompactionChanged("c", "cancelled")]

    run(scenario())


def test_it_says_nothing_before_its_block_or_behind_it_and_is_never_used_again() -> None:
    async def scenario() -> None:
        client = NotingClient()
        compaction = _compaction(client)
        with pytest.raises(LocalProtocolError, match="has not begun"):
            await compaction.add("early")
        async with compaction:
            pass
        with pytest.raises(LocalProtocolError, match="has ended"):
            await compaction.add("late")
        with pytest.raises(LocalProtocolError, match="has ended"):
            await compaction.fail("late")
        with pytest.raises(LocalProtocolError, match="was used before"):
            await compaction.__aenter__()
        assert [type(event) for event in client.events] == [CompactionChanged] * 2

    run(scenario())


def test_it_waits_for_a_slow_client_except_on_its_way_in() -> None:
    async def scenario() -> None:
        client = NotingClient()
        client.blocked = True
        async with _compaction(client) as compaction:
            assert client.drains == 0
            await compaction.add("x")
            assert client.drains == 1
        assert client.drains == 2

    run(scenario())
