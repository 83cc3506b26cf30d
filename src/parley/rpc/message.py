"""Frames to messages and back: the envelope of JSON-RPC 2.0, and nothing of what methods mean.

`parse` never raises: any bytes give a message, or a `Malformed` that says what to answer.
Payloads (`params`, `result`) stay undecoded bytes, because only the layer above knows their type.

JSON is taken strictly: `NaN`, `Infinity` and an escaped half of a surrogate pair, which no Unicode
text can hold, are parse errors like any other.
"""

import re
from typing import Any, Final, Literal

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
    answers: RequestId = None
    """The request of ours that it would have answered, as far as the wreck can be read."""


class BrokenResponse(Struct, frozen=True):
    """Response-shaped, but not a response. It is never answered (RPC-11), yet it ends a wait."""

    id: RequestId
    problem: str


Single = Request | Notification | Response | Malformed | BrokenResponse


class Batch(Struct, frozen=True):
    """An array. It stays in one piece, since most peers refuse it whole; see `entries_of`."""

    frame: bytes


Message = Single | Batch

NOTHING: Final = Raw(b"")
"""Stands for params that are absent."""
NULL: Final = Raw(b"null")


_ABSENT: Final = "an absent method"
"""Stands for a method that is absent. It is told by identity, so no peer can send it: a decoded
string is an object of its own, except for those of one character, which are shared."""


class Envelope(Notification, frozen=True, kw_only=True):
    """The fast path: one native decode that succeeds exactly for what is well formed.

    Notifications are what there is most of, so the envelope of one is the notification itself.
    """

    jsonrpc: Literal["2.0"]
    method: str = _ABSENT
    params: Raw = NOTHING
    id: int | str | UnsetType | None = UNSET
    result: Raw = NOTHING
    error: Raw = NOTHING


class _Members(Struct):
    """The slow path: the same members, whatever their types."""

    jsonrpc: Raw = NOTHING
    id: Raw = NOTHING
    method: Raw = NOTHING
    result: Raw = NOTHING
    error: Raw = NOTHING


class _Error(Struct):
    code: int
    message: str
    data: Any = None


_decode_envelope = msgspec.json.Decoder(Envelope).decode
_decode_members = msgspec.json.Decoder(_Members).decode
_decode_error = msgspec.json.Decoder(_Error).decode
_decode_text = msgspec.json.Decoder(str).decode
_decode_id = msgspec.json.Decoder(int | str).decode
_split = msgspec.json.Decoder(list[Raw]).decode
# Checks the grammar and builds nothing, so that a large frame of tiny values costs no memory.
_skim = msgspec.json.Decoder(Raw).decode
_encode = msgspec.json.Encoder().encode

_UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_ID_MIN, _ID_MAX = -(2**63), 2**64 - 1


def parse(frame: bytes) -> Message | None:
    """The message in a frame; `None` for a frame of white space, which is ignored (STD-09)."""
    try:
        envelope = _decode_envelope(frame)
        # The native decoder checks the grammar of what it skips, but not its UTF-8 (RPC-23).
        if not frame.isascii():
            str(frame, "utf-8")
    except _UNDECODABLE:
        return _diagnose(frame)
    method = envelope.method
    id_ = envelope.id
    if method is not _ABSENT:
        if id_ is UNSET:
            return envelope
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
    except _UNDECODABLE:
        return BrokenResponse(id_, "`error` is not an error object")  # RPC-04
    return Response(id_, NULL, RpcError.of(fault.code, fault.message, fault.data))


def entries_of(batch: Batch) -> list[Single]:
    """What the entries of an array are, each for itself."""
    try:
        entries = [parse(bytes(entry)) for entry in _split(batch.frame)]
    except RecursionError:
        return [_invalid(None, _TOO_DEEP)]
    nested = _invalid(None, "an array inside an array")
    return [nested if isinstance(entry, Batch | None) else entry for entry in entries]


def unreadable(head: bytes, error: RpcError, problem: str) -> Malformed | BrokenResponse:
    """What stands for a message of which no more than its first bytes can be read.

    The caller of a request learns that it failed, and a response ends the wait for it.
    """
    id_, is_response = _glance(head)
    return BrokenResponse(id_, problem) if is_response else Malformed(id_, error, problem)


