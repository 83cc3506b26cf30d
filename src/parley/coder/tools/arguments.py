"""What a model gave a tool, checked against what the tool needs. Pure.

Models write numbers as strings and lists as JSON text, so that is accepted where it can mean one
thing only. Everything else is refused with a text that tells the model what to write instead.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, cast

import msgspec

from parley.coder.errors import ToolError

_CLOSE_ENOUGH = 0.5


class Arguments:
    """The arguments of one call. Ask for each by name and end with `done`."""

    def __init__(self, given: Mapping[str, Any], tool: str, where: str = "") -> None:
        # A model that leaves something out often writes null.
        self._given = {name: value for name, value in given.items() if value is not None}
        self._tool = tool
        self._where = where
        self._asked: list[str] = []

    def text(self, name: str, *, empty: bool = False) -> str:
        """A string that must be there; `empty` says whether it may have no characters."""
        value = self._required(name)
        return self._text(name, value, empty=empty)

    def optional_text(self, name: str) -> str | None:
        """A string; an empty one counts as left out."""
        value = self._optional(name)
        return None if value is None else self._text(name, value, empty=True) or None

    def integer(self, name: str, *, least: int | None = None, most: int | None = None) -> int:
        return self._integer(name, self._required(name), least, most)

    def optional_integer(
        self, name: str, *, least: int | None = None, most: int | None = None
    ) -> int | None:
        value = self._optional(name)
        return None if value is None else self._integer(name, value, least, most)

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self._optional(name)
        match value:
            case None:
                return default
            case bool():
                return value
            case str() if value.strip().lower() in ("true", "false"):
                return value.strip().lower() == "true"
            case _:
                raise self._wrong(name, "true or false", value)

    def choice(self, name: str, choices: tuple[str, ...], *, default: str) -> str:
        value = self._optional(name)
        if value is None:
            return default
        if value not in choices:
            raise self._wrong(name, "one of " + ", ".join(f"`{each}`" for each in choices), value)
        return cast(str, value)

    def objects(self, name: str, *, least: int = 1) -> "tuple[Arguments, ...]":
        """A list of objects, each of which is asked like these arguments."""
        found: list[Arguments] = []
        for number, value in enumerate(self._list(name, least)):
            place = f"{name}[{number}]"
            if not isinstance(value, dict):
                raise self._wrong(place, "an object", value)
            members = cast("dict[str, Any]", value)
            found.append(Arguments(members, self._tool, self._path(place) + "."))
        return tuple(found)

    def texts(self, name: str, *, least: int = 1) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(
            self._text(f"{name}[{number}]", value, empty=True)
            for number, value in enumerate(self._list(name, least))
        )

    def done(self) -> None:
        """Refuse arguments that nobody asked for."""
        for name in self._given:
            if name not in self._asked:
                raise ToolError(
                    f"`{self._tool}` has no argument `{self._path(name)}`{self._meant(name)}; "
                    f"it takes {', '.join(f'`{each}`' for each in self._asked) or 'none'}"
                )

    def _required(self, name: str) -> Any:
        value = self._optional(name)
        if value is None:
            strays = [each for each in self._given if each not in self._asked]
            near = get_close_matches(name, strays, 1, _CLOSE_ENOUGH)
            instead = f"; write `{name}` instead of `{near[0]}`" if near else ""
            raise ToolError(f"`{self._tool}` needs `{self._path(name)}`{instead}")
        return value

    def _optional(self, name: str) -> Any:
        self._asked.append(name)
        return self._given.get(name)

    def _text(self, name: str, value: Any, *, empty: bool) -> str:
        if not isinstance(value, str):
            raise self._wrong(name, "a string", value)
        if not value and not empty:
            raise ToolError(f"`{self._path(name)}` of `{self._tool}` must not be empty")
        if not _is_text(value):
            raise ToolError(f"`{self._path(name)}` of `{self._tool}` is not valid Unicode text")
        return value

    def _integer(self, name: str, value: Any, least: int | None, most: int | None) -> int:
        number = _whole(value)
        if number is None:
            raise self._wrong(name, "a whole number", value)
        if least is not None and number < least:
            raise self._wrong(name, f"at least {least}", value)
        if most is not None and number > most:
            raise self._wrong(name, f"at most {most}", value)
        return number

    def _list(self, name: str, least: int) -> list[Any]:
        value = self._required(name)
        if isinstance(value, str):
            value = _parsed(value)
        # One object instead of a list of one is what models write when there is one.
        if isinstance(value, dict):
            value = [cast(Any, value)]
        if not isinstance(value, list):
            raise self._wrong(name, "a list", self._given[name])
        values = cast("list[Any]", value)
        if len(values) < least:
            raise self._wrong(name, f"a list of at least {least}", values)
        return values

    def _path(self, name: str) -> str:
        return self._where + name

    def _wrong(self, name: str, wanted: str, value: Any) -> ToolError:
        return ToolError(
            f"`{self._path(name)}` of `{self._tool}` must be {wanted}, not {_described(value)}"
        )

    def _meant(self, name: str) -> str:
        near = get_close_matches(name, self._asked, 1, _CLOSE_ENOUGH)
        return f" (did you mean `{near[0]}`?)" if near else ""


def _whole(value: Any) -> int | None:
    match value:
        case bool():
            return None
        case int():
            return value
        case float() if value.is_integer():
            return int(value)
        case str():
            # A number is at most a few digits; more of them are not worth the time to read.
            digits = value.strip()
            plain = digits.removeprefix("-")
            return int(digits) if plain.isascii() and plain.isdigit() and len(plain) < 20 else None
        case _:
            return None


def _parsed(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _is_text(value: str) -> bool:
    # Half of a surrogate pair can be written in JSON, and in no file.
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _described(value: Any) -> str:
    try:
        shown = msgspec.json.encode(value).decode()
    except (ValueError, OverflowError, RecursionError):
        # There are numbers and half characters that a model can write and no JSON can hold.
        shown = ascii(value)
    return f"`{shown}`" if len(shown) <= 60 else f"`{shown[:60]}…`"
