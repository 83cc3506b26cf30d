"""The client of a bridge, as the agent behind the bridge sees it.

What the agent says goes on to the client as it is, up to three things. The echo of a prompt is the
client's own message, and it is not shown twice. A question that belongs to a request is put under
the id that the client knows. And work that no prompt asked for is noticed, because version 1 has
no word for it.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

from msgspec.structs import replace

from parley.errors import LocalProtocolError, TransportError
from parley.protocol.bridge_loss import LossGate, Work, refusable
from parley.protocol.endpoint import Beside, Endpoint, passed_on
from parley.protocol.settings import Loss
from parley.session.content import Block, Text
from parley.session.event import (
    ChunkAdded,
    Event,
    MessageChanged,
    PlanChanged,
    StateChanged,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolContentAdded,
)
from parley.session.profile import ClientProfile
from parley.session.question import (
    Cancelled,
    Dismissed,
    Elicitation,
    ElicitationAnswer,
    PermissionAnswer,
    PermissionQuestion,
    RequestScope,
)
from parley.session.role import ClientRole, Files, Prompt, Terminals


class BridgedClient:
    """Implements `ClientRole` with a client that is somewhere else."""

    client: ClientRole

    def __init__(self, gate: LossGate) -> None:
        self.unprompted = Unprompted(gate)
        self._gate = gate
        self._strangers: set[str] = set()
        """Sessions that the client does not have open, and of which that is known."""
        self._quiet: set[str] = set()
        self.endpoint: Endpoint | None = None
        """The connection to the agent, once there is one."""

    # What the bridge itself says.

    def opened(self, session_id: str) -> None:
        self._strangers.discard(session_id)

    def closed(self, session_id: str) -> None:
        """The client has closed the session; what the agent still says of it is for nobody."""
        self._strangers.add(session_id)
        self.unprompted.forget(session_id)

    @contextmanager
    def cancelling(self, session_id: str) -> Generator[None]:
        """A turn is being cancelled: how its tool calls end is for the agent to say."""
        self._quiet.add(session_id)
        try:
            yield
        finally:
            self._quiet.discard(session_id)

    # What the agent asks.

    @property
    def profile(self) -> ClientProfile:
        return self.client.profile

    @property
    def files(self) -> Files | None:
        return self.client.files

    @property
    def terminals(self) -> Terminals | None:
        return self.client.terminals

    def emit(self, session_id: str, event: Event) -> None:
        work = self._gate.work_in(session_id)
        turn = work if isinstance(work, Turn) else None
        if isinstance(event, StateChanged):
            self.unprompted.take_state(session_id, event.state, prompted=turn is not None)
        elif work is None and isinstance(event, _CONTENT) and session_id not in self._strangers:
            self.unprompted.report(session_id)
        if turn is not None and turn.is_echo(event):
            return
        if session_id in self._quiet and _is_cancelled_call(event):
            return
        try:
            self.client.emit(session_id, event)
        except LocalProtocolError:
            self._meet(session_id)
        except TransportError:
            pass  # The client is gone, and the bridge ends with it.

    @property
    def blocked(self) -> bool:
        return self.client.blocked

    async def drain(self) -> None:
        with suppress(TransportError):
            await self.client.drain()

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        refusable()
        passed_on.set(Beside())
        try:
            return await self.client.ask(session_id, question)
        except (LocalProtocolError, TransportError):
            return Dismissed()  # What cannot be asked is not allowed.

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        refusable()
        passed_on.set(Beside())
        scope = question.scope
        if isinstance(scope, RequestScope):
            call = self.endpoint and self.endpoint.connection.cause_of(scope.request_id)
            if call is None:
                detail = "a question about no request of the client"
                self._gate.to_client(Loss("elicitation.scope", detail))
                return Cancelled()
            question = replace(question, scope=RequestScope(call.id))
        try:
            return await self.client.elicit(question)
        except LocalProtocolError as problem:
            detail = f"a question that cannot be asked: {problem}"
            self._gate.to_client(Loss("elicitation.question", detail))
            return Cancelled()

    def complete_elicitation(self, elicitation_id: str) -> None:
        with suppress(TransportError):
            self.client.complete_elicitation(elicitation_id)

    async def call(self, method: str, params: Any) -> Any:
        return await self.client.call(method, params)

    def tell(self, method: str, params: Any) -> None:
        with suppress(TransportError):
            self.client.tell(method, params)

    def _meet(self, session_id: str) -> None:
        if session_id not in self._strangers:
            self._strangers.add(session_id)
            detail = "updates of a session that the client did not open"
            self._gate.to_client(Loss("session.unknown", detail, session_id))


_CONTENT = (
    ChunkAdded
    | MessageChanged
    | ToolCallChanged
    | ToolContentAdded
    | TerminalChanged
    | TerminalOutputAdded
    | PlanChanged
)


class Unprompted:
    """Sessions that work although no prompt of the client runs.

    A version that reports states says so by itself. For the other one it is a loss, and prompts
    wait until such work has ended, because there one thing at a time happens in a session.
    """

    def __init__(self, gate: LossGate) -> None:
        self._gate = gate
        self._working: dict[str, asyncio.Event] = {}
        """Those that work now; set when they rest."""
        self._reported: set[str] = set()
        self.is_visible = True
        """Whether the client sees states."""

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._working

    async def rest(self, session_id: str) -> None:
        """Wait until a prompt may begin; later work without one is reported anew."""
        self._reported.discard(session_id)
        working = self._working.get(session_id)
        if working is not None and not self.is_visible:
            await working.wait()

    def take_state(self, session_id: str, state: str, *, prompted: bool) -> None:
        if state == "idle":
            self._rests(session_id)
        elif not prompted:
            self._working.setdefault(session_id, asyncio.Event())
            self.report(session_id)

    def report(self, session_id: str) -> None:
        """Something happens in the session, and no prompt is the reason."""
        if not self.is_visible and session_id not in self._reported:
            self._reported.add(session_id)
            detail = "work that no prompt asked for is not marked as such"
            self._gate.to_client(Loss("state.unprompted", detail, session_id))

    def forget(self, session_id: str) -> None:
        self._reported.discard(session_id)
        self._rests(session_id)

    def end(self) -> None:
        """The agent is gone, and nothing works any more."""
        for session_id in list(self._working):
            self._rests(session_id)

    def _rests(self, session_id: str) -> None:
        working = self._working.pop(session_id, None)
        if working is not None:
            working.set()


class Turn(Work):
    """A prompt of the client that runs, and what the client already knows of it."""

    def __init__(self, prompt: Prompt) -> None:
        super().__init__()
        self._text = _words(prompt.content)
        self._ids = {prompt.message_id} - {None}
        self._echoed = False

    def is_echo(self, event: Event) -> bool:
        """Whether the event only repeats the prompt.

        Any other message of the user was not caused by this client, and it must be told.
        """
        if not isinstance(event, MessageChanged | ChunkAdded) or event.speaker != "user":
            return False
        if event.message_id in self._ids:
            return True
        if self._echoed or not self._repeats(event):
            return False
        self._echoed = True
        self._ids.add(event.message_id)
        return True

    def _repeats(self, event: MessageChanged | ChunkAdded) -> bool:
        if isinstance(event, ChunkAdded):
            return self._text.startswith(_words((event.content,)))  # The rest may follow.
        return not event.content or _words(event.content) == self._text


def _words(blocks: tuple[Block, ...]) -> str:
    """The text, however its white space is set."""
    text = "".join(block.text for block in blocks if isinstance(block, Text))
    return " ".join(text.split())


def _is_cancelled_call(event: Event) -> bool:
    return isinstance(event, ToolCallChanged) and event == ToolCallChanged(
        event.id, status="cancelled"
    )
