"""What an author says becomes the events of a session."""

import pytest
from msgspec import UNSET

from parley.sdk.report import Report
from parley.session.content import Location, Text
from parley.session.event import (
    ChunkAdded,
    Cost,
    ExitStatus,
    InfoChanged,
    NoticeGiven,
    PlanChanged,
    PlanRemoved,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    UsageChanged,
)
from parley.session.option import PlanEntry, PlanItems
from tests.sdk.fake_client import NotingClient
from tests.sdk.stage import run


def _report() -> tuple[Report, NotingClient]:
    client = NotingClient()
    return Report(client, "s", "/home"), client


def test_what_is_said_in_one_go_is_one_message() -> None:
    async def scenario() -> None:
        report, client = _report()
        await report.say("a")
        await report.say(Text("b"))
        first, second = client.events
        assert isinstance(first, ChunkAdded)
        assert first.message_id
        assert first == ChunkAdded("agent", Text("a"), first.message_id)
        assert second == ChunkAdded("agent", Text("b"), first.message_id)

    run(scenario())


def test_a_thought_a_tool_call_and_a_word_of_the_author_begin_a_new_message() -> None:
    async def scenario() -> None:
        report, client = _report()
        await report.say("1")
        await report.think("hm")
        await report.say("2")
        async with report.tool("work"):
            pass
        await report.say("3")
        report.new_message()
        await report.say("4")
        await report.replay_user("5")
        chunks = [event for event in client.events if isinstance(event, ChunkAdded)]
        assert [chunk.speaker for chunk in chunks] == [
            "agent",
            "thought",
            "agent",
            "agent",
            "agent",
            "user",
        ]
        assert len({chunk.message_id for chunk in chunks}) == 6

    run(scenario())


def test_ids_of_two_reports_never_meet() -> None:
    assert _report()[0].new_id("msg") != _report()[0].new_id("msg")


def test_what_is_neither_text_nor_content_is_refused() -> None:
    async def scenario() -> None:
        report, client = _report()
        with pytest.raises(TypeError, match="a text or a block of content is needed, not `int`"):
            await report.say(5)  # pyright: ignore
        assert client.events == []

    run(scenario())


def test_a_client_that_is_behind_is_waited_for() -> None:
    async def scenario() -> None:
        report, client = _report()
        client.blocked = True
        await report.say("a")
        await report.notice("b")
        async with report.tool("c"):
            pass
        assert client.drains == 4

    run(scenario())


def test_plans_notices_usage_and_titles_are_events() -> None:
    async def scenario() -> None:
        report, client = _report()
        done = PlanEntry("two", status="completed")
        assert await report.plan(["one", done]) == (PlanEntry("one"), done)
        await report.remove_plan()
        await report.notice("Careful", severity="warning", description="hot")
        await report.usage(10, 100, cost=(0.5, "EUR"))
        await report.usage(11, 100)
        await report.title("A name")
        assert client.events == [
            PlanChanged("main", PlanItems((PlanEntry("one"), done))),
            PlanRemoved("main"),
            NoticeGiven("Careful", "warning", "hot"),
            UsageChanged(10, 100, Cost(0.5, "EUR")),
            UsageChanged(11, 100, UNSET),
            InfoChanged(title="A name"),
        ]

    run(scenario())


def test_a_terminal_is_shown_as_it_runs() -> None:
    async def scenario() -> None:
        report, client = _report()
        screen = await report.terminal("make", cwd="src")
        await screen.write(b"ok")
        await screen.exit(0)
        assert client.events == [
            TerminalChanged(screen.id, command="make", cwd="/home/src"),
            TerminalOutputAdded(screen.id, b"ok"),
            TerminalChanged(screen.id, exit=ExitStatus(0)),
        ]

    run(scenario())


def test_a_tool_call_begins_with_what_is_known_of_it() -> None:
    async def scenario() -> None:
        report, client = _report()
        places = ["a.py", Location("/b.py", 3)]
        call = report.tool("Edit", kind="edit", name="edit", input={"x": 1}, locations=places)
        assert client.events == []
        async with call:
            assert client.events == [
                ToolCallChanged(
                    call.id,
                    title="Edit",
                    name="edit",
                    kind="edit",
                    status="pending",
                    locations=(Location("/home/a.py"), Location("/b.py", 3)),
                    raw_input={"x": 1},
                )
            ]
        assert report.tool("Other", id="mine").id == "mine"

    run(scenario())
