"""Frames to messages and back: the envelope of JSON-RPC 2.0, and nothing of what methods mean.

`parse` never raises: any bytes give a message, or a `Malformed` that says what to answer.
Payloads (`params`, `result`) stay undecoded bytes, because only the layer above knows their type.
"""

import re
from typing import Any, Final, Literal, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from parley.errors import InvalidRequest, ParseError, RpcError

RequestId = int | str | None
Payload = bytes | Raw
"""Encoded JSON. `Raw` is a slice of the frame it arrived in; both encode and decode alike."""


class Request(Struct, frozen=True):
    id: RequestId
    method: str
    params: Payload


class Notification(Struct, frozen=True):
    method: str
    params: Payload


class Response(Struct, frozen=True):
    """An answer to one of our requests; `result` is null when there is an `error`."""

    id: RequestId
    result: Payload
    error: RpcError | None


class Malformed(Struct, frozen=True):
    """Not a message. `error` is the answer it deserves."""

    id: RequestId
    error: RpcError
    problem: str


class BrokenResponse(Struct, frozen=True):
    """Response-shaped, but not a response. It is never answered (RPC-11), yet it ends a wait."""

    id: RequestId
    problem: str


Single = Request | Notification | Response | Malformed | BrokenResponse


class Batch(Struct, frozen=True):
    entries: list[Single]


Message = Single | Batch

NOTHING: Final = Raw(b"")
"""Stands for params that are absent."""
NULL: Final = Raw(b"null")


class _Envelope(Struct):
    """The fast path: one native decode that succeeds exactly for what is well formed."""

    jsonrpc: Literal["2.0"]
    method: str | UnsetType = UNSET
    id: int | str | UnsetType | None = UNSET
    params: Raw = NOTHING
    result: Raw = NOTHING
    error: Raw = NOTHING


class _Error(Struct):
    code: int
    message: str
    data: Any = None


_decode_envelope = msgspec.json.Decoder(_Envelope).decode
_decode_error = msgspec.json.Decoder(_Error).decode
_decode_anything = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode

_ID_MIN, _ID_MAX = -(2**63), 2**64 - 1


def parse(frame: bytes) -> Message | None:
    """The message in a frame; `None` for a frame of white space, which is ignored (STD-09)."""
    try:
        envelope = _decode_envelope(frame)
        # The native decoder checks the grammar of what it skips, but not its UTF-8 (RPC-23).
        if not frame.isascii():
            str(frame, "utf-8")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _diagnose(frame)
    method = envelope.method
    id_ = envelope.id
    if method is not UNSET:
        if id_ is UNSET:
            return Notification(method, envelope.params)
        if type(id_) is int and not _ID_MIN <= id_ <= _ID_MAX:
            return _diagnose(frame)
        return Request(id_, method, envelope.params)
    if id_ is UNSET or not (envelope.result or envelope.error):
        return _diagnose(frame)
    return _response(id_, envelope.result, envelope.error)


def _response(id_: RequestId, result: Raw, error: Raw) -> Response | BrokenResponse:
    if not error:
        return Response(id_, result, None)
    # RPC-03: exactly one of the two. A null beside the other counts as absent, since peers
    # exist that always write both members.
    if result:
        if bytes(error) == b"null":
            return Response(id_, result, None)
        if bytes(result) != b"null":
            return BrokenResponse(id_, "both `result` and `error`")
    try:
        fault = _decode_error(error)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return BrokenResponse(id_, "`error` is not an error object")  # RPC-04
    return Response(id_, NULL, RpcError.of(fault.code, fault.message, fault.data))


