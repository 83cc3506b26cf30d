"""Reads a model from plain JSON values, in Python: the way for everything irregular.

Owns unknown members and variants, forgiven mistakes, and errors that name their place. It walks
the same type annotations as the native decoder, so it reads whatever that one reads and more. It
knows nothing of bytes; `codec` tries the native decoder first and comes here when that refuses.
"""

import types
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, TypeGuard, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from parley.schema.base import ChoiceType, Extra, Known, Leniency, Model, Unknown
from parley.schema.problem import DecodeProblem, Note


class Walk(Struct):
    """One reading: where it is, how much it forgives, and what it has forgiven."""

    forgiving: bool
    """Whether marked members forgive bad values (DEC-01 to DEC-03)."""
    judging: bool = False
    """Whether values and variants outside a closed list are problems."""
    notes: list[Note] = field(default_factory=list)
    path: list[str] = field(default_factory=list)

    def problem(self, text: str) -> DecodeProblem:
        """The error for the current place."""
        return DecodeProblem("".join(self.path).lstrip("."), text)


Reader = Callable[[Any, Walk], Any]


class Member(Struct, frozen=True):
    """How one member of a model is read."""

    name: str
    wire: str
    read: Reader
    required: bool
    forgives: bool
    empty: type | None
    """What null stands for, when null counts as empty."""
    opaque: bool
    """Whether the member holds free JSON, in which no model can hide."""


@cache
def members(model: type[Model]) -> tuple[Member, ...]:
    """How the members of a model are read, without `extra`."""
    return tuple(_member(info) for info in msgspec.structs.fields(model) if info.name != "extra")


