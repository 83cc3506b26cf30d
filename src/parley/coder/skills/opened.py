"""A skill that is used: its instructions, its files, and one file of it."""

import os

from msgspec import Struct

from parley.coder.errors import ToolError
from parley.coder.skills.places import Unreadable, files_of, inner_path, read_plain
from parley.coder.skills.project import trusted_snapshot
from parley.coder.skills.skill import ARGUMENTS, FILE, MOST_BYTES, Skill, body_of
from parley.coder.skills.snapshot import NoSnapshot
from parley.coder.tools.title import one_line

MOST_FILE_BYTES = 256 * 1024
"""Of a file that the model reads."""


class Opened(Struct, frozen=True):
    skill: Skill
    body: str
    files: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """For the model."""
        parts = [f"The skill `{self.skill.name}` in `{self.skill.folder}`:", self.body]
        if self.files:
            names = "\n".join(f"- {ascii(name)[1:-1]}" for name in self.files)
            parts.append(f"It has these files; read one with `skill` and `file`:\n{names}")
        return "\n\n".join(parts)

    def asked(self, arguments: str) -> str:
        """For the model, when the user has typed it as a command."""
        if ARGUMENTS in self.body:
            return Opened(self.skill, self.body.replace(ARGUMENTS, arguments), self.files).text
        wish = f"\n\nThe user adds: {arguments}" if arguments else ""
        return f"Follow this skill now.\n\n{self.text}{wish}"


def opened(skill: Skill) -> Opened:
    """Read a skill. Blocks on the disk.

    Raises:
        ToolError: it is gone, or not what it was.
    """
    try:
        if skill.digest:
            files = trusted_snapshot(skill).files
            names = tuple(name for name in files if name != FILE)
            return Opened(skill, body_of(files[FILE].data), names)
        data = read_plain(skill.file, MOST_BYTES)
    except (NoSnapshot, Unreadable) as error:
        raise ToolError(f"The skill `{skill.name}` cannot be used: {error}.") from None
    if len(data) > MOST_BYTES:
        raise ToolError(f"The skill `{skill.name}` cannot be used: its `{FILE}` is too long now.")
    return Opened(skill, body_of(data), tuple(files_of(skill.real)))


def path_in(skill: Skill, name: str | None) -> str:
    """The real path of a file of a skill, or of its `SKILL.md`. Blocks on the disk.

    Raises:
        ToolError: it lies elsewhere.
    """
    if name is None:
        return skill.file or os.path.join(skill.folder, FILE)
    try:
        return inner_path(skill.real or skill.folder, name)
    except Unreadable as error:
        raise ToolError(f"{_named(skill, name)}: {error}") from None


def file_text(skill: Skill, path: str) -> str:
    """A text file of a skill, by the path that `path_in` gives. Blocks on the disk.

    Raises:
        ToolError: there is no such file, or it is no text.
    """
    name = os.path.relpath(path, skill.real or skill.folder)
    shown = _named(skill, name)
    try:
        data = _file(skill, name, path)
    except (NoSnapshot, Unreadable) as error:
        raise ToolError(f"{shown}: {error}") from None
    if data is None:
        raise ToolError(f"There is no file {shown}; load the skill to see its files")
    if b"\0" in data:
        raise ToolError(f"{shown} is a binary file; its folder is `{skill.folder}`")
    text = data[:MOST_FILE_BYTES].decode("utf-8", "replace")
    return f"{text}\n[… the file is longer …]" if len(data) > MOST_FILE_BYTES else text


def _file(skill: Skill, name: str, path: str) -> bytes | None:
    if not skill.digest:
        return read_plain(path, MOST_FILE_BYTES)
    file = trusted_snapshot(skill).files.get(name)
    return None if file is None else file.data


def _named(skill: Skill, name: str) -> str:
    return f"`{one_line(name)}` of the skill `{skill.name}`"
