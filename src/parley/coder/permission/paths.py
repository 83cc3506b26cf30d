"""Paths as text: what lies inside the workspace, and which paths a pattern names.

Nothing is looked up on disk. Whoever has real paths passes them in; whoever wants symbolic links
resolved passes a function that does it.
"""

import posixpath
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct


class Scope(Struct, frozen=True):
    """Where a command runs and what it may look at."""

    roots: tuple[str, ...]
    """The folders of the workspace: absolute and real."""
    cwd: str
    resolve: Callable[[str], str] = posixpath.normpath
    """Follows the symbolic links of an absolute path."""
    own: tuple[str, ...] = ()
    """What decides how the agent itself works: absolute and real, whether it exists or not."""


def inside(path: str, roots: tuple[str, ...]) -> bool:
    """Whether an absolute path is a root or lies below one."""
    return relative(path, roots) is not None


def relative(path: str, roots: tuple[str, ...]) -> str | None:
    """A path as seen from the innermost root around it; `None` outside of all."""
    if not path.startswith("/") or "\0" in path:
        return None
    normal = posixpath.normpath(path)
    found = [root for root in map(posixpath.normpath, roots) if _is_below(normal, root)]
    if not found:
        return None
    root = max(found, key=len)
    return normal[len(root) :].strip("/") or "."


def _is_below(path: str, root: str) -> bool:
    return root.startswith("/") and (path == root or path.startswith(root.rstrip("/") + "/"))


def names_inside(word: str, scope: Scope) -> bool:
    """Whether a word, taken as a path, stays in the workspace."""
    if word.startswith("~") or "\0" in word:
        return False
    steps = [step for step in word.split("/") if step not in ("", ".")]
    descent = [position for position, step in enumerate(steps) if step != ".."]
    # Behind a link `..` is the parent of its target, so it is only followed at the start.
    if descent and ".." in steps[descent[0] :]:
        return False
    real = scope.resolve(posixpath.join(scope.cwd, word))
    return inside(real, scope.roots)


def folded(path: str) -> str:
    """A path as a file system that ignores case and composes accents compares it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def matches(pattern: str, path: str, *, ignore_case: bool) -> bool:
    """Whether a path matches `*` (within a name), `?` (one character), `**` (any folders)."""
    if ignore_case:
        pattern, path = folded(pattern), folded(path)
    return _compiled(pattern).fullmatch(path) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    if pattern.endswith("/"):
        pattern += "**"
    parts = re.split(r"(\*\*/|\*+|\?)", pattern)
    return re.compile("".join(map(_part, parts)), re.DOTALL)


def _part(part: str) -> str:
    match part:
        case "**/":
            return "(?:[^/]+/)*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case _ if part.startswith("**"):
            return ".*"
        case _:
            return re.escape(part)
