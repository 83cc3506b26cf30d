"""Adds a member to a JSON text that people wrote, and leaves every other character as it is. Pure.

Settings of editors have comments and commas at the end of lists; writing them anew would lose both.
So the text is scanned for where things stand, and the new member is put in between. Whatever is
unclear is refused.
"""

import json
import re
from typing import Any

from msgspec import Struct

MOST_DEPTH = 100
_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"[-+.\w]+")


class NotClear(Exception):
    """The text is not what is expected, so it is not touched. The message says why."""


class Member(Struct, frozen=True):
    key: str
    start: int
    """Where its key begins."""
    node: "Node"


class Node(Struct, frozen=True):
    """A value and where it stands in the text."""

    start: int
    end: int
    value: Any
    members: tuple[Member, ...] = ()
    comma: bool = False
    """Whether the last member has a comma behind it."""

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)


def with_entry(text: str, section: str, name: str, value: Any) -> str | None:
    """The text with `name` in the object `section` of its root; `None` if that is there already.

    Raises:
        NotClear: the text cannot be read, or has another value in that place.
    """
    root = _Scanner(text).document()
    if root is None:
        document = json.dumps({section: {name: value}}, indent=2, ensure_ascii=False)
        before = text.rstrip()
        return f"{before}\n{document}\n" if before else f"{document}\n"
    if not root.is_object:
        raise NotClear("its outermost value is no object")
    found = _only(root, section)
    if found is None:
        made = _inserted(text, root, section, {name: value})
    else:
        if not found.node.is_object:
            raise NotClear(f"`{section}` is no object")
        present = _only(found.node, name)
        if present is not None and present.node.value == value:
            return None
        if present is not None:
            raise NotClear(f"`{section}` has another `{name}` already")
        made = _inserted(text, found.node, name, value)
    _check(made, root.value, section, name, value)
    return made


def _check(made: str, before: Any, section: str, name: str, value: Any) -> None:
    """See that the new text says what the old one said, and the entry, and nothing else."""
    wanted = {**before, section: {**before.get(section, {}), name: value}}
    root = _Scanner(made).document()
    if root is None or root.value != wanted:
        raise NotClear("it is written in a way that is not understood here")


def _only(node: Node, key: str) -> Member | None:
    found = [member for member in node.members if member.key == key]
    if len(found) > 1:
        raise NotClear(f"it has `{key}` more than once")
    return found[0] if found else None


def _inserted(text: str, node: Node, key: str, value: Any) -> str:
    """The text with one more member at the end of an object."""
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent_at(text, node.end - 1)
    inner = _indent_at(text, node.members[0].start) if node.members else ""
    if len(inner) <= len(outer):
        inner = outer + _unit(text)
    lines = json.dumps(value, indent=inner[len(outer) :] or 2, ensure_ascii=False).split("\n")
    member = newline.join([f"{json.dumps(key, ensure_ascii=False)}: {lines[0]}", *lines[1:]])
    member = member.replace(newline, newline + inner)
    close = node.end - 1
    body = text[:close].rstrip(" \t\r\n")
    if node.members and not node.comma:
        end = node.members[-1].node.end
        body = f"{body[:end]},{body[end:]}"
    comma = "," if node.comma else ""
    return f"{body}{newline}{inner}{member}{comma}{newline}{outer}{text[close:]}"


def _indent_at(text: str, at: int) -> str:
    """The white space at the beginning of the line that a place is in."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """What one step of indentation is in this text."""
    found = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
    return found[1] if found else "  "


class _Scanner:
    """Reads JSON with comments and with commas at the end of lists."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def document(self) -> Node | None:
        """The whole text; `None` if there is nothing but white space and comments."""
        # Some editors put a mark of the encoding in front.
        self._at = int(self._text.startswith("\ufeff"))
        self._skip()
        if self._at == len(self._text):
            return None
        node = self._value(0)
        self._skip()
        if self._at != len(self._text):
            raise self._unclear()
        return node

    def _value(self, depth: int) -> Node:
        if depth > MOST_DEPTH:
            raise NotClear("it is nested too deeply")
        match self._text[self._at : self._at + 1]:
            case "{":
                return self._object(depth)
            case "[":
                return self._array(depth)
            case _:
                return self._scalar()

    def _object(self, depth: int) -> Node:
        start = self._at
        members: list[Member] = []
        comma = True
        self._at += 1
        while not self._closes("}"):
            if not comma:
                raise self._unclear()
            at = self._at
            key = self._scalar().value
            self._skip()
            if not isinstance(key, str) or not self._take(":"):
                raise self._unclear()
            self._skip()
            members.append(Member(key, at, self._value(depth + 1)))
            self._skip()
            comma = self._take(",")
        value = {member.key: member.node.value for member in members}
        return Node(start, self._at, value, tuple(members), comma and bool(members))

    def _array(self, depth: int) -> Node:
        start = self._at
        values: list[Any] = []
        comma = True
        self._at += 1
        while not self._closes("]"):
            if not comma:
                raise self._unclear()
            values.append(self._value(depth + 1).value)
            self._skip()
            comma = self._take(",")
        return Node(start, self._at, values)

    def _scalar(self) -> Node:
        found = _STRING.match(self._text, self._at) or _WORD.match(self._text, self._at)
        if found is None:
            raise self._unclear()
        try:
            value = json.loads(found[0], parse_constant=_no_constant)
        except ValueError:
            raise self._unclear() from None
        self._at = found.end()
        return Node(found.start(), found.end(), value)

    def _closes(self, bracket: str) -> bool:
        self._skip()
        return self._take(bracket)

    def _take(self, letter: str) -> bool:
        if not self._text.startswith(letter, self._at):
            return False
        self._at += 1
        return True

    def _skip(self) -> None:
        if found := _SPACE.match(self._text, self._at):
            self._at = found.end()

    def _unclear(self) -> NotClear:
        line = self._text.count("\n", 0, self._at) + 1
        return NotClear(f"line {line} is not JSON")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
