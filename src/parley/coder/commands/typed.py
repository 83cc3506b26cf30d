"""Whether a prompt is a slash command. Pure.

People begin prompts with paths too. Only the exact name of a command, followed by a blank or by
nothing, is one. Another single word behind a slash is a mistyped command, unless there is a file
of that name: then it is about the file.
"""

import difflib
import re
from collections.abc import Callable

from msgspec import Struct

from parley.coder.known_commands import Known
from parley.session.content import Block, Text

_TYPED = re.compile(r"/([A-Za-z0-9][A-Za-z0-9_-]*)(?:\s+(.*))?", re.DOTALL)
_LONGEST_NAME = 64


class Typed(Struct, frozen=True):
    """A command as somebody typed it."""

    name: str
    arguments: str = ""
    attached: tuple[Block, ...] = ()
    """What came with it: files, images."""
    known: bool = True


def typed_command(
    content: tuple[Block, ...], known: Known, is_file: Callable[[str], bool]
) -> Typed | None:
    """The command that a prompt is; `None` if it is for the model.

    `is_file` says whether there is something of a name, at the top of the machine or of the
    workspace.
    """
    first = content[0] if content else None
    if not isinstance(first, Text) or not first.text.startswith("/"):
        return None
    found = _TYPED.fullmatch(first.text.rstrip())
    if found is None or len(found[1]) > _LONGEST_NAME:
        return None
    name, arguments = found[1], found[2] or ""
    if any(command.name == name for command in known.commands):
        return Typed(name, arguments, content[1:])
    return None if is_file(name) else Typed(name, arguments, content[1:], known=False)


def unknown_answer(name: str, known: Known) -> str:
    """What to say to somebody who typed a command that there is not."""
    names = [command.name for command in known.commands]
    close = difflib.get_close_matches(name.lower(), names, n=1)
    meant = f" Did you mean `/{close[0]}`?" if close else ""
    return (
        f"There is no command `/{name}`.{meant} `/help` shows all of them. To send the text to"
        " the model, put a blank in front of it."
    )
