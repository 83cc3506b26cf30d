"""The slash commands that there are: those of the agent, and those that the user keeps in files.

A file `NAME.md` in the user's own folder is the command `/NAME`: its text is what the model is
asked, with what was typed behind the command in the place of `$ARGUMENTS`. It may begin with a
block between two lines `---` that gives a `description` and a `hint`. Nothing is ever read from
the folder that the agent works in. What the commands do is not known here.
"""

import os
import re
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from parley.coder.skills.front_matter import parted
from parley.session.option import Command

ARGUMENTS = "$ARGUMENTS"
MOST_FILES = 200
MOST_BYTES = 64 * 1024
"""Of one file; a longer one is left out, since half of an instruction may mean something else."""

BUILT_IN = (
    Command("help", "Show what can be typed"),
    Command("init", "Write an AGENTS.md that describes this project", "what to mention"),
    Command("compact", "Summarise the conversation to make room", "what to keep"),
    Command("clear", "Let the model start anew; the conversation stays visible"),
    Command("model", "Show or choose the model that answers", "model"),
    Command("mode", "Show or choose what the agent may do without asking", "mode"),
    Command("permissions", "Show the mode, the rules and the answers that are remembered"),
    Command("mcp", "Show the MCP servers of this session"),
    Command("trust", "Show what this project brings along and decide what to use", "names"),
    Command("undo", "Take back the file changes of the last turn", "[turns] [--force]"),
    Command("review", "Review the changes that are not committed", "what to look for"),
)

_SUFFIX = ".md"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LONGEST_DESCRIPTION = 120


class Custom(Struct, frozen=True):
    """A command of the user."""

    command: Command
    text: str

    def expanded(self, arguments: str) -> str:
        """What the model is asked."""
        if ARGUMENTS in self.text:
            return self.text.replace(ARGUMENTS, arguments)
        return f"{self.text}\n\n{arguments}" if arguments else self.text


class Known(Struct, frozen=True):
    """All commands of a moment."""

    custom: tuple[Custom, ...] = ()
    problems: tuple[str, ...] = ()
    """Which files are left out, and why."""
    skills: tuple[Command, ...] = ()
    """Skills that can be typed as commands."""

    @property
    def commands(self) -> tuple[Command, ...]:
        """As clients are told."""
        return (*BUILT_IN, *(each.command for each in self.custom), *self.skills)

    def beside(self, skills: tuple[Command, ...]) -> "Known":
        """With these skills; one that has the name of a command is none."""
        taken = {each.name for each in Known(self.custom).commands}
        others = tuple(skill for skill in skills if skill.name not in taken)
        return Known(self.custom, self.problems, others)

    def find(self, name: str) -> Custom | None:
        return next((each for each in self.custom if each.command.name == name), None)


def known_commands(folder: str) -> Known:
    """Read the commands of the user; without a folder there are none. Blocks on the disk."""
    custom: list[Custom] = []
    problems: list[str] = []
    for name, path in _files(folder):
        found = _read(name, path)
        if isinstance(found, str):
            problems.append(f"`{os.path.basename(path)}` is left out: {found}")
        else:
            custom.append(found)
    return Known(tuple(custom), tuple(problems))


def _files(folder: str) -> Iterator[tuple[str, str]]:
    if not folder:
        return
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    files = (name for name in names if name.endswith(_SUFFIX) and not name.startswith("."))
    for name in islice(files, MOST_FILES):
        yield name.removesuffix(_SUFFIX), os.path.join(folder, name)


def _read(name: str, path: str) -> Custom | str:
    """The command of a file, or what is wrong with it."""
    if _NAME.fullmatch(name) is None:
        return "name it with letters, digits, `-` and `_` only"
    if any(command.name == name for command in BUILT_IN):
        return "a command of the agent has this name; choose another one"
    try:
        if not os.path.isfile(path):
            return "it is not a file"
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        text = data.decode()
    except (OSError, UnicodeDecodeError):
        return "it cannot be read as text"
    if len(data) > MOST_BYTES:
        return f"it is longer than {MOST_BYTES} bytes"
    head, body = parted(text)
    if not body:
        return "it has no text"
    hint = _one_line(head.get("hint", "")) or ("arguments" if ARGUMENTS in body else None)
    description = _one_line(head.get("description", "")) or _first_line(body)
    return Custom(Command(name, description, hint), body)


def _first_line(body: str) -> str:
    return _one_line(body.splitlines()[0].lstrip("# "))


def _one_line(text: str) -> str:
    shown = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    return shown if len(shown) <= _LONGEST_DESCRIPTION else f"{shown[:_LONGEST_DESCRIPTION]}…"
