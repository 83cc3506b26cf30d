"""Who answers an agent's requests for input: the `--answer` options, then a person, then nobody.

Values are checked against the form, since an agent that asked for a number gets a number. An
address is only shown: whether to visit it is up to the person.
"""

from collections.abc import Mapping
from typing import Any, cast

from parley.frontend.headless.keyboard import Keyboard
from parley.frontend.headless.screen import Line, Screen
from parley.frontend.visible import one_line, visible
from parley.session.question import (
    Accepted,
    Cancelled,
    Declined,
    Elicitation,
    ElicitationAnswer,
    FormQuestion,
    UrlQuestion,
)

_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_TRIES = 3
# What asks for such a thing is not shown while it is typed.
_SECRET = ("password", "secret", "token", "key", "passphrase")


class Answers:
    """Answers requests for input."""

    def __init__(self, given: Mapping[str, str], screen: Screen, keyboard: Keyboard | None) -> None:
        self._given = given
        self._screen = screen
        self._keyboard = keyboard

    async def answer(self, question: Elicitation) -> ElicitationAnswer:
        match question:
            case FormQuestion():
                return await self._form(question)
            case UrlQuestion():
                return await self._url(question)
            case _:
                return Cancelled()

    async def _form(self, question: FormQuestion) -> ElicitationAnswer:
        fields = _fields(question.schema)
        required = _required(question.schema)
        values: dict[str, Any] = {}
        missing: list[str] = []
        for name, field in fields.items():
            if name in self._given:
                value = typed(self._given[name], field)
                if value is None:
                    self._screen.note(f"--answer {one_line(name, 80)}: {wanted(field)}", "warning")
                    missing.append(name)
                else:
                    values[name] = value
            elif name in required and "default" not in field:
                missing.append(name)
        if not missing and (values or not required):
            return Accepted(values) if values or not fields else await self._ask(question, fields)
        if self._keyboard is None:
            self._tell_unanswered(question, missing)
            return Cancelled()
        return await self._ask(question, {name: fields[name] for name in missing}, values)

    async def _ask(
        self,
        question: FormQuestion,
        fields: dict[str, dict[str, Any]],
        values: dict[str, Any] | None = None,
    ) -> ElicitationAnswer:
        """Ask a person for some fields; an empty line that is not allowed declines."""
        if self._keyboard is None:
            return Cancelled()
        found = dict(values or {})
        required = _required(question.schema)
        asked: Line = (f"The agent asks: {visible(question.message)}", "warning")
        async with self._screen.asking([asked]):
            for name, field in fields.items():
                value = await self._field(self._keyboard, name, field)
                if value is not None:
                    found[name] = value
                elif name in required and "default" not in field:
                    return Declined()
        return Accepted(found)

    async def _field(self, keyboard: Keyboard, name: str, field: dict[str, Any]) -> Any:
        label = one_line(str(field.get("title") or name), 80)
        hidden = any(word in name.lower() for word in _SECRET)
        for _ in range(_TRIES):
            line = await keyboard.line(f"  {label} ({wanted(field)}): ", hidden=hidden)
            if not line:
                return None
            value = typed(line, field)
            if value is not None:
                return value
        return None

    async def _url(self, question: UrlQuestion) -> ElicitationAnswer:
        lines: list[Line] = [
            (f"The agent asks: {visible(question.message)}", "warning"),
            (f"  it wants you to visit: {visible(question.url)}", "plain"),
        ]
        if self._keyboard is None:
            for line, tone in lines:
                self._screen.note(line, tone)
            return Cancelled()
        async with self._screen.asking(lines):
            key = await self._keyboard.key("  [y] I do that, any other key: no ? ")
        return Accepted() if key == "y" else Declined()

    def _tell_unanswered(self, question: FormQuestion, missing: list[str]) -> None:
        names = ", ".join(one_line(name, 40) for name in missing) or "nothing in particular"
        self._screen.note(
            f"not answered: {one_line(question.message, 120)} (--answer NAME=VALUE for: {names})",
            "warning",
        )


def typed(text: str, field: Mapping[str, Any]) -> Any:
    """A text as the value that a field wants; `None` if it is none."""
    choices = _choices(field)
    if choices is not None:
        return text if text in choices else None
    match field.get("type"):
        case "boolean":
            lowered = text.lower()
            return True if lowered in _TRUE else False if lowered in _FALSE else None
        case "integer":
            return _number(int, text)
        case "number":
            return _number(float, text)
        case "array":
            return [part.strip() for part in text.split(",") if part.strip()]
        case _:
            return text


def wanted(field: Mapping[str, Any]) -> str:
    """What a field wants, in a few safe words."""
    choices = _choices(field)
    if choices is not None:
        return one_line(" or ".join(choices), 120)
    match field.get("type"):
        case "boolean":
            return "yes or no"
        case "array":
            return "several, with commas between them"
        case str(kind):
            return one_line(kind, 20)
        case _:
            return "text"


def _number(kind: type[int] | type[float], text: str) -> int | float | None:
    try:
        return kind(text)
    except ValueError:
        return None


def _choices(field: Mapping[str, Any]) -> list[str] | None:
    values, options = _list(field.get("enum")), _list(field.get("oneOf"))
    if values is not None:
        return [each for each in values if isinstance(each, str)]
    if options is None:
        return None
    named = [cast("dict[str, Any]", each) for each in options if isinstance(each, dict)]
    return [str(each.get("const")) for each in named]


def _fields(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return {}
    named = cast("dict[str, Any]", properties)
    return {name: field for name, field in named.items() if isinstance(field, dict)}


def _required(schema: Mapping[str, Any]) -> frozenset[str]:
    required = _list(schema.get("required")) or []
    return frozenset(each for each in required if isinstance(each, str))


def _list(value: Any) -> list[Any] | None:
    return cast("list[Any]", value) if isinstance(value, list) else None
