"""The names under which models know servers and their tools. Pure.

A server chooses the names of its tools, and the user's rules go by names. So the part before the
first `__` is always the name of the server, whatever a tool is called: no server can take a name
that a rule gives to another.
"""

import hashlib
import re
from collections.abc import Iterable

SEPARATOR = "__"
LONGEST_SERVER = 24
LONGEST_TOOL = 64 - LONGEST_SERVER - len(SEPARATOR)
"""Model APIs take names of up to 64 characters."""

_STRANGE = re.compile(r"[^A-Za-z0-9-]+")
_STRANGE_IN_TOOL = re.compile(r"[^A-Za-z0-9_-]+")


def server_names(names: Iterable[str]) -> tuple[str, ...]:
    """A name for each server, clean and unique, in the same order."""
    taken: list[str] = []
    for name in names:
        clean = _STRANGE.sub("_", name)[:LONGEST_SERVER].strip("_-") or "server"
        # Some model APIs want a letter at the beginning.
        clean = clean if clean[0].isalpha() else f"s{clean}"[:LONGEST_SERVER].rstrip("_-")
        taken.append(_unique(clean, taken, LONGEST_SERVER))
    return tuple(taken)


def tool_names(server: str, tools: Iterable[str]) -> tuple[str, ...]:
    """A name for each tool of a server, in the same order; `server` comes from `server_names`."""
    taken: list[str] = []
    for tool in tools:
        clean = _STRANGE_IN_TOOL.sub("_", tool) or "tool"
        if len(clean) > LONGEST_TOOL:
            # Long names often differ at their ends only.
            mark = hashlib.sha256(tool.encode("utf-8", "replace")).hexdigest()[:6]
            clean = f"{clean[: LONGEST_TOOL - 7]}_{mark}"
        taken.append(_unique(clean, taken, LONGEST_TOOL))
    return tuple(f"{server}{SEPARATOR}{tool}" for tool in taken)


def _unique(name: str, taken: list[str], longest: int) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        end = f"_{number}"
        found = name[: longest - len(end)].rstrip("_") + end
    return found
