"""Turns models into bytes and bytes into models.

The plain case is native from end to end. A message with anything irregular in it (an unknown
member or variant, a value that a member forgives, a real mistake) is read again by `reading`,
and a model that carries unknown members is written by `_plain`. No I/O, no JSON-RPC.
"""

from functools import cache
from typing import Any, NoReturn, Protocol, TypeVar, cast, overload

import msgspec
from msgspec import UNSET

from parley.schema.base import ChoiceType, Extra, Model, Unknown
from parley.schema.problem import DecodeProblem, Note
from parley.schema.reading import Walk, is_object, members, reader

__all__ = ["Decoder", "decode", "decode_strictly", "decoder", "encode"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Data = bytes | bytearray | memoryview | msgspec.Raw


def encode(value: Any) -> bytes:
    """The JSON of a model, or of any plain JSON value."""
    try:
        return _encode(value)
    except _ExtraMet:
        return _PLAIN.encode(_plain(value))


@overload
def decode(kind: type[T], data: Data, notes: list[Note] | None = None) -> T: ...
@overload
def decode(kind: Any, data: Data, notes: list[Note] | None = None) -> Any: ...
def decode(kind: Any, data: Data, notes: list[Note] | None = None) -> Any:
    """The value of a type that the data holds. What marked members forgave goes into `notes`.

    Raises:
        DecodeProblem: the data is not JSON, or not a value of the type.
    """
    return decoder(kind)(data, notes)


def decode_strictly(kind: Any, data: Data) -> Any:
    """Like `decode`, for a judge: nothing is forgiven, and closed lists are closed.

    Raises:
        DecodeProblem: the data does not satisfy the schema.
    """
    return _read(kind, data, Walk(forgiving=False, judging=True))


class Decoder(Protocol[T_co]):
    """Reads values of one type; raises `DecodeProblem` where the data holds none."""

    def __call__(self, data: Data, notes: list[Note] | None = None) -> T_co: ...


@overload
def decoder(kind: type[T]) -> Decoder[T]: ...
@overload
def decoder(kind: Any) -> Decoder[Any]: ...
@cache
def decoder(kind: Any) -> Decoder[Any]:
    """The decoder of a type, made once: hold on to it where messages arrive."""
    native = msgspec.json.Decoder(kind, dec_hook=_read_choice).decode

    def read(data: Data, notes: list[Note] | None = None) -> Any:
        try:
            return native(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            walk = Walk(forgiving=True)
            value = _read(kind, data, walk)
            if notes is not None:
                notes += walk.notes
            return value

    return read


class _ExtraMet(Exception):
    """The native encoder met unknown members, which it cannot merge into their object."""


def _stop_at_extra(value: object) -> NoReturn:
    if isinstance(value, Extra):
        raise _ExtraMet
    raise TypeError(f"`{type(value).__name__}` is not a JSON value")


_encode = msgspec.json.Encoder(enc_hook=_stop_at_extra).encode
_PLAIN = msgspec.json.Encoder()


def _read_choice(kind: type, value: Any) -> Any:
    """Read what the native decoder cannot; it turns the problem into its own refusal."""
    if isinstance(kind, ChoiceType):
        # Nothing is forgiven here: only the second reading knows the whole path for a note.
        return reader(kind)(value, Walk(forgiving=False))
    raise ValueError("a member with an impossible name")


def _read(kind: Any, data: Data, walk: Walk) -> Any:
    try:
        value = msgspec.json.decode(data)
        return reader(kind)(value, walk)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise DecodeProblem("", "is not valid JSON") from None
    except RecursionError:
        raise DecodeProblem("", "is nested too deeply") from None


def _plain(value: Any) -> Any:
    """Plain JSON values for a model, with its unknown members among the known ones."""
    if isinstance(value, Model):
        return _plain_model(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in cast("list[Any]", value)]
    if is_object(value):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _plain_model(model: Model) -> dict[str, Any]:
    result: dict[str, Any] = {}
    config = model.__struct_config__
    if config.tag_field is not None and not isinstance(model, Unknown):
        result[config.tag_field] = config.tag
    for member in members(type(model)):
        value = getattr(model, member.name)
        if value is not UNSET:
            result[member.wire] = value if member.opaque else _plain(value)
    if model.extra is not UNSET:
        # An unknown member never stands in for a known one, set or not.
        taken = result.keys() | {member.wire for member in members(type(model))}
        result |= {key: item for key, item in model.extra.items() if key not in taken}
    return result
