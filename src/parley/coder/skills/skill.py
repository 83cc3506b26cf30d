"""What a skill is, and what its `SKILL.md` says of it. Pure.

A skill describes how to work. Nothing in it grants a permission: a list of allowed tools in it is
not even read.
"""

import re

from msgspec import Struct

from parley.coder.skills.front_matter import parted
from parley.coder.unseen import seen

FILE = "SKILL.md"
MOST_BYTES = 64 * 1024
"""Of a `SKILL.md`; a longer one is left out, since half of an instruction may mean another."""

ARGUMENTS = "$ARGUMENTS"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LONGEST_DESCRIPTION = 1024


class Skill(Struct, frozen=True):
    """One that can be used."""

    name: str
    description: str
    folder: str
    """Absolute."""
    hint: str | None = None
    """What may be typed behind it as a command."""
    for_model: bool = True
    """Whether the model may load it by itself."""
    for_user: bool = True
    """Whether it is offered as a command."""
    real: str = ""
    """The real path of its folder when it was found, of a skill of the user."""
    file: str = ""
    """The real path of its `SKILL.md` when it was found, of a skill of the user."""
    root: str = ""
    """The folder of the project that it belongs to; empty for one of the user."""
    digest: str = ""
    """What the user has agreed to, of a skill of a project."""


class Unusable(Struct, frozen=True):
    """What is wrong with a skill, as the end of a sentence."""

    problem: str


def skill_of(data: bytes, folder: str, folder_name: str) -> Skill | Unusable:
    """What a `SKILL.md` says; the name of the folder counts where it gives no other."""
    if len(data) > MOST_BYTES:
        return Unusable(f"its `{FILE}` is longer than {MOST_BYTES} bytes; move details to files")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return Unusable(f"its `{FILE}` is not UTF-8 text")
    values, body = parted(text)
    name = values.get("name") or folder_name
    if _NAME.fullmatch(name) is None:
        return Unusable("its name may have letters, digits, `-` and `_` only, at most 64")
    body = seen(body)
    if not body:
        return Unusable(f"its `{FILE}` has no text behind the first block")
    first = next(line for line in body.splitlines() if line.strip())
    description = _line(values.get("description", "")) or _line(first.lstrip("# "))
    return Skill(
        name,
        description or name,
        folder,
        _line(values.get("argument-hint", ""))[:60] or None,
        for_model=not _is_true(values.get("disable-model-invocation")),
        for_user=not _is_false(values.get("user-invocable")),
    )


def body_of(data: bytes) -> str:
    """The instructions in a `SKILL.md`, without what a person who looks at it does not see."""
    return seen(parted(data.decode("utf-8", "replace"))[1])


def _line(text: str) -> str:
    shown = "".join(letter if letter.isprintable() else " " for letter in seen(text))
    shown = " ".join(shown.split())
    if len(shown) <= _LONGEST_DESCRIPTION:
        return shown
    return f"{shown[: _LONGEST_DESCRIPTION - 1]}…"


def _is_true(value: str | None) -> bool:
    return (value or "").lower() in ("true", "yes", "on")


def _is_false(value: str | None) -> bool:
    return (value or "").lower() in ("false", "no", "off")
