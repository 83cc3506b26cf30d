"""A prompt and what belongs to it, as a client of version 1 sees it.

Version 1 says that a turn is over by answering the prompt, and nothing else. So the message of the
user, the running state and the idle one are reported from here, as version 2 agents do by
themselves.
"""

import asyncio
import os
from contextlib import suppress

import parley.schema.v1 as v1
from parley.errors import AcpError, InternalError, RpcError, TransportError
from parley.protocol.endpoint import Endpoint
from parley.protocol.v1.client_serving import Serving
from parley.protocol.v1.content import Lose, block_model, known
from parley.protocol.v1.dialect import usage_in_meta
from parley.protocol.v1.updates import Incoming
from parley.protocol.v1.values import usage_from
from parley.session.event import Failure, MessageChanged, StateChanged
from parley.session.patch import given
from parley.session.role import ClientRole, Ending, Prompt


class Turns:
    """The prompts that have not been answered on one connection."""

    def __init__(self, endpoint: Endpoint, client: ClientRole, serving: Serving) -> None:
        self._endpoint = endpoint
        self._client = client
        self._serving = serving
        self._running: dict[str, int] = {}

    async def prompt(self, session_id: str, prompt: Prompt, lose: Lose) -> Ending:
        """One turn; every update of it has been reported when this returns (RPC-27)."""
        incoming = self._serving.sessions[session_id]
        request = v1.PromptRequest(
            session_id=session_id,
            prompt=[block_model(block, lose) for block in prompt.content],
            meta=given(prompt.meta),
        )
        self._begin(session_id, incoming, prompt)
        ending = Ending("cancelled")
        try:
            ending = await self._answer(session_id, request)
        except asyncio.CancelledError:
            with suppress(TransportError):
                self.cancel(session_id)
            raise
        except AcpError as error:
            ending = _failed(InternalError.CODE, str(error))
            raise
        finally:
            self._end(session_id, incoming, ending)
        return ending

    def cancel(self, session_id: str) -> None:
        """End the running turn of a session, and withdraw what waits behind it."""
        self._endpoint.post(v1.CancelNotification(session_id=session_id))
        if self._running.get(session_id):
            self._serving.cancelling.add(session_id)
        self._serving.withdraw_questions(session_id)
        incoming = self._serving.sessions.get(session_id)
        for change in () if incoming is None else incoming.cancelled():
            self._client.emit(session_id, change)

    def _begin(self, session_id: str, incoming: Incoming, prompt: Prompt) -> None:
        self._running[session_id] = self._running.get(session_id, 0) + 1
        incoming.expect_echo(prompt.content)
        message_id = prompt.message_id or os.urandom(16).hex()
        self._client.emit(session_id, MessageChanged("user", message_id, prompt.content))
        self._client.emit(session_id, StateChanged("running"))

    def _end(self, session_id: str, incoming: Incoming, ending: Ending) -> None:
        self._running[session_id] -= 1
        incoming.expect_echo(())
        if ending.stop_reason == "cancelled":
            for change in incoming.cancelled():
                self._client.emit(session_id, change)
        self._client.emit(
            session_id,
            StateChanged("idle", ending.stop_reason, ending.failure, ending.usage),
        )
        if self._running[session_id]:
            self._client.emit(session_id, StateChanged("running"))  # The next one has its turn.
        else:
            del self._running[session_id]
            self._serving.cancelling.discard(session_id)

    async def _answer(self, session_id: str, request: v1.PromptRequest) -> Ending:
        try:
            response = await self._endpoint.request(request)
        except RpcError as error:
            if session_id in self._serving.cancelling:
                # V1-CNC-05 wants another answer, but not every agent gives it.
                return Ending("cancelled")
            return _failed(error.code, error.message, error.data)
        meta = known(response.meta)
        usage = usage_from(response.usage)
        if usage is None and (usage := usage_in_meta(meta)) is not None:
            self._endpoint.dialects["usage in `_meta`"] += 1
        return Ending(response.stop_reason, usage, meta=meta)


def _failed(code: int, message: str, data: object = None) -> Ending:
    return Ending("error", failure=Failure(code, message, data))
