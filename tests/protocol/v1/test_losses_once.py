"""A loss is reported when something is lost, and not again when it is only sent once more."""

import asyncio
from typing import Any

from parley.protocol.settings import Settings
from parley.protocol.v1.updates import Outgoing
from parley.session.content import ContentItem, DiffItem, FileChange, OtherItem, TerminalItem, Text
from parley.session.event import (
    BackgroundWork,
    Event,
    ExitStatus,
    PlanChanged,
    PlanRemoved,
    StateChanged,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolContentAdded,
)
from parley.session.option import PlanEntry, PlanItems
from parley.session.profile import ClientCapabilities
from parley.session.question import (
    Cancelled,
    FormQuestion,
    PermissionOption,
    PermissionQuestion,
    SessionScope,
    ToolCallSubject,
)
from parley.session.role import ClientRole, Ending, Prompt
from tests.protocol.v1.roles import HELLO, NEW, Losses, TestAgent, kinds, run_agent
from tests.protocol.wire import RawPeer

ODD = OtherItem("_odd", {"type": "_odd"})
MOVED = DiffItem((FileChange("move", "/b", "/a"),))
WORD = ContentItem(Text("word"))


def _lost(*events: Event) -> list[str]:
    lost: list[str] = []
    outgoing = Outgoing(ClientCapabilities(), lambda what, detail: lost.append(what))
    for event in events:
        outgoing.updates_for(event)
    return lost


def test_content_that_is_added_to_is_lost_once() -> None:
    call = ToolCallChanged("t", title="T", content=(ODD, MOVED))
    assert _lost(call) == ["tool_call.item", "diff"]
    added = [ToolContentAdded("t", WORD), ToolContentAdded("t", WORD), ToolContentAdded("t", ODD)]
    assert _lost(call, *added) == ["tool_call.item", "diff", "tool_call.item"]


def test_content_beside_a_terminal_that_grows_is_lost_once() -> None:
    call = ToolCallChanged("t", title="T", content=(TerminalItem("x"), ODD))
    output = [TerminalOutputAdded("x", b"o" * 1000) for _ in range(3)]
    ended = TerminalChanged("x", exit=ExitStatus(0))
    done = ToolCallChanged("t", status="completed")
    assert _lost(call, *output, ended, done) == ["terminal", "tool_call.item"]


def test_a_terminal_that_nobody_shows_is_lost_once() -> None:
    ended = TerminalChanged("x", exit=ExitStatus(0))
    assert _lost(ended, ended, TerminalOutputAdded("x", b"late")) == ["terminal", "terminal.hidden"]


def test_the_plan_that_changes_is_the_one_that_loses() -> None:
    given_up = PlanChanged("a", PlanItems((PlanEntry("x", status="cancelled"),)))
    other = PlanChanged("b", PlanItems((PlanEntry("y"),)))
    lost = _lost(given_up, other, other, PlanRemoved("b"))
    assert lost == ["plan.id", "plan.status", "plan.id", "plan.id"]


def test_background_work_that_stays_the_same_is_lost_once() -> None:
    work = (BackgroundWork("tool_call", "t"),)
    more = (*work, BackgroundWork("terminal", "x"))
    states = [StateChanged("idle", background=each) for each in (work, work, None, work, (), more)]
    assert _lost(*states) == ["state.background"] * 2


def test_a_tool_call_that_is_asked_about_is_told_and_lost_once() -> None:
    losses = Losses()
    change = ToolCallChanged("t", title="T", kind="_odd", status="paused", content=(ODD,))
    yes = PermissionOption("y", "Yes", "allow_once")

    async def prompt(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        client.emit(session_id, change)
        await client.ask(session_id, PermissionQuestion("T", (yes,), ToolCallSubject(change)))
        return Ending()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        asked = peer.ask("session/prompt", HELLO)
        request = await peer.request("session/request_permission")
        shown: dict[str, Any] = request["params"]["toolCall"]
        assert (shown["kind"], shown["status"]) == ("other", "in_progress")
        peer.reply(request, {"outcome": {"outcome": "selected", "optionId": "y"}})
        await peer.answer(asked)
        # The last one ends the call with the turn.
        assert kinds(peer) == ["tool_call", "tool_call_update"]
        assert sorted(losses.names()) == [
            "tool_call.item",
            "tool_call.kind",
            "tool_call.status",
        ]

    run_agent(scenario, TestAgent(prompt), Settings(on_loss=losses.append))


def test_an_answer_nobody_knows_is_reported() -> None:
    losses = Losses()
    question = FormQuestion("Who?", {"type": "object", "properties": {}}, SessionScope("s1"))

    async def prompt(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        assert await client.elicit(question) == Cancelled()
        return Ending()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        asked = peer.ask("session/prompt", HELLO)
        peer.reply(await peer.request("elicitation/create"), {"action": "_shrug"})
        assert "result" in await peer.answer(asked)
        assert losses.names() == ["elicitation.action"]

    run_agent(scenario, TestAgent(prompt), Settings(on_loss=losses.append))


def test_a_client_that_cancels_where_nothing_runs_interrupts_the_agent() -> None:
    interrupted: list[str] = []
    seen = asyncio.Event()

    class Busy(TestAgent):
        async def interrupt(self, session_id: str) -> None:
            interrupted.append(session_id)
            seen.set()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        peer.note("session/cancel", {"sessionId": "s1"})
        await seen.wait()
        assert interrupted == ["s1"]

    run_agent(scenario, Busy())