def _diagnose(frame: bytes) -> Message | None:
    """The slow path: find out what is wrong with a frame that is not a plain message."""
    try:
        str(frame, "utf-8")
        opening = bytes(memoryview(_skim(frame))[:1])
        if opening == b"[":
            return Batch(frame)
        if opening != b"{":
            return _invalid(None, "not an object")  # RPC-07
        return _diagnose_members(_decode_members(frame))
    except RecursionError:
        return unreadable(frame, InvalidRequest(f"Invalid request: {_TOO_DEEP}"), _TOO_DEEP)
    except UnicodeDecodeError:
        return _not_json(frame, ParseError("Parse error: not UTF-8"), "not UTF-8")  # RPC-24
    except msgspec.DecodeError:
        # Only what JSON calls white space is ignored; other blanks get their answer (RPC-06).
        blank = not frame.strip(b" \t\r\n")
        return None if blank else _not_json(frame, ParseError(), "not JSON")


def _diagnose_members(members: _Members) -> Malformed | BrokenResponse:
    id_ = _id_in(members.id)
    if not members.method and (members.result or members.error):
        return BrokenResponse(id_, "a response without a valid envelope")
    if _text_in(members.jsonrpc) != "2.0":
        return _invalid(id_, '`jsonrpc` is not "2.0"')  # RPC-01
    if id_ is None and members.id and bytes(members.id) != b"null":
        return _invalid(None, "`id` is neither a string nor an integer of 64 bits")
    if not members.method:
        return _invalid(id_, "`method` is missing")
    return _invalid(id_, "`method` is not a string")


def _not_json(frame: bytes, error: ParseError, problem: str) -> Malformed:
    id_, is_response = _glance(frame)
    return Malformed(None, error, problem, id_ if is_response else None)


def _invalid(id_: RequestId, problem: str) -> Malformed:
    return Malformed(id_, InvalidRequest(f"Invalid request: {problem}"), problem)


_TOO_DEEP = "nested too deeply"
_HEAD = 4096
"""How much of an unreadable frame is looked at."""
# A string that is cut off is one token too, so that what is in it is never taken for structure.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[-+.\w]++|\S', re.DOTALL)


def _glance(head: bytes) -> tuple[RequestId, bool]:
    """The `id` of the object that begins with these bytes, and whether it is a response.

    Only members at the top level count, so an `id` inside `params` is never taken for the
    request's own, and only those that stand there in full.
    """
    depth = 0
    id_: RequestId = None
    names: set[str] = set()
    tokens: list[str] = _TOKEN.findall(str(head[:_HEAD], "utf-8", "ignore"))
    for position, token in enumerate(tokens):
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
        elif depth == 1 and tokens[position + 1 : position + 2] == [":"]:
            names.add(token)
            if token == '"id"' and tokens[position + 3 : position + 4] in ([","], ["}"]):
                id_ = _id_in(tokens[position + 2])
    is_response = '"method"' not in names and not names.isdisjoint(('"result"', '"error"'))
    return id_, is_response


def _id_in(encoded: Raw | str) -> RequestId:
    """The id, or nothing if it is absent or not a legal one."""
    try:
        id_ = _decode_id(encoded)
    except _UNDECODABLE:
        return None
    return id_ if type(id_) is str or _ID_MIN <= int(id_) <= _ID_MAX else None


def _text_in(encoded: Raw) -> str | None:
    try:
        return _decode_text(encoded)
    except _UNDECODABLE:
        return None


def request_frame(id_: RequestId, method: str, params: Payload) -> bytes:
    head = b'{"jsonrpc":"2.0","id":%b,"method":%b' % (_encode(id_), _encode(method))
    return _one_line(b'%b,"params":%b}' % (head, params)) if params else head + b"}"


_notification_heads: dict[str, bytes] = {}
_NEWLINE = 0x0A  # As a number it is looked for several times faster than as bytes.


def notification_frame(method: str, params: Payload) -> bytes:
    if not params:
        return b'{"jsonrpc":"2.0","method":%b}' % _encode(method)
    head = _notification_heads.get(method)
    if head is None:
        head = b'{"jsonrpc":"2.0","method":%b,"params":' % _encode(method)
        if len(_notification_heads) < 256:  # Method names may come from outside.
            _notification_heads[method] = head
    # Joined, not added: a large payload is copied once.
    frame = b"".join((head, params, b"}"))
    return _one_line(frame) if _NEWLINE in frame else frame


def result_frame(id_: RequestId, result: Payload) -> bytes:
    return _one_line(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (_encode(id_), result or NULL))


def error_frame(id_: RequestId, error: RpcError) -> bytes:
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:  # An absent `data` is omitted, never written as null.
        body["data"] = error.data
    return _one_line(b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (_encode(id_), _encode(body)))


def _one_line(frame: bytes) -> bytes:
    """STD-04: no raw newline in a message, though a payload from elsewhere may hold some.

    In JSON it can only be white space between tokens, so a space in its place means the same.
    """
    return frame.replace(b"\n", b" ") if _NEWLINE in frame else frame
