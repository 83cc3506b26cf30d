"""What a client does in a session that is open: prompts, cancelling, options."""

import asyncio
import os
from collections.abc import Awaitable

import msgspec
from msgspec import UNSET

import parley.schema.v1 as v1
from parley.errors import InternalError, InvalidParams, ResourceNotFound, RpcError
from parley.protocol.endpoint import NoteRoute, Route, Routes
from parley.protocol.hosted import HostedSession, Withdrawn
from parley.protocol.settings import IAC_CODE, Settings
from parley.protocol.v1.client_handle import ClientHandle
from parley.protocol.v1.content import blocks_from, known, marked
from parley.protocol.v1.dialect import SETTING, SetModelRequest, SetModelResponse
from parley.protocol.v1.iac_dialect import with_markers
from parley.protocol.v1.option import first_of, option_models, value_for
from parley.protocol.v1.values import usage_model
from parley.rpc.peer import Call
from parley.schema.codec import encode
from parley.session.content import Audio, Block, Image, OtherBlock, Resource
from parley.session.event import Event
from parley.session.option import Option, OptionValue
from parley.session.patch import given
from parley.session.profile import AgentCapabilities
from parley.session.role import AgentRole, Ending, Interruptible, Prompt

_STOP_REASONS = frozenset({"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"})


