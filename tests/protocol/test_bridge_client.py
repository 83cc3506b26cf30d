"""What a bridge keeps from its client, what it tells, and whose message is whose."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parley.errors import ConnectionLost, LocalProtocolError
from parley.protocol.bridge_client import BridgedClient, Turn
from parley.protocol.bridge_loss import LossGate
from parley.protocol.settings import Loss
from parley.session.content import Image, Text
from parley.session.event import (
    ChunkAdded,
    Event,
    InfoChanged,
    MessageChanged,
    StateChanged,
    ToolCallChanged,
)
from parley.session.profile import ClientProfile
from parley.session.question import (
    Cancelled,
    Dismissed,
    FormQuestion,
    PermissionQuestion,
    RequestScope,
    SessionScope,
)
from parley.session.role import Prompt

CHUNK = ChunkAdded("agent", Text("x"))
FORM = FormQuestion("Who?", {"type": "object"}, SessionScope("s"))


class Deaf:
    """A client that cannot be reached, or has no such session."""

    profile = ClientProfile()
    files = None
    terminals = None
    blocked = True

    def __init__(self, problem: Exception | None = None) -> None:
        self.problem = problem
        self.seen: list[Event] = []

    def emit(self, session_id: str, event: Event) -> None:
        if self.problem is not None:
            raise self.problem
        self.seen.append(event)

    async def drain(self) -> None:
        assert self.problem is not None
        raise self.problem

    async def ask(self, session_id: str, question: PermissionQuestion) -> Any:
        await self.drain()

    async def elicit(self, question: Any) -> Any:
        await self.drain()

    def complete_elicitation(self, elicitation_id: str) -> None:
        self.emit("", CHUNK)

    async def call(self, method: str, params: Any) -> Any:
        await self.drain()

    def tell(self, method: str, params: Any) -> None:
        self.emit("", CHUNK)


def _bridged(problem: Exception | None = None) -> tuple[BridgedClient, Deaf, list[str]]:
    lost: list[str] = []

    def report(loss: Loss) -> None:
        lost.append(loss.what)

    client = BridgedClient(LossGate(report, strict=False))
    client.client = deaf = Deaf(problem)
    return client, deaf, lost


def _run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(5):
            await scenario()

    asyncio.run(bounded())


def test_a_client_that_is_gone_is_no_trouble_for_the_agent() -> None:
    async def scenario() -> None:
        client, _, lost = _bridged(ConnectionLost("gone"))
        assert client.blocked
        assert (client.files, client.terminals, client.profile.version) == (None, None, 1)
        client.emit("s", CHUNK)
        client.tell("_x", {})
        client.complete_elicitation("e")
        await client.drain()
        question = PermissionQuestion("T", ())
        assert await client.ask("s", question) == Dismissed()
        with pytest.raises(ConnectionLost):
            await client.call("_x", {})
        assert lost == []

    _run(scenario)


def test_what_cannot_be_asked_is_not_allowed() -> None:
    async def scenario() -> None:
        client, _, lost = _bridged(LocalProtocolError("not open"))
        assert await client.ask("s", PermissionQuestion("T", ())) == Dismissed()
        assert await client.elicit(FORM) == Cancelled()
        assert lost == ["elicitation.question"]

    _run(scenario)


def test_a_question_about_no_request_of_the_client_is_lost() -> None:
    async def scenario() -> None:
        client, _, lost = _bridged()
        question = FormQuestion("Who?", {"type": "object"}, RequestScope(7))
        assert await client.elicit(question) == Cancelled()
        assert lost == ["elicitation.scope"]

    _run(scenario)


def test_a_session_that_the_client_does_not_know_is_lost_once() -> None:
    client, _, lost = _bridged(LocalProtocolError("not open"))
    client.closed("closed")
    for session_id in ("child", "child", "closed"):
        client.emit(session_id, CHUNK)
    assert lost == ["session.unknown"]
    client.opened("child")
    client.emit("child", CHUNK)
    assert lost == ["session.unknown"] * 2


def test_unprompted_work_is_reported_until_the_next_prompt() -> None:
    async def scenario() -> None:
        client, deaf, lost = _bridged()
        client.unprompted.is_visible = False
        client.emit("s", InfoChanged("T"))
        assert lost == []
        client.emit("s", CHUNK)
        client.emit("s", StateChanged("running"))
        assert "s" in client.unprompted
        client.emit("s", StateChanged("idle"))
        assert "s" not in client.unprompted
        assert lost == ["state.unprompted"]
        await client.unprompted.rest("s")
        client.emit("s", CHUNK)
        assert lost == ["state.unprompted"] * 2
        assert len(deaf.seen) == 5

    _run(scenario)


def test_a_client_that_sees_states_waits_for_none() -> None:
    async def scenario() -> None:
        client, _, lost = _bridged()
        client.emit("s", StateChanged("running"))
        await client.unprompted.rest("s")
        assert "s" in client.unprompted
        client.unprompted.end()
        assert "s" not in client.unprompted
        assert lost == []

    _run(scenario)


def test_how_a_cancelled_tool_call_ends_is_left_to_the_agent() -> None:
    client, deaf, _ = _bridged()
    cancelled = ToolCallChanged("t", status="cancelled")
    others = [ToolCallChanged("t", status="failed"), CHUNK]
    with client.cancelling("s"):
        for event in (cancelled, *others):
            client.emit("s", event)
    assert deaf.seen == others
    client.emit("s", cancelled)
    assert deaf.seen[-1] == cancelled


def _message(text: str, message_id: str) -> MessageChanged:
    return MessageChanged("user", message_id, (Text(text),))


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([_message("go on", "m"), _message("go on", "m")], []),
        ([_message(" go\non ", "m")], []),
        ([_message("go", "m"), _message("go on", "n")], [0]),
        ([_message("go on", "m"), _message("go on", "n")], [1]),
        ([_message("else", "ours")], []),
        ([ChunkAdded("user", Text("go "), "m"), ChunkAdded("user", Text("on!"), "m")], []),
        ([ChunkAdded("user", Text("on"), "m")], [0]),
        ([ChunkAdded("user", Text("go"), None), ChunkAdded("user", Text("on"), None)], []),
        ([MessageChanged("user", "m"), ChunkAdded("user", Text("go on"), "m")], []),
        ([ChunkAdded("user", Image("AAAA", "image/png"), "m")], []),
        ([ChunkAdded("agent", Text("go on"), "m"), CHUNK], [0, 1]),
    ],
)
def test_the_first_message_that_repeats_the_prompt_is_its_echo(
    events: list[Event], told: list[int]
) -> None:
    async def scenario() -> None:
        turn = Turn(Prompt((Text("go on\n"),), "ours"))
        heard = [number for number, event in enumerate(events) if not turn.is_echo(event)]
        assert heard == told

    _run(scenario)
