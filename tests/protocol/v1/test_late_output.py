"""Output that was held back is shown a moment later."""

import asyncio
import json
from collections.abc import Iterable

import parley.schema.v1 as v1
from parley.errors import TransportError
from parley.protocol.v1.late_output import LateOutput
from parley.session.content import TerminalItem
from parley.session.event import TerminalOutputAdded, ToolCallChanged
from parley.session.role import ClientRole, Ending, Prompt
from tests.protocol.v1.roles import HELLO, NEW, TestAgent, kinds, run_agent
from tests.protocol.wire import RawPeer

UPDATE = v1.ToolCallProgress(tool_call_id="t")


class Session:
    """Sessions whose late output is one update each."""

    def __init__(self, *, gone: bool = False) -> None:
        self.posted: list[str] = []
        self.news = asyncio.Event()
        self.output = LateOutput(self._late, self._post, 0.001)
        self._gone = gone

    def _late(self, session_id: str) -> Iterable[v1.SessionUpdate]:
        self.news.set()
        return (UPDATE,)

    def _post(self, session_id: str, update: v1.SessionUpdate) -> None:
        if self._gone:
            raise TransportError
        self.posted.append(session_id)

    async def told(self) -> None:
        async with asyncio.timeout(5):
            await self.news.wait()


def test_it_is_shown_once_for_many_pieces() -> None:
    async def scenario() -> None:
        session = Session()
        for _ in range(3):
            session.output.expect("s")
        await session.told()
        assert session.posted == ["s"]
        session.news.clear()
        session.output.expect("s")
        await session.told()
        assert session.posted == ["s", "s"]

    asyncio.run(scenario())


def test_a_session_that_is_over_and_a_client_that_has_gone_are_left_in_peace() -> None:
    async def scenario() -> None:
        session, gone = Session(), Session(gone=True)
        session.output.expect("over")
        session.output.forget("over")
        session.output.forget("over")
        session.output.expect("other")
        gone.output.expect("s")
        await session.told()
        await gone.told()
        assert session.posted == ["other"]
        assert gone.posted == []

    asyncio.run(scenario())


def test_a_command_that_waits_has_shown_its_last_words() -> None:
    over = asyncio.Event()

    async def turn(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        item = TerminalItem("shell")
        client.emit(session_id, ToolCallChanged("t", title="Run", content=(item,)))
        for piece in (b"a", b"sk: "):
            client.emit(session_id, TerminalOutputAdded("shell", piece))
        await over.wait()
        return Ending()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        peer.ask("session/prompt", HELLO)
        await peer.until(lambda message: "ask: " in json.dumps(message))
        over.set()
        await peer.until(lambda message: "stopReason" in message.get("result", {}))
        assert kinds(peer) == ["tool_call", *["tool_call_update"] * 3]

    run_agent(scenario, TestAgent(turn))
