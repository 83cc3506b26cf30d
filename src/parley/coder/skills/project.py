"""Skills that a project brings along: used when the user has agreed to exactly their content.

The agreement covers every file of the folder of a skill. What is read from it later is read and
compared as a whole again.
"""

import errno
import hashlib
import os
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from parley.coder.skills.places import MOST_SCANNED
from parley.coder.skills.skill import FILE, Skill, Unusable, skill_of
from parley.coder.skills.snapshot import NoSnapshot, Snapshot, names_in, snapshot
from parley.coder.tools.title import one_line
from parley.coder.trust.content import Content, digest_of
from parley.coder.trust.project import Brought

PLACES = (".parley/skills", ".claude/skills", ".agents/skills")
"""Below the folder of the session; the first one counts most."""
KIND = "skill"
MOST_SKILLS = 50
MOST_SHOWN = 128 * 1024
"""Bytes of the files beside a `SKILL.md` that the user is shown; what is left out is named."""
_MOST_PROBLEMS = 5
_LINKED = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)


class ProjectSkills:
    """A source of content that needs trust: the skills of one project."""

    def __init__(
        self, root: str, own: Sequence[str], use: Callable[[tuple[Skill, ...]], None]
    ) -> None:
        self._root = root
        self._own = tuple(own)
        # Folders of the user: where a session works in the home folder, these are no project's.
        self._use = use
        self._found: dict[Content, Skill] = {}
        # It is only ever replaced as a whole: a look that nobody waits for may still be going on.

    def found(self) -> Brought:
        own = frozenset(map(os.path.realpath, self._own))
        found: dict[Content, Skill] = {}
        problems: list[str] = []
        for place in PLACES:
            for name in self._names(place, own, problems):
                if len(found) + len(problems) >= MOST_SKILLS:
                    problems.append(
                        f"This project brings more than {MOST_SKILLS} skills; the rest is left out."
                    )
                    break
                self._take(f"{place}/{name}", found, problems)
        if len(problems) > _MOST_PROBLEMS:
            left = len(problems) - _MOST_PROBLEMS
            problems[_MOST_PROBLEMS:] = [f"{left} more skills of this project cannot be used."]
        self._found = found
        return Brought(tuple(found), tuple(problems))

    def adopt(self, contents: Sequence[Content]) -> Sequence[Content]:
        found = self._found
        used = [content for content in contents if content in found]
        self._use(tuple(found[content] for content in used))
        return used

    def _names(self, place: str, own: frozenset[str], problems: list[str]) -> list[str]:
        folder = os.path.join(self._root, place)
        if os.path.realpath(folder) in own:
            return []
        steps = tuple(place.split("/"))
        try:
            names = names_in(self._root, steps, MOST_SCANNED)
        except OSError as error:
            others = (os.path.join(self._root, each) for each in PLACES if each != place)
            if error.errno in _LINKED and os.path.realpath(folder) not in others:
                problems.append(f"`{place}` is no folder of this project, so it is not looked at.")
            return []
        paths = (os.path.join(folder, name, FILE) for name in names)
        return [name for name, path in zip(names, paths, strict=True) if os.path.lexists(path)]

    def _take(self, path: str, found: dict[Content, Skill], problems: list[str]) -> None:
        """Look at one skill."""
        skill, whole = _read(self._root, path)
        if isinstance(skill, Unusable):
            problems.append(
                f"The skill `{one_line(path)}` of this project cannot be used: {skill.problem}."
            )
        elif any(skill.name == content.name for content in found):
            problems.append(
                f"The skill `{one_line(path)}` of this project is left out: another one has the"
                " same name."
            )
        else:
            digest = digest_of(path, skill.name, skill.digest)
            found[Content(KIND, skill.name, self._root, path, digest, whole)] = skill


def trusted_snapshot(skill: Skill) -> Snapshot:
    """The files of a skill of a project, as the user has agreed to them.

    Raises:
        NoSnapshot: they are not what they were.
    """
    steps = tuple(os.path.relpath(skill.folder, skill.root).split(os.sep))
    taken = snapshot(skill.root, steps)
    if taken.digest != skill.digest:
        raise NoSnapshot("it has changed since the user agreed to it; `/trust` shows it anew")
    return taken


def _read(root: str, path: str) -> tuple[Skill | Unusable, str]:
    """A skill, and all that the user agrees to."""
    name = path.rpartition("/")[2]
    try:
        taken = snapshot(root, tuple(path.split("/")))
    except NoSnapshot as error:
        return Unusable(str(error)), ""
    file = taken.files.get(FILE)
    if file is None:
        return Unusable(f"its `{FILE}` is not a regular file"), ""
    found = skill_of(file.data, os.path.join(root, path), name)
    if isinstance(found, Unusable):
        return found, ""
    return replace(found, root=root, digest=taken.digest), _whole(path, taken)


def _whole(path: str, taken: Snapshot) -> str:
    """What the user is shown: the instructions, and what else belongs to the skill."""
    lines = [f"Let the model use the skill in `{ascii(path)[1:-1]}` with these instructions:", ""]
    lines.append(taken.files[FILE].data.decode("utf-8", "replace"))
    others = [each for each in taken.files.items() if each[0] != FILE]
    if others:
        lines += ["", "It has further files, which the model can read:"]
    left = MOST_SHOWN
    for name, file in others:
        kind = "program" if file.executable else "file"
        sum = hashlib.sha256(file.data).hexdigest()
        # A name with a line break in it could look like another line.
        named = f"- {ascii(name)[1:-1]} ({kind}, {len(file.data)} bytes, SHA-256 {sum})"
        if b"\0" in file.data:
            lines.append(f"{named}: NOT SHOWN, since it is no text")
        elif len(file.data) > left:
            lines.append(f"{named}: NOT SHOWN, since it is too long; read it before you agree")
        else:
            left -= len(file.data)
            text = file.data.decode("utf-8", "replace")
            # The mark keeps a line of it from looking like the name of another file.
            lines += [named, *(f"  | {line}" for line in text.removesuffix("\n").split("\n"))]
    return "\n".join(lines)