@cache
def reader(kind: Any) -> Reader:
    """The function that reads values of a type."""
    return _reader(kind, skip_invalid=False)


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return type(value) is dict


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Whether a JSON value is an array."""
    return type(value) is list


def _member(info: msgspec.structs.FieldInfo) -> Member:
    kind, marks = info.type, set[Leniency]()
    while get_origin(kind) is Annotated:
        found = {mark for mark in kind.__metadata__ if isinstance(mark, Leniency)}
        if not found:
            break
        kind, marks = kind.__origin__, marks | found
    empty = None
    if Leniency.NULL_AS_EMPTY in marks:
        empty = dict if any(get_origin(arm) is dict for arm in _arms(kind)) else list
    return Member(
        name=info.name,
        wire=info.encode_name,
        read=_reader(kind, skip_invalid=Leniency.SKIP_INVALID in marks),
        required=info.required,
        forgives=Leniency.DEFAULT_ON_ERROR in marks,
        empty=empty,
        opaque=all(arm is Any or arm == dict[str, Any] for arm in _arms(kind)),
    )


def _arms(kind: Any) -> list[Any]:
    """The alternatives of a type, without null and without omission."""
    if get_origin(kind) not in (Union, types.UnionType):
        return [kind]
    found: list[Any] = []
    for arm in get_args(kind):
        if arm is not UnsetType and arm is not types.NoneType:
            found += _arms(arm)
    return found


def _reader(kind: Any, *, skip_invalid: bool) -> Reader:
    origin = get_origin(kind)
    if kind is Any:
        return _read_anything
    if isinstance(kind, ChoiceType):
        return _choice_reader(_arms(kind.ARMS))
    if origin in (Union, types.UnionType):
        return _union_reader(kind, skip_invalid=skip_invalid)
    if origin is Annotated and get_origin(kind.__origin__) is list:
        least = next(mark.min_length for mark in kind.__metadata__ if isinstance(mark, Meta))
        return _list_reader(kind.__origin__, skip_invalid=skip_invalid, least=least or 0)
    if origin is list:
        return _list_reader(kind, skip_invalid=skip_invalid)
    if origin is dict:
        return _dict_reader(kind)
    if isinstance(kind, type) and issubclass(kind, Model):
        return lambda value, walk: _read_model(kind, value, walk)
    return _scalar_reader(kind)


def _read_anything(value: Any, walk: Walk) -> Any:
    return value


def _union_reader(kind: Any, *, skip_invalid: bool) -> Reader:
    arms = _arms(kind)
    nullable = _allows_null(kind)
    if all(isinstance(arm, type) and issubclass(arm, Model) for arm in arms):
        read = _choice_reader(arms) if len(arms) > 1 else reader(arms[0])
    elif len(arms) == 1:
        read = _reader(arms[0], skip_invalid=skip_invalid)
    else:
        read = _scalar_reader(kind)

    def read_union(value: Any, walk: Walk) -> Any:
        return None if value is None and nullable else read(value, walk)

    return read_union


def _allows_null(kind: Any) -> bool:
    return any(
        arm is types.NoneType or (get_origin(arm) is not None and _allows_null(arm))
        for arm in get_args(kind)
        if get_origin(kind) in (Union, types.UnionType, Annotated)
    )


def _scalar_reader(kind: Any) -> Reader:
    closed = _closed_values(kind)

    def read_scalar(value: Any, walk: Walk) -> Any:
        if type(value) is float and value.is_integer() and float not in _arms(kind):
            # JSON does not tell 1.0 from 1, so an integral number is an integer.
            value = int(value)
        try:
            result = msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            # These texts name types and bounds. They repeat a value only for native
            # enumerations, and the models have none.
            text = str(error).partition(" - at ")[0]
            raise walk.problem(text[:1].lower() + text[1:]) from None
        if walk.judging and closed and result not in closed:
            raise walk.problem("is not one of the values of the schema")
        return result

    return read_scalar


def _closed_values(kind: Any) -> tuple[str, ...]:
    for mark in getattr(kind, "__metadata__", ()):
        if isinstance(mark, Known) and mark.closed:
            return mark.values
    return ()


def _list_reader(kind: Any, *, skip_invalid: bool, least: int = 0) -> Reader:
    read_item = reader(get_args(kind)[0])

    def read_list(value: Any, walk: Walk) -> list[Any]:
        if not is_array(value):
            raise walk.problem("expected an array")
        if len(value) < least:
            raise walk.problem(f"needs at least {least} items" if least > 1 else "is empty")
        items: list[Any] = []
        depth = len(walk.path)
        for index, item in enumerate(value):
            walk.path.append(f"[{index}]")
            try:
                items.append(read_item(item, walk))
            except DecodeProblem as problem:
                if not (skip_invalid and walk.forgiving):
                    raise
                # DEC-02: a bad item is dropped and noted, the others stay.
                walk.notes.append(Note(problem.path, problem.problem))
            del walk.path[depth:]
        return items

    return read_list


def _dict_reader(kind: Any) -> Reader:
    read_value = reader(get_args(kind)[1])

    def read_dict(value: Any, walk: Walk) -> dict[str, Any]:
        if not is_object(value):
            raise walk.problem("expected an object")
        # Keys are data of the peer, so the path does not repeat them.
        walk.path.append("[*]")
        result = {key: read_value(item, walk) for key, item in value.items()}
        walk.path.pop()
        return result

    return read_dict


def _choice_reader(arms: list[Any]) -> Reader:
    """Read a union: by tag where there is one, else by the members that the arms require."""
    models = [arm for arm in arms if isinstance(arm, type) and issubclass(arm, Model)]
    other = next((arm for arm in models if issubclass(arm, Unknown)), None)
    known = [arm for arm in arms if arm is not other]
    tagged = {arm.__struct_config__.tag: arm for arm in models if arm.__struct_config__.tag}
    tag_field = next((arm.__struct_config__.tag_field for arm in tagged.values()), None)
    tagged |= {tag: arm for arm in models for tag in arm.TAGS}
    untagged = [arm for arm in known if arm not in tagged.values() or getattr(arm, "TAGS", ())]

    def read_choice(value: Any, walk: Walk) -> Any:
        if tag_field is None or (is_object(value) and tag_field not in value and untagged):
            arm = untagged[0] if len(untagged) == 1 else _fitting(untagged, value, walk)
            return reader(arm)(value, walk)
        if not is_object(value):
            raise walk.problem("expected an object")
        return _read_tagged(value, walk)

    def _read_tagged(value: dict[str, Any], walk: Walk) -> Any:
        assert tag_field is not None
        tag = value.get(tag_field)
        walk.path.append(f".{tag_field}")
        if type(tag) is not str:
            raise walk.problem("expected `str`" if tag_field in value else "is missing")
        arm = tagged.get(tag)
        # DEC-07: a known tag settles the arm, and a bad body is an error of that arm.
        if arm is None or arm is other:
            if other is None or (walk.judging and other.CLOSED):
                raise walk.problem("is not a variant of the schema")
            arm = other
        walk.path.pop()
        return _read_model(arm, value, walk)

    return read_choice


def _fitting(arms: list[Any], value: Any, walk: Walk) -> Any:
    for arm in arms:
        if _fits(arm, value):
            return arm
    raise walk.problem("has no known shape")


def _fits(arm: Any, value: Any) -> bool:
    """Whether a value has the members by which an arm without a tag is recognised."""
    if get_origin(arm) is Annotated:
        return _fits(arm.__origin__, value)
    if get_origin(arm) is list:
        return is_array(value) and (not value or _fits(get_args(arm)[0], value[0]))
    return is_object(value) and all(m.wire in value for m in members(arm) if m.required)


def _read_model(model: type[Model], value: Any, walk: Walk) -> Model:
    if not is_object(value):
        raise walk.problem("expected an object")
    rest: dict[str, Any] = dict(value)
    config = model.__struct_config__
    tag_field = None if issubclass(model, Unknown) else config.tag_field
    if tag_field is not None and rest.pop(tag_field, config.tag) != config.tag:
        walk.path.append(f".{tag_field}")
        raise walk.problem("is the tag of something else")
    values: dict[str, Any] = {}
    for member in members(model):
        if member.wire in rest:
            values[member.name] = _read_member(member, rest.pop(member.wire), walk)
        elif member.required:
            walk.path.append(f".{member.wire}")
            raise walk.problem("is missing")
    if rest or issubclass(model, Unknown):
        # DEC-06: what the type does not know is kept, so that it can be passed on.
        values["extra"] = Extra(rest)
    try:
        return model(**values)
    except ValueError as error:
        raise walk.problem(str(error)) from None


def _read_member(member: Member, value: Any, walk: Walk) -> Any:
    result: Any
    depth = len(walk.path)
    walk.path.append(f".{member.wire}")
    try:
        if value is None and member.empty is not None and walk.forgiving:
            # DEC-03: null is an empty list or object here.
            walk.notes.append(Note(walk.problem("").path, "null counts as empty"))
            result = member.empty()
        else:
            result = member.read(value, walk)
    except DecodeProblem as problem:
        if not (member.forgives and walk.forgiving):
            raise
        # DEC-01: the message stays valid without the member.
        walk.notes.append(Note(problem.path, problem.problem))
        result = [] if member.required else UNSET
    del walk.path[depth:]
    return result
