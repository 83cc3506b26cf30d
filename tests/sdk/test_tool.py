"""A tool call always ends in a final status, and says what is wrong with its use."""

import asyncio

import pytest

from parley.errors import LocalProtocolError
from parley.sdk.report import Report
from parley.sdk.tool import ALLOW_OR_REJECT, ToolCall
from parley.sdk.turn import Session, Turn
from parley.session.content import ContentItem, DiffItem, FileChange, Location, TerminalItem, Text
from parley.session.event import ToolCallChanged, ToolContentAdded
from parley.session.question import Chosen, PermissionQuestion, ToolCallSubject
from parley.session.role import Prompt, SessionRequest
from tests.sdk.fake_client import NotingClient
from tests.sdk.stage import run


def _tool() -> tuple[ToolCall, NotingClient]:
    client = NotingClient()
    return Report(client, "s", "/home").tool("Work", id="t"), client


def _statuses(client: NotingClient) -> list[object]:
    return [
        event.status
        for event in client.events
        if isinstance(event, ToolCallChanged) and isinstance(event.status, str)
    ]


def test_a_block_that_ends_well_completes_the_call() -> None:
    async def scenario() -> None:
        tool, client = _tool()
        async with tool:
            await tool.start()
        assert _statuses(client) == ["pending", "in_progress", "completed"]

    run(scenario())


def test_an_error_fails_the_call_and_goes_on_its_way() -> None:
    async def scenario() -> None:
        tool, client = _tool()
        with pytest.raises(ZeroDivisionError):
            async with tool:
                raise ZeroDivisionError
        assert _statuses(client) == ["pending", "failed"]

    run(scenario())


def test_a_cancellation_cancels_the_call_without_waiting_for_a_slow_client() -> None:
    async def scenario() -> None:
        tool, client = _tool()

        async def work() -> None:
            async with tool:
                client.blocked = True
                raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await work()
        assert _statuses(client) == ["pending", "cancelled"]
        assert client.drains == 0

    run(scenario())


def test_a_call_that_ended_early_is_not_ended_again() -> None:
    async def scenario() -> None:
        tool, client = _tool()
        async with tool:
            await tool.fail("no such file")
        assert _statuses(client) == ["pending", "failed"]
        assert client.events[1] == ToolContentAdded("t", ContentItem(Text("no such file")))
        tool, client = _tool()
        async with tool:
            await tool.end("completed", output={"n": 1})
        assert client.events[1:] == [ToolCallChanged("t", status="completed", raw_output={"n": 1})]

    run(scenario())


def test_content_is_shown_in_order_and_paths_become_absolute() -> None:
    async def scenario() -> None:
        tool, client = _tool()
        async with tool:
            await tool.text("a")
            await tool.content(Text("b"))
            await tool.diff("new.py", None, "x")
            await tool.diff("/old.py", "x", None)
            await tool.diff("both.py", "x", "y")
            await tool.terminal("term")
        items = [e.item for e in client.events if isinstance(e, ToolContentAdded)]
        assert items == [
            ContentItem(Text("a")),
            ContentItem(Text("b")),
            DiffItem((FileChange("add", "/home/new.py", new_text="x"),)),
            DiffItem((FileChange("delete", "/old.py", old_text="x"),)),
            DiffItem((FileChange("modify", "/home/both.py", old_text="x", new_text="y"),)),
            TerminalItem("term"),
        ]

    run(scenario())


def test_an_update_changes_what_is_given_and_nothing_else() -> None:
    async def scenario() -> None:
        tool, client = _tool()
        async with tool:
            await tool.update(title="Other", input=1, locations=["x.py"])
            await tool.update(output=[2])
        assert client.events[1:3] == [
            ToolCallChanged("t", title="Other", raw_input=1, locations=(Location("/home/x.py"),)),
            ToolCallChanged("t", raw_output=[2]),
        ]

    run(scenario())


def test_an_allowed_call_runs_and_completes() -> None:
    async def scenario() -> None:
        tool, client = _tool()
        client.answer = Chosen("allow_always")
        async with tool:
            await tool.text("a")
            decision = await tool.ask("Really?", description="It is hot")
            assert (bool(decision), decision.always) == (True, True)
        whole = ToolCallChanged("t", title="Work", kind="other", content=(ContentItem(Text("a")),))
        subject = ToolCallSubject(whole)
        asked = PermissionQuestion("Really?", ALLOW_OR_REJECT, subject, "It is hot")
        assert client.questions == [asked]
        assert _statuses(client) == ["pending", "in_progress", "completed"]

    run(scenario())


def test_a_refused_call_fails_though_its_block_ends_well() -> None:
    async def scenario() -> None:
        tool, client = _tool()
        client.answer = Chosen("reject_once")
        async with tool:
            assert not await tool.ask()
        assert _statuses(client) == ["pending", "failed"]

    run(scenario())


def test_a_second_question_that_allows_it_lets_the_call_complete() -> None:
    async def scenario() -> None:
        tool, client = _tool()
        async with tool:
            assert (await tool.ask()).dismissed
            client.answer = Chosen("allow_once")
            assert await tool.ask()
        assert _statuses(client) == ["pending", "in_progress", "completed"]

    run(scenario())


def test_a_call_outside_its_block_is_a_mistake_that_is_named() -> None:
    async def scenario() -> None:
        tool, client = _tool()
        with pytest.raises(LocalProtocolError, match="`Work` has not begun\nhint: `async with`"):
            await tool.text("too early")
        async with tool:
            pass
        for late in (tool.text("x"), tool.start(), tool.ask(), tool.update(), tool.end("failed")):
            with pytest.raises(LocalProtocolError, match="`Work` has ended"):
                await late
        with pytest.raises(LocalProtocolError, match="`Work` was used before"):
            await tool.__aenter__()
        assert _statuses(client) == ["pending", "completed"]

    run(scenario())


def test_a_status_that_is_not_final_ends_nothing() -> None:
    async def scenario() -> None:
        tool, _ = _tool()
        async with tool:
            with pytest.raises(ValueError, match="'paused' is not a final status"):
                await tool.end("paused")  # pyright: ignore

    run(scenario())


def test_a_block_that_outlives_its_turn_ends_in_silence() -> None:
    async def scenario() -> None:
        client = NotingClient()
        turn = Turn(Session("s", SessionRequest("/"), client), Prompt(()))
        async with turn.tool("Work") as tool:
            turn.over()
            with pytest.raises(LocalProtocolError, match="turn is over"):
                await tool.text("late")
        assert _statuses(client) == ["pending"]

    run(scenario())
