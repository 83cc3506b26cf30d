"""`/undo`: takes back what the last turns did to files, or takes that back."""

import os

from parley.coder.commands.outcome import Say
from parley.coder.message import TextPart, UserMessage
from parley.coder.open_session import OpenSession
from parley.coder.store.entry import Said
from parley.coder.undo.books import Result

_FORCE = "--force"
_USAGE = "Type `/undo`, or `/undo 2` for the last two turns, and `--force` to overwrite changes."
_MOST_NAMED = 20


async def undo(session: OpenSession, arguments: str) -> Say:
    words = arguments.split()
    force = _FORCE in words
    numbers = [word for word in words if word != _FORCE]
    if len(numbers) > 1 or not all(word.isascii() and word.isdigit() for word in numbers):
        return Say(_USAGE)
    count = int(numbers[0][:6]) if numbers else None
    if count == 0:
        return Say(_USAGE)
    result = await session.undo.undo(count, force=force)
    if result is None:
        return Say("Nothing was taken back: the copies of files cannot be read or written.")
    if result.changed:
        # Otherwise the model would go on as if its changes were there.
        what = "brought back changes" if result.again else "took back changes"
        paths = ", ".join(_names(session, result.changed, marked=True))
        text = f"(The user {what} to these files; read them again before you use them: {paths})"
        session.append(Said(UserMessage((TextPart(text),))))
    return Say(_answer(session, result))


def _answer(session: OpenSession, result: Result) -> str:
    if not result.turns:
        return "There is nothing to undo: no turn of this session has changes that are still there."
    if result.conflicts:
        return _listed(
            "Nothing was undone: these files have changed since.",
            _names(session, result.conflicts),
            f"Type `/undo {_FORCE}` to overwrite them; that can be undone as well.",
        )
    turns = "the last turn" if result.turns == 1 else f"the last {result.turns} turns"
    done = f"The changes of {turns} are back." if result.again else f"Undid {turns}."
    if result.changed:
        hint = "" if result.again else "`/undo` brings the changes back."
        parts = [_listed(done, _names(session, result.changed, marked=True), hint)]
    else:
        parts = ["No file had to be changed."]
    if result.failed:
        why = "These are not as before: they could not be changed, or they were too large to keep."
        parts.append(_listed(why, _names(session, result.failed)))
    if result.unseen:
        parts.append(f"Changes by commands are not known: {result.unseen}.")
    if left_out := session.undo.left_out:
        parts.append(f"Not watched: {', '.join(f'`{name}`' for name in left_out)}.")
    return "\n\n".join(parts)


def _listed(first: str, names: list[str], last: str = "") -> str:
    lines = [first, "", *(f"- {name}" for name in names)]
    return "\n".join([*lines, "", last] if last else lines)


def _names(session: OpenSession, paths: tuple[bytes, ...], *, marked: bool = False) -> list[str]:
    """Paths to be read; `marked` tells those that are there no more from those that are."""
    names: list[str] = []
    for path in paths[:_MOST_NAMED]:
        # A name with a line break in it could look like an instruction.
        shown = f"`{ascii(session.desk.workspace.shown(os.fsdecode(path)))[1:-1]}`"
        names.append(f"{shown} (removed)" if marked and not os.path.lexists(path) else shown)
    return [*names, f"and {len(paths) - _MOST_NAMED} more"] if len(paths) > _MOST_NAMED else names
