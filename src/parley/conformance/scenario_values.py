"""The values in a scenario: variables put in, expectations compared, members pointed at.

Pure JSON in, pure JSON out.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

Json = Any

ANY: Final = object()
"""What `${any}` stands for in an expectation: a value must be there."""
ABSENT: Final = object()
"""What `${absent}` stands for in an expectation: the member must not be there."""
RESERVED: Final = frozenset({"any", "absent"})

_VARIABLE = re.compile(r"\$(\$\{)|\$\{(\w+)\}")


class UnknownVariable(KeyError):
    """A variable has no value."""


def variables_in(value: Json) -> set[str]:
    """The names of all variables that a value uses."""
    match value:
        case str():
            return {found[2] for found in _VARIABLE.finditer(value) if found[2]}
        case list() | tuple():
            return set[str]().union(*map(variables_in, cast("list[Json]", value)))
        case dict():
            return set[str]().union(*map(variables_in, cast("dict[str, Json]", value).values()))
        case _:
            return set()


def filled(value: Json, variables: Mapping[str, Json]) -> Json:
    """The value with its variables replaced.

    A text that is nothing but a variable becomes its value, of whatever type. `$${` is a `${`.

    Raises:
        UnknownVariable: a variable has no value.
    """
    match value:
        case str():
            whole = _VARIABLE.fullmatch(value)
            if whole and whole[2]:
                return _looked_up(whole[2], variables)
            return _VARIABLE.sub(lambda found: _text(found, variables), value)
        case list() | tuple():
            return [filled(item, variables) for item in cast("list[Json]", value)]
        case dict():
            members = cast("dict[str, Json]", value)
            return {key: filled(item, variables) for key, item in members.items()}
        case _:
            return value


def escaped(value: Json) -> Json:
    """The value such that `filled` gives it back, whatever its texts look like."""
    match value:
        case str():
            return value.replace("${", "$${")
        case list():
            return [escaped(item) for item in cast("list[Json]", value)]
        case dict():
            return {key: escaped(item) for key, item in cast("dict[str, Json]", value).items()}
        case _:
            return value


def difference(expected: Json, actual: Json, path: str = "") -> str | None:
    """Where the actual value is not what was expected; `None` when it is.

    Objects may have members that nobody expects; arrays must have the same length.
    """
    if expected is ANY:
        return None
    if isinstance(expected, dict):
        return _object_difference(cast("dict[str, Json]", expected), actual, path)
    if isinstance(expected, list):
        return _array_difference(cast("list[Json]", expected), actual, path)
    # True equals 1 in Python, but not in JSON.
    if expected == actual and isinstance(expected, bool) == isinstance(actual, bool):
        return None
    return f"{_place(path)} is {shown(actual)}, not {shown(expected)}"


def pointed_at(value: Json, pointer: str) -> Json:
    """The value that a JSON pointer (RFC 6901) names inside another.

    Raises:
        LookupError: there is nothing at that place.
    """
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            items = cast("list[Json]", value)
            if not key.isdecimal():
                raise LookupError(pointer)
            value = items[int(key)]
        elif isinstance(value, dict):
            value = cast("dict[str, Json]", value)[key]
        else:
            raise LookupError(pointer)
    return value


def shown(value: Json, limit: int = 200) -> str:
    """A value as a person reads it in a report, cut when it is long."""
    text = msgspec.json.encode(value, enc_hook=_placeholder).decode()
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _placeholder(value: object) -> str:
    return "${any}" if value is ANY else "${absent}"


def _looked_up(name: str, variables: Mapping[str, Json]) -> Json:
    match name:
        case "any":
            return ANY
        case "absent":
            return ABSENT
        case _:
            pass
    try:
        return variables[name]
    except KeyError:
        raise UnknownVariable(name) from None


def _text(found: re.Match[str], variables: Mapping[str, Json]) -> str:
    if found[1]:
        return found[1]
    value = _looked_up(found[2], variables)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _object_difference(expected: dict[str, Json], actual: Json, path: str) -> str | None:
    if not isinstance(actual, dict):
        return f"{_place(path)} is {shown(actual)}, not an object"
    members = cast("dict[str, Json]", actual)
    for key, value in expected.items():
        inner = f"{path}/{key}"
        if value is ABSENT:
            if key in members:
                return f"{_place(inner)} is there: {shown(members[key])}"
        elif key not in members:
            return f"{_place(inner)} is missing, not {shown(value)}"
        elif (found := difference(value, members[key], inner)) is not None:
            return found
    return None


def _array_difference(expected: list[Json], actual: Json, path: str) -> str | None:
    if not isinstance(actual, list):
        return f"{_place(path)} is {shown(actual)}, not an array"
    items = cast("list[Json]", actual)
    if len(items) != len(expected):
        return f"{_place(path)} has {len(items)} items, not {len(expected)}"
    for number, (one, other) in enumerate(zip(expected, items, strict=True)):
        if (found := difference(one, other, f"{path}/{number}")) is not None:
            return found
    return None


def _place(path: str) -> str:
    return f"`{path}`" if path else "it"
