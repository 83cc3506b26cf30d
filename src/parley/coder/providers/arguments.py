"""The arguments of tool calls in APIs that carry them as JSON text, which models get wrong.

Pure: texts in, parts of a message out.
"""

from typing import Any, cast

import msgspec

from parley.coder.message import CallPart


def call_part(call_id: str, name: str, written: str, *, provider: str = "") -> CallPart:
    """A call whose arguments are the text that the model wrote."""
    arguments = arguments_from(written)
    if arguments is None:
        return CallPart(call_id, name, malformed=written, provider=provider)
    return CallPart(call_id, name, arguments, provider=provider)


def arguments_from(written: str) -> dict[str, Any] | None:
    """The arguments as an object, or `None` when the model wrote something else."""
    if written.strip() in ("", "null", '""'):
        # Tools without arguments are called in all these ways.
        return {}
    value = _decoded(written)
    if isinstance(value, str):
        # Small models encode the object twice.
        value = _decoded(value)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def arguments_text(call: CallPart) -> str:
    """The arguments as an API wants them back: always the JSON text of an object.

    Some servers decode it, and would fail for good on what the model wrote wrongly once.
    """
    if call.malformed is not None:
        return msgspec.json.encode({"malformed_arguments": call.malformed}).decode()
    return msgspec.json.encode(call.arguments).decode()


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
