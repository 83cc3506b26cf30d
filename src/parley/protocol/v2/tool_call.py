"""Tool calls and terminals, in the words of version 2 and back. Pure.

Fields of an update keep their three states: omitted, null, value (V2-TC-03).
"""

import base64
import binascii
from typing import TypeVar

from msgspec import UNSET, UnsetType

from parley.protocol.v2.content import item_from, item_model, location_from, location_model
from parley.protocol.v2.loss import Lose, given, mapped, told
from parley.protocol.v2.values import is_absolute
from parley.schema import v2
from parley.session.event import (
    ExitStatus,
    TerminalChanged,
    TerminalOutputAdded,
    TerminalSize,
    ToolCallChanged,
    ToolContentAdded,
)

M = TypeVar("M", v2.ToolCallUpdate, v2.ToolCallProgress)


def tool_call_update(event: ToolCallChanged, lose: Lose) -> v2.ToolCallProgress:
    return _filled(v2.ToolCallProgress, event, lose)


def tool_call_model(event: ToolCallChanged, lose: Lose) -> v2.ToolCallUpdate:
    """The same as the subject of a permission."""
    return _filled(v2.ToolCallUpdate, event, lose)


def _filled(kind: type[M], event: ToolCallChanged, lose: Lose) -> M:
    return kind(
        tool_call_id=event.id,
        name=event.name,
        title=event.title,
        kind=event.kind,
        status=event.status,
        content=mapped(event.content, lambda items: [item_model(item, lose) for item in items]),
        locations=mapped(event.locations, lambda all: [location_model(each, lose) for each in all]),
        raw_input=event.raw_input,
        raw_output=event.raw_output,
        capabilities=mapped(event.cancellable, _tool_call_capabilities),
        meta=event.meta,
    )


def tool_call_from(model: v2.ToolCallUpdate) -> ToolCallChanged:
    return ToolCallChanged(
        model.tool_call_id,
        title=model.title,
        name=model.name,
        kind=model.kind,
        status=model.status,
        content=mapped(model.content, lambda items: tuple(map(item_from, items))),
        locations=mapped(model.locations, lambda all: tuple(map(location_from, all))),
        raw_input=model.raw_input,
        raw_output=model.raw_output,
        cancellable=_cancellable(model.capabilities),
        meta=model.meta,
    )


def _tool_call_capabilities(cancellable: bool) -> v2.ToolCallCapabilities | None:
    if not cancellable:
        return None
    return v2.ToolCallCapabilities(cancel=v2.ToolCallCancelCapabilities())


def _cancellable(
    capabilities: v2.ToolCallCapabilities | v2.TerminalCapabilities | UnsetType | None,
) -> bool | UnsetType:
    """V2-TCX-05: omitted says nothing, null is none, an object replaces what was there."""
    if isinstance(capabilities, UnsetType):
        return UNSET
    return capabilities is not None and told(capabilities.cancel) is not None


def tool_content_chunk(event: ToolContentAdded, lose: Lose) -> v2.ToolCallContentChunk:
    return v2.ToolCallContentChunk(
        tool_call_id=event.id, content=item_model(event.item, lose), meta=given(event.meta)
    )


def tool_content_from(model: v2.ToolCallContentChunk) -> ToolContentAdded:
    return ToolContentAdded(model.tool_call_id, item_from(model.content), told(model.meta))


# Terminals.


def terminal_update(event: TerminalChanged, lose: Lose) -> v2.TerminalUpdate:
    cwd = event.cwd
    if isinstance(cwd, str) and not is_absolute(cwd):
        lose("terminal.cwd", "a directory that is not absolute")  # V2-TRM-07
        cwd = UNSET
    return v2.TerminalUpdate(
        terminal_id=event.id,
        command=event.command,
        cwd=cwd,
        output=mapped(event.output, lambda data: v2.TerminalOutput(data=_encoded(data))),
        exit_status=mapped(event.exit, lambda exit: _exit_model(exit, lose)),
        size=mapped(event.size, lambda size: _size_model(size, lose)),
        capabilities=mapped(event.cancellable, _terminal_capabilities),
        meta=event.meta,
    )


def terminal_from(model: v2.TerminalUpdate, lose: Lose) -> TerminalChanged:
    output = mapped(model.output, lambda output: _decoded(output.data, lose))
    if output is None and model.output is not None:
        output = UNSET  # Bad output says nothing, instead of clearing what is shown.
    return TerminalChanged(
        model.terminal_id,
        command=model.command,
        cwd=model.cwd,
        output=output,
        exit=mapped(model.exit_status, _exit_from),
        size=mapped(model.size, lambda size: TerminalSize(size.cols, size.rows, told(size.meta))),
        cancellable=_cancellable(model.capabilities),
        meta=model.meta,
    )


def _terminal_capabilities(cancellable: bool) -> v2.TerminalCapabilities | None:
    return v2.TerminalCapabilities(cancel=v2.TerminalCancelCapabilities()) if cancellable else None


def terminal_output_chunk(event: TerminalOutputAdded) -> v2.TerminalOutputChunk:
    return v2.TerminalOutputChunk(
        terminal_id=event.id,
        data=_encoded(event.data),
        meta=given(event.meta),
    )


def terminal_output_from(model: v2.TerminalOutputChunk, lose: Lose) -> TerminalOutputAdded | None:
    # V2-TRM-05: each chunk is decoded alone.
    data = _decoded(model.data, lose)
    return None if data is None else TerminalOutputAdded(model.terminal_id, data, told(model.meta))


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _decoded(data: str, lose: Lose) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        lose("terminal.output", "output that is not Base64")
        return None


def _exit_model(exit: ExitStatus, lose: Lose) -> v2.TerminalExitStatus:
    code = exit.code
    if code is not None and not -(2**63) <= code < 2**63:
        lose("terminal.exit", "an exit code outside the range")
        code = None
    return v2.TerminalExitStatus(
        exit_code=given(code), signal=given(exit.signal), meta=given(exit.meta)
    )


def _exit_from(model: v2.TerminalExitStatus) -> ExitStatus:
    # V2-TRM-08: even an empty status says that the command has ended.
    return ExitStatus(told(model.exit_code), told(model.signal), told(model.meta))


def _size_model(size: TerminalSize, lose: Lose) -> v2.TerminalSize | UnsetType:
    if not (1 <= size.columns < 2**16 and 1 <= size.rows < 2**16):
        lose("terminal.size", "a size outside the range")
        return UNSET
    return v2.TerminalSize(cols=size.columns, rows=size.rows, meta=given(size.meta))