class Turns:
    """Answers the requests about open sessions on one connection."""

    def __init__(
        self,
        role: AgentRole,
        handle: ClientHandle,
        capabilities: AgentCapabilities,
        settings: Settings,
    ) -> None:
        self._role = role
        self._handle = handle
        self._capabilities = capabilities
        self._settings = settings
        self._running: dict[str, set[asyncio.Task[None]]] = {}
        self._closing: set[str] = set()

    def add_to(self, routes: Routes) -> None:
        set_option = Route(v1.SetSessionConfigOptionRequest, self._set_option, SETTING)
        routes.calls |= {
            "session/prompt": Route(v1.PromptRequest, self._prompt),
            "session/set_mode": Route(v1.SetSessionModeRequest, self._set_mode),
            "session/set_model": Route(SetModelRequest, self._set_model, alias="session/set_model"),
            "session/set_config_option": set_option,
            "config/set": Route(set_option.params, set_option.handler, SETTING, "config/set"),
        }
        routes.notes["session/cancel"] = NoteRoute(v1.CancelNotification, self._cancel)

    async def settle(self, session_id: str) -> None:
        """Cancel what runs, and wait until it has been answered (V1-CLO-02).

        From here on the session takes no prompts, until `reopen`.
        """
        self._closing.add(session_id)
        session = self._handle.sessions.find(session_id)
        if session is not None:
            session.cancel()
        if running := self._running.get(session_id):
            await asyncio.wait(running, timeout=self._settings.deadline)

    def reopen(self, session_id: str) -> None:
        """The session takes prompts again, or is gone."""
        self._closing.discard(session_id)
        self._running.pop(session_id, None)

    async def _prompt(self, params: v1.PromptRequest, call: Call) -> v1.PromptResponse:
        session = self._handle.sessions.get(params.session_id)
        if session.id in self._closing:
            raise ResourceNotFound("Resource not found: no such session", {"sessionId": session.id})
        prompt = Prompt(
            self._accepted(blocks_from(params.prompt)), os.urandom(16).hex(), known(params.meta)
        )
        self._note_running(session.id)
        try:
            await session.enter()  # V1-PRM-14: one turn at a time, the others wait in order.
        except Withdrawn:
            return v1.PromptResponse(stop_reason="cancelled")
        try:
            ending = await session.run(
                lambda: self._role.prompt(session.id, prompt), lambda e: self._emit(session, e)
            )
        finally:
            self._handle.turn_ended(session.id)
        return self._answer(session.id, ending)

    def _accepted(self, content: tuple[Block, ...]) -> tuple[Block, ...]:
        """V1-PRM-02: the blocks, if all of them are of kinds that the agent takes."""
        can = self._capabilities
        if IAC_CODE in self._settings.dialects:
            content = with_markers(content, can)
        for block in content:
            refused = (
                (isinstance(block, Image) and not can.image)
                or (isinstance(block, Audio) and not can.audio)
                or (isinstance(block, Resource) and not can.embedded_context)
                or isinstance(block, OtherBlock)
            )
            if refused:
                raise InvalidParams(
                    "Invalid params: `prompt` holds a block that the agent does not take",
                    {"path": "prompt"},
                )
        return content

    def _note_running(self, session_id: str) -> None:
        """Remember the task that answers: when it is done, its answer has left."""
        task = asyncio.current_task()
        assert task is not None
        running = self._running.setdefault(session_id, set())
        running.add(task)
        task.add_done_callback(running.discard)

    def _emit(self, session: HostedSession, event: Event) -> None:
        if self._handle.sessions.find(session.id) is session:
            self._handle.emit(session.id, event)

    def _answer(self, session_id: str, ending: Ending) -> v1.PromptResponse:
        """How a turn ended, in the five words of version 1 (V1-PRM-05)."""
        if ending.stop_reason == "error":
            failure = ending.failure
            if failure is None:
                raise InternalError
            raise RpcError.of(failure.code, failure.message, failure.data)
        meta, reason = ending.meta, ending.stop_reason
        if reason not in _STOP_REASONS:
            self._settings.lose(
                "stop_reason", f"the reason `{reason}` is sent as `end_turn`", session_id
            )
            meta, reason = marked(meta, stopReason=reason), "end_turn"
        if ending.usage is None:
            return v1.PromptResponse(stop_reason=reason, meta=given(meta))
        usage = usage_model(ending.usage)
        if self._settings.unstable:  # V1-U-17
            return v1.PromptResponse(stop_reason=reason, usage=usage, meta=given(meta))
        # IAC-11: clients of that server read the member; all others know it as unstable.
        member = usage if IAC_CODE in self._settings.dialects else UNSET
        plain = msgspec.json.decode(encode(usage))
        return v1.PromptResponse(
            stop_reason=reason, usage=member, meta={**(meta or {}), "usage": plain}
        )

    def _cancel(self, params: v1.CancelNotification) -> Awaitable[None] | None:
        session = self._handle.sessions.find(params.session_id)
        if session is None or session.cancel():  # V1-CNC-08
            return None
        role = self._role
        return role.interrupt(session.id) if isinstance(role, Interruptible) else None

    # Options. Both forms stay in step (V1-MOD-05); what changes goes out before the answer.

    async def _set_option(
        self, params: v1.SetSessionConfigOptionRequest, call: Call
    ) -> v1.SetSessionConfigOptionResponse:
        session = self._handle.sessions.get(params.session_id)
        if isinstance(params, v1.OtherSetSessionConfigOptionRequest):
            value = params.extra.get("value")  # V1-CFG-11: an unknown type with a text is an id.
            if not isinstance(value, str):
                raise _not_offered("value")
        else:
            value = params.value
        chosen = next((option for option in session.options if option.id == params.config_id), None)
        if chosen is None:
            raise _not_offered("configId")
        options = await self._choose(session, chosen, value, "value")
        for update in self._handle.outgoing(session.id).answered(options):
            self._handle.post(session.id, update)
        models = option_models(
            options,
            self._handle.lose_in(session.id),
            booleans=self._handle.profile.capabilities.boolean_options,
        )
        return v1.SetSessionConfigOptionResponse(config_options=models)  # V1-CFG-08

    async def _set_mode(
        self, params: v1.SetSessionModeRequest, call: Call
    ) -> v1.SetSessionModeResponse:
        await self._set_listed(params.session_id, "mode", params.mode_id, "modeId")
        return v1.SetSessionModeResponse()

    async def _set_model(self, params: SetModelRequest, call: Call) -> SetModelResponse:
        await self._set_listed(params.session_id, "model", params.model_id, "modelId")
        return SetModelResponse()

    async def _set_listed(self, session_id: str, category: str, value: str, member: str) -> None:
        session = self._handle.sessions.get(session_id)
        option = first_of(session.options, category)
        if option is None:
            raise _not_offered(member)
        options = await self._choose(session, option, value, member)
        for update in self._handle.outgoing(session.id).chosen(options):
            self._handle.post(session.id, update)

    async def _choose(
        self, session: HostedSession, option: Option, value: OptionValue, member: str
    ) -> tuple[Option, ...]:
        """V1-CFG-10, V1-MOD-02: only what is offered, or nothing changes."""
        accepted = value_for(option, value)
        if accepted is None:
            raise _not_offered(member)
        session.options = await self._role.set_option(session.id, option.id, accepted)
        return session.options


def _not_offered(member: str) -> InvalidParams:
    return InvalidParams(f"Invalid params: `{member}` is not offered", {"path": member})
