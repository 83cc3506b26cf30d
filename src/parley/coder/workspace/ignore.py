"""Which files a search leaves out: what `.gitignore` and the like say, read as ripgrep reads them.

A rule of a deeper folder wins over one of a folder above. `.rgignore` wins over `.ignore`, and that
over `.gitignore`, at any depth. A folder with `.git` in it is a repository: the `.gitignore` files
above it are not its own. Personal rules outside of the folders are not read.
"""

import os
from contextlib import suppress
from typing import Protocol

from msgspec import Struct

from parley.coder.workspace.beneath import NotPlain, open_folder, open_plain

KINDS = (".rgignore", ".ignore", ".gitignore")
_GIT = ".gitignore"
_MOST_BYTES = 256 * 1024


class _Verdict(Protocol):
    @property
    def include(self) -> bool | None: ...


class _Rules(Protocol):
    def check_file(self, file: str) -> _Verdict: ...


class _Level(Struct, frozen=True):
    """The rules of one kind in one folder."""

    rules: _Rules
    depth: int
    """How many components the absolute path of the folder has."""


class Ignores(Struct, frozen=True):
    """The rules that hold in one folder; each kind has the deepest level first."""

    levels: tuple[tuple[_Level, ...], ...] = ((), (), ())

    def verdict(self, steps: tuple[str, ...], *, folder: bool) -> bool | None:
        """Whether something is left out; `None` if no rule says anything.

        `steps` are the components of its absolute path.
        """
        for levels in self.levels:
            for level in levels:
                path = "/".join(steps[level.depth :])
                said = level.rules.check_file(path + "/" if folder else path).include
                if said is not None:
                    return said
        return None

    def entered(self, steps: tuple[str, ...], found: dict[str, str], *, git: bool) -> "Ignores":
        """The rules in a folder below: `found` are its own ones by kind, `git` is a repository."""
        if not found and not git:
            return self
        levels: list[tuple[_Level, ...]] = []
        for kind, above in zip(KINDS, self.levels, strict=True):
            kept = () if git and kind == _GIT else above
            rules = _parsed(found[kind]) if kind in found else None
            levels.append((_Level(rules, len(steps)), *kept) if rules else kept)
        return Ignores(tuple(levels))


NOTHING_IGNORED = Ignores()


def ignores_above(path: str) -> Ignores:
    """The rules of all folders above one; its own are not among them."""
    ignores = NOTHING_IGNORED
    above = path.strip(os.sep).split(os.sep)[:-1]
    for count in range(len(above) + 1 if path.strip(os.sep) else 0):
        steps = tuple(above[:count])
        with suppress(OSError):
            folder = open_folder(os.sep + os.sep.join(steps), ())
            try:
                ignores = ignores.entered(steps, rules_in(folder), git=_has_git(folder))
            finally:
                os.close(folder)
    return ignores


def rules_in(folder: int, kinds: tuple[str, ...] = KINDS) -> dict[str, str]:
    """The texts of the ignore files in a folder, by kind."""
    found: dict[str, str] = {}
    for kind in kinds:
        with suppress(OSError, NotPlain):
            file, _ = open_plain(folder, kind, os.O_RDONLY)
            with os.fdopen(file, "rb") as source:
                found[kind] = source.read(_MOST_BYTES).decode("utf-8", "replace")
    return found


def _has_git(folder: int) -> bool:
    with suppress(OSError):
        os.stat(".git", dir_fd=folder, follow_symlinks=False)
        return True
    return False


def _parsed(text: str) -> _Rules | None:
    try:
        # It is only needed once something is searched, and it is slow to import.
        from pathspec import GitIgnoreSpec  # noqa: PLC0415
    except ImportError:
        return None
    try:
        return GitIgnoreSpec.from_lines(text.splitlines())
    except ValueError:
        # A line that cannot be understood is no reason to lose the others.
        return GitIgnoreSpec.from_lines(filter(_is_pattern, text.splitlines()))


def _is_pattern(line: str) -> bool:
    # As above.
    from pathspec import GitIgnoreSpec  # noqa: PLC0415

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
