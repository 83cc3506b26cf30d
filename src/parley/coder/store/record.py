"""One entry as bytes, and the checksums that make a flipped bit visible. Pure.

A checksum covers the session and the place in it, so that a record that was moved is bad as well.
"""

import re
import secrets
import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

import msgspec

from parley.coder.store.entry import Entry

ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{16,64}")

_encode = msgspec.json.Encoder().encode


def new_session_id() -> str:
    """An id that nobody can guess, and that a command line does not take for an option."""
    # 18 bytes become 24 characters that need no escaping in a path or an address.
    while (text := secrets.token_urlsafe(18)).startswith("-"):
        pass
    return text


def is_session_id(text: str) -> bool:
    return ID_PATTERN.fullmatch(text) is not None


def seed(session_id: str) -> int:
    """What the checksums of one session start from."""
    return zlib.crc32(session_id.encode("utf-8", "replace"))


def checksum(start: int, seq: int, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(seq.to_bytes(8, "big"), start))


def text_checksum(start: int, *texts: str) -> int:
    """Of the facts of a session; the lengths keep two texts from passing for two others."""
    for text in texts:
        body = text.encode("utf-8", "replace")
        start = zlib.crc32(body, zlib.crc32(len(body).to_bytes(8, "big"), start))
    return start


def packed(entry: Entry) -> tuple[Entry, bytes]:
    """An entry and its bytes. Where it holds what JSON cannot, both have the nearest thing."""
    try:
        return entry, _encode(entry)
    except (UnicodeEncodeError, OverflowError):
        clean = msgspec.convert(_clean(msgspec.to_builtins(entry)), type(entry))
        return clean, _encode(clean)


def unpacked(body: bytes) -> Entry | None:
    """The entry, or nothing when it is of a kind that only a newer version knows."""
    try:
        return _decoder().decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def packed_paths(paths: Sequence[str]) -> str:
    return _encode(paths).decode()


def unpacked_paths(text: str) -> tuple[str, ...] | None:
    """The paths, or nothing when the text is none of ours."""
    try:
        return msgspec.json.decode(text, type=tuple[str, ...])
    except msgspec.DecodeError:
        return None


@cache
def _decoder() -> msgspec.json.Decoder[Entry]:
    # Made on first use: it looks at every kind of event, and a start needs none of that.
    return msgspec.json.Decoder(Entry)


def _clean(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case bool():
            return value
        case int():
            return value if -(2**63) <= value < 2**64 else str(value)
        case dict():
            items = cast("dict[Any, Any]", value)
            return {_clean(key): _clean(item) for key, item in items.items()}
        case list() | tuple():
            members = cast("Sequence[Any]", value)
            return [_clean(member) for member in members]
        case _:
            return value
