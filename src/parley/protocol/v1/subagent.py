"""Sessions that work for a session, between the neutral words and version 1. Unstable.

Pure. These updates patch like those of version 2: omitted keeps, null clears, a value replaces.
"""

from msgspec import UNSET, UnsetType

import parley.schema.v1 as v1
from parley.protocol.v1.content import Lose, block_from, block_model, blocks_from, known
from parley.protocol.v1.values import failure_from, failure_model, usage_from, usage_model
from parley.session.content import Block
from parley.session.event import (
    SessionMessageChanged,
    SessionMessageChunkAdded,
    StateChanged,
    SubagentChanged,
)
from parley.session.patch import given

SubagentEvent = SubagentChanged | SessionMessageChanged | SessionMessageChunkAdded
SubagentModel = v1.SubagentUpdate | v1.SessionMessage | v1.SessionMessageChunk


def subagent_model(event: SubagentEvent, lose: Lose) -> SubagentModel:
    match event:
        case SubagentChanged():
            return v1.SubagentUpdate(
                session_id=event.session_id,
                title=event.title,
                description=event.description,
                capabilities=_capabilities(event.cancellable),
                state=_state_model(event.state, lose),
                cwd=event.cwd,
                additional_directories=list(event.additional_directories)
                if isinstance(event.additional_directories, tuple)
                else event.additional_directories,
                meta=event.meta,
            )
        case SessionMessageChanged():
            return v1.SessionMessage(
                message_id=event.message_id,
                sender_session_id=event.sender_session_id,
                recipient_session_id=event.recipient_session_id,
                sender_message_id=event.sender_message_id,
                recipient_message_id=event.recipient_message_id,
                content=[block_model(block, lose) for block in event.content]
                if isinstance(event.content, tuple)
                else event.content,
                meta=event.meta,
            )
        case SessionMessageChunkAdded():
            return v1.SessionMessageChunk(
                message_id=event.message_id,
                content=block_model(event.content, lose),
                meta=given(event.meta),
            )


def subagent_from(model: SubagentModel) -> SubagentEvent:
    match model:
        case v1.SubagentUpdate():
            directories = model.additional_directories
            return SubagentChanged(
                model.session_id,
                model.title,
                model.description,
                _state_from(model.state),
                model.cwd,
                tuple(directories) if isinstance(directories, list) else directories,
                _cancellable(model.capabilities),
                model.meta,
            )
        case v1.SessionMessage():
            content: tuple[Block, ...] | UnsetType | None = UNSET
            if not isinstance(model.content, UnsetType):
                content = None if model.content is None else blocks_from(model.content)
            return SessionMessageChanged(
                model.message_id,
                model.sender_session_id,
                model.recipient_session_id,
                model.sender_message_id,
                model.recipient_message_id,
                content,
                model.meta,
            )
        case v1.SessionMessageChunk():
            return SessionMessageChunkAdded(
                model.message_id, block_from(model.content), known(model.meta)
            )


def _capabilities(
    cancellable: bool | UnsetType,
) -> v1.SubagentSessionCapabilities | UnsetType | None:
    if isinstance(cancellable, UnsetType):
        return UNSET
    if not cancellable:
        return None
    return v1.SubagentSessionCapabilities(cancel=v1.SessionCancelCapabilities())


def _cancellable(
    capabilities: v1.SubagentSessionCapabilities | UnsetType | None,
) -> bool | UnsetType:
    if isinstance(capabilities, UnsetType):
        return UNSET
    return capabilities is not None and known(capabilities.cancel) is not None


def _state_model(
    state: StateChanged | UnsetType | None, lose: Lose
) -> v1.StateUpdate | UnsetType | None:
    if not isinstance(state, StateChanged):
        return state
    if state.background:
        lose("state.background", "work in the background is not sent")
    return v1.StateUpdate(
        state=state.state,
        usage=UNSET if state.usage is None else usage_model(state.usage),
        stop_reason=given(state.stop_reason),
        error=UNSET if state.failure is None else failure_model(state.failure),
        meta=given(state.meta),
    )


def _state_from(model: v1.StateUpdate | UnsetType | None) -> StateChanged | UnsetType | None:
    if not isinstance(model, v1.StateUpdate):
        return model
    return StateChanged(
        model.state,
        known(model.stop_reason),
        failure_from(model.error),
        usage_from(model.usage),
        meta=known(model.meta),
    )
