"""What a session does, in the words of version 2 and back. Pure.

A stop reason, a failure and usage belong to `idle`; with any other state they are not sent and
not read. A failure belongs to the stop reason `error`.
"""

from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from parley.protocol.v2.loss import Lose, given, members_of, told
from parley.schema import v2
from parley.session.event import BackgroundWork, Failure, StateChanged, TurnUsage

INTERNAL_ERROR = -32603
NO_DETAILS = Failure(INTERNAL_ERROR, "the agent gave no details")

M = TypeVar("M", v2.StateUpdate, v2.SessionStateUpdate)


def state_model(kind: type[M], event: StateChanged, *, unstable: bool, lose: Lose) -> M:
    state = event.state
    if state == "unknown" and not unstable:
        # V2-PRM-20: whoever does not know the state takes it for busy, so this says the same.
        lose("state.unknown", "a state nobody knows, sent as `running`")
        state = "running"
    background = UNSET
    if event.background is not None:
        background = _background_models(event.background, unstable=unstable, lose=lose)
    if state != "idle":
        return kind(state=state, background=background, meta=given(event.meta))
    usage = event.usage
    if usage is not None and not unstable:
        lose("state.usage", "the tokens of a turn")
        usage = None
    failed = event.stop_reason == "error"
    return kind(
        state=state,
        background=background,
        usage=UNSET if usage is None else _usage_model(usage),
        stop_reason=given(event.stop_reason),
        # V2-PRM-24: the reason `error` says what the error was.
        error=_error_model(event.failure or NO_DETAILS) if failed else UNSET,
        meta=given(event.meta),
    )


def state_from(model: v2.StateUpdate) -> StateChanged:
    background = told(model.background)
    work = None if background is None else tuple(map(_background_from, background))
    if model.state != "idle":
        return StateChanged(model.state, background=work, meta=told(model.meta))
    usage, error = told(model.usage), told(model.error)
    reason = told(model.stop_reason)
    failure = None
    if reason == "error":
        failure = NO_DETAILS
        if error is not None:
            failure = Failure(error.code, error.message, told(error.data))
    return StateChanged(
        model.state,
        reason,
        failure,
        None if usage is None else _usage_from(usage),
        work,
        told(model.meta),
    )


def _error_model(failure: Failure) -> v2.Error:
    code = failure.code if -(2**31) <= failure.code < 2**31 else INTERNAL_ERROR
    return v2.Error(code=code, message=failure.message, data=given(failure.data))


def _usage_model(usage: TurnUsage) -> v2.Usage:
    return v2.Usage(
        total_tokens=max(0, usage.total),
        input_tokens=max(0, usage.input),
        output_tokens=max(0, usage.output),
        thought_tokens=given(usage.thought),
        cached_read_tokens=given(usage.cached_read),
        cached_write_tokens=given(usage.cached_write),
        meta=given(usage.meta),
    )


def _usage_from(model: v2.Usage) -> TurnUsage:
    return TurnUsage(
        model.total_tokens,
        model.input_tokens,
        model.output_tokens,
        told(model.thought_tokens),
        told(model.cached_read_tokens),
        told(model.cached_write_tokens),
        told(model.meta),
    )


def _background_models(
    work: tuple[BackgroundWork, ...], *, unstable: bool, lose: Lose
) -> list[v2.BackgroundWork]:
    seen: set[tuple[str, str]] = set()
    models: list[v2.BackgroundWork] = []
    for each in work:
        model = _background_model(each, unstable=unstable, lose=lose)
        # V2-BGW-04: each piece of work is listed once. What is unknown cannot be told apart.
        if isinstance(model, UnsetType) or (each.kind, each.id) in seen:
            continue
        if not isinstance(model, v2.OtherBackgroundWork):
            seen.add((each.kind, each.id))
        models.append(model)
    return models


def _background_model(
    work: BackgroundWork, *, unstable: bool, lose: Lose
) -> v2.BackgroundWork | UnsetType:
    match work.kind:
        case "terminal":
            return v2.BackgroundTerminal(terminal_id=work.id, meta=given(work.meta))
        case "tool_call":
            return v2.BackgroundToolCall(tool_call_id=work.id, meta=given(work.meta))
        case "subagent" if unstable:
            return v2.BackgroundSubagent(session_id=work.id, meta=given(work.meta))
        case "subagent":
            lose("state.background", "a sub-agent that works in the background")
            return UNSET
        case kind:
            raw: dict[str, Any] = {"id": work.id} if work.raw is None else work.raw
            return v2.OtherBackgroundWork.of({**raw, "type": kind})


def _background_from(model: v2.BackgroundWork) -> BackgroundWork:
    match model:
        case v2.BackgroundTerminal(terminal_id=id, meta=meta):
            return BackgroundWork("terminal", id, meta=told(meta))
        case v2.BackgroundToolCall(tool_call_id=id, meta=meta):
            return BackgroundWork("tool_call", id, meta=told(meta))
        case v2.BackgroundSubagent(session_id=id, meta=meta):
            return BackgroundWork("subagent", id, meta=told(meta))
        case v2.OtherBackgroundWork():
            # V2-BGW-05: unknown work is work all the same.
            raw = members_of(model)
            return BackgroundWork(model.tag, str(raw.get("id", "")), raw)
