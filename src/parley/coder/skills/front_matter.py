"""The block at the beginning of a skill or a command: a small part of YAML, read leniently. Pure.

Only texts are wanted: plain, quoted, folded or literal ones, over any number of lines. Lists and
tables are passed over. Nothing that is written there can be an error: what cannot be understood
has no value.
"""

import re
from collections.abc import Mapping

_FENCE = "---"
_KEY = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?")
_BLOCK = re.compile(r"[>|][-+0-9]{0,2}[ \t]*(?:#.*)?")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)")
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def parted(text: str) -> tuple[Mapping[str, str], str]:
    """The values by their names in lower case, and the text behind the block."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        return {}, text.strip()
    ends = (at for at, line in enumerate(lines) if at and line.rstrip() in (_FENCE, "..."))
    end = next(ends, None)
    if end is None:
        return {}, text.strip()
    return _values(lines[1:end]), "\n".join(lines[end + 1 :]).strip()


def _values(lines: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    at = 0
    while at < len(lines):
        found = _KEY.fullmatch(lines[at].rstrip())
        at += 1
        if found is None:
            continue
        below = at
        while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t"):
            at += 1
        value = _value((found[2] or "").strip(), lines[below:at])
        values.setdefault(found[1].lower(), value)
    return values


def _value(first: str, below: list[str]) -> str:
    if _BLOCK.fullmatch(first):
        separator = "\n" if first[0] == "|" else " "
        return separator.join(line.strip() for line in below).strip()
    whole = " ".join(line.strip() for line in (first, *below) if line.strip())
    if (found := _DOUBLE.match(whole)) is not None:
        return _ESCAPE.sub(_unescaped, found[1])
    if (found := _SINGLE.match(whole)) is not None:
        return found[1].replace("''", "'")
    if not first and whole[:2] == "- ":
        return ""
    plain = (_COMMENT.sub("", line).strip() for line in (first, *below))
    return " ".join(line for line in plain if line)


def _unescaped(found: "re.Match[str]") -> str:
    code = found[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _PLAIN_ESCAPES.get(code, code)