def _diagnose(frame: bytes) -> Message | None:
    """The slow path: find out what is wrong with a frame that is not a plain message."""
    try:
        str(frame, "utf-8")
        value = _decode_anything(frame)
    except RecursionError:
        error = InvalidRequest("Invalid request: nested too deeply")
        return Malformed(id_in_head(frame[:HEAD]), error, "nested too deeply")
    except msgspec.ValidationError:
        # Well-formed JSON with a number that no machine number can hold.
        error = InvalidRequest("Invalid request: a number is out of range")
        return Malformed(id_in_head(frame[:HEAD]), error, "a number is out of range")
    except UnicodeDecodeError:
        return Malformed(None, ParseError("Parse error: not UTF-8"), "not UTF-8")  # RPC-24
    except msgspec.DecodeError:
        if not frame.strip():
            return None
        return Malformed(None, ParseError(), "not JSON")  # RPC-06
    if type(value) is list:
        return _batch(frame)
    return _diagnose_value(value)


def _batch(frame: bytes) -> Batch:
    entries: list[Single] = []
    for raw in msgspec.json.decode(frame, type=list[Raw]):
        entry = parse(bytes(raw))
        if isinstance(entry, Batch) or entry is None:
            entry = _invalid(None, "an array inside an array")
        entries.append(entry)
    return Batch(entries)


def _diagnose_value(value: Any) -> Malformed | BrokenResponse:
    if not isinstance(value, dict):
        return _invalid(None, "not an object")  # RPC-07
    members = cast("dict[str, Any]", value)
    raw_id = members.get("id")
    readable = type(raw_id) is str or (type(raw_id) is int and _ID_MIN <= raw_id <= _ID_MAX)
    id_: RequestId = raw_id if readable else None
    if "method" not in members and ("result" in members or "error" in members):
        return BrokenResponse(id_, "a response without a valid envelope")
    if members.get("jsonrpc") != "2.0":
        return _invalid(id_, '`jsonrpc` is not "2.0"')  # RPC-01
    if "id" in members and not readable and raw_id is not None:
        return _invalid(None, "`id` is neither a string nor an integer")
    if "method" not in members:
        return _invalid(id_, "`method` is missing")
    return _invalid(id_, "`method` is not a string")


def _invalid(id_: RequestId, problem: str) -> Malformed:
    return Malformed(id_, InvalidRequest(f"Invalid request: {problem}"), problem)


HEAD: Final = 4096
"""How much of a frame is searched for the id of a request that cannot be read as a whole."""


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[-+.\w]++|\S')


def id_in_head(head: bytes) -> RequestId:
    """The `id` of the object that begins with these bytes, if it stands there in full.

    It lets the caller of a request that was too large learn that it failed. Only members at the
    top level count, so an `id` inside `params` is never taken for the request's own.
    """
    depth = 0
    tokens: list[str] = _TOKEN.findall(str(head[:HEAD], "utf-8", "ignore"))
    for position, token in enumerate(tokens):
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
        elif depth == 1 and token == '"id"' and tokens[position + 1 : position + 2] == [":"]:
            value, follower = [*tokens[position + 2 : position + 4], "", ""][:2]
            return _id_of(value) if follower in (",", "}") else None
    return None


def _id_of(text: str) -> RequestId:
    try:
        id_ = msgspec.json.decode(text, type=int | str)
    except (msgspec.DecodeError, ValueError):
        return None
    return id_ if type(id_) is str or _ID_MIN <= int(id_) <= _ID_MAX else None


def request_frame(id_: RequestId, method: str, params: Payload) -> bytes:
    head = b'{"jsonrpc":"2.0","id":%b,"method":%b' % (_encode(id_), _encode(method))
    return b'%b,"params":%b}' % (head, bytes(params)) if params else head + b"}"


_notification_heads: dict[str, bytes] = {}


def notification_frame(method: str, params: Payload) -> bytes:
    if not params:
        return b'{"jsonrpc":"2.0","method":%b}' % _encode(method)
    head = _notification_heads.get(method)
    if head is None:
        head = b'{"jsonrpc":"2.0","method":%b,"params":' % _encode(method)
        if len(_notification_heads) < 256:  # Method names may come from outside.
            _notification_heads[method] = head
    return head + params + b"}"


def result_frame(id_: RequestId, result: Payload) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (_encode(id_), bytes(result) or b"null")


def error_frame(id_: RequestId, error: RpcError) -> bytes:
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:  # An absent `data` is omitted, never written as null.
        body["data"] = error.data
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (_encode(id_), _encode(body))
