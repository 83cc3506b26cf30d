"""The folders of the user that hold skills: what lies there, and reading from one skill.

They are the user's own, so links are followed, as people keep such folders. They are followed once,
when a skill is found: such a folder may lie in the workspace, and who swaps something there later
gets nothing else read. Nothing there may make anybody wait, and everything has a limit.
"""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from parley.coder.skills.skill import FILE, MOST_BYTES, Skill, Unusable, skill_of
from parley.coder.tools.title import one_line
from parley.coder.workspace.beneath import parent_of
from parley.coder.workspace.workspace import is_beneath

MOST_SKILLS = 200
MOST_SCANNED = 10_000
"""Entries of one folder."""
MOST_LISTED = 100
"""Files of one skill that the model is told of."""
_MOST_FOLDERS = 100
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NO_STEPS = frozenset(("", os.curdir, os.pardir))
_UNWANTED = frozenset(("__pycache__", "node_modules", ".git", ".venv"))


class Found(Struct, frozen=True):
    skills: tuple[Skill, ...] = ()
    """No two of a name; in the order of the names."""
    problems: tuple[str, ...] = ()
    """What is left out, and why: sentences for a person."""


class Unreadable(Exception):
    """A file of a skill cannot be read; the text says why, as the end of a sentence."""


def found_in(folders: Iterable[str]) -> Found:
    """Look at folders, the first one counting most. Blocks on the disk."""
    skills: dict[str, Skill] = {}
    problems: list[str] = []
    seen: set[str] = set()
    for folder in folders:
        for path in _skill_folders(folder, problems):
            real = os.path.realpath(path)
            if real in seen:
                continue
            seen.add(real)
            if len(seen) > MOST_SKILLS:
                problems.append(f"There are more than {MOST_SKILLS} skills; the rest is left out.")
                return _found(skills, problems)
            skill = _skill(path, real)
            if isinstance(skill, Unusable):
                problems.append(f"The skill `{shown(path)}` is left out: {skill.problem}.")
            elif skill.name in skills:
                other = shown(skills[skill.name].folder)
                problems.append(
                    f"The skill `{shown(path)}` is left out: `{other}` has the same name."
                )
            else:
                skills[skill.name] = skill
    return _found(skills, problems)


def read_plain(path: str, most: int) -> bytes:
    """A regular file by its real path, and one byte more than `most` if it is longer.

    Raises:
        Unreadable: it is something else, a link is on the way by now, or the system refuses.
    """
    steps = tuple(path.split(os.sep))[1:]
    if not os.path.isabs(path) or "\0" in path or not _NO_STEPS.isdisjoint(steps):
        raise Unreadable("is no path of a file")
    try:
        with parent_of(os.sep, steps) as (folder, name):
            # The first look keeps pipes and devices closed, the second one judges what was opened.
            _check_plain(os.stat(name, dir_fd=folder, follow_symlinks=False))
            file = os.open(name, _READ, dir_fd=folder)
        try:
            _check_plain(os.fstat(file))
            with open(file, "rb", closefd=False) as reader:
                return reader.read(most + 1)
        finally:
            os.close(file)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None


def inner_path(top: str, name: str) -> str:
    """The real path of a file of a skill whose real folder this is.

    Raises:
        Unreadable: it lies elsewhere, or a link leads elsewhere.
    """
    try:
        real = os.path.realpath(os.path.join(top, name))
    except (OSError, ValueError):
        raise Unreadable("is no path") from None
    if not is_beneath(real, top):
        raise Unreadable("lies outside of the skill")
    return real


def files_of(folder: str) -> list[str]:
    """The files of a skill beside its `SKILL.md`, as far as they are listed."""
    names: list[str] = []
    for here, folders, files in islice(os.walk(folder), _MOST_FOLDERS):
        folders[:] = sorted(set(folders) - _UNWANTED)
        names += (os.path.relpath(os.path.join(here, name), folder) for name in sorted(files))
        if len(names) > MOST_LISTED:
            break
    return [name for name in names if name != FILE][:MOST_LISTED]


def shown(path: str) -> str:
    """A path for a person, the home folder in short."""
    home = os.path.expanduser("~")
    short = f"~{path[len(home) :]}" if is_beneath(path, home) else path
    return one_line(short)


def _check_plain(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable("is not a regular file")


def _found(skills: dict[str, Skill], problems: list[str]) -> Found:
    return Found(tuple(skills[name] for name in sorted(skills)), tuple(problems))


def _skill_folders(folder: str, problems: list[str]) -> list[str]:
    """The folders in a folder that may be skills."""
    names: list[str] = []
    with suppress(OSError), os.scandir(folder) as found:
        names = [entry.name for entry in islice(found, MOST_SCANNED + 1)]
    if len(names) > MOST_SCANNED:
        problems.append(f"`{shown(folder)}` holds too much; some of it is not looked at.")
    paths = (os.path.join(folder, name) for name in sorted(names) if not name.startswith("."))
    return [path for path in paths if os.path.lexists(os.path.join(path, FILE))]


def _skill(path: str, real: str) -> Skill | Unusable:
    file = os.path.realpath(os.path.join(real, FILE))
    try:
        data = read_plain(file, MOST_BYTES)
    except Unreadable as error:
        return Unusable(f"its `{FILE}` {error}")
    found = skill_of(data, path, os.path.basename(path))
    return found if isinstance(found, Unusable) else replace(found, real=real, file=file)
