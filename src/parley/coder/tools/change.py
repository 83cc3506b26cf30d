"""What the tools that change files share: what a model must have seen, and writing what was shown.

The person was shown a change of one text into another. It is written only if the file still has
the first of the two.
"""

from msgspec import Struct

from parley.coder.errors import ToolError
from parley.coder.tools.tool import Desk
from parley.coder.workspace.beneath import Place
from parley.coder.workspace.text import FileText
from parley.coder.workspace.workspace import FileMissing
from parley.session.content import DiffItem, FileChange


class Change(Struct, frozen=True):
    """A file before and after; `before` is `None` for a new file."""

    place: Place
    before: FileText | None
    after: str

    def diff(self) -> DiffItem:
        old = None if self.before is None else self.before.text
        operation = "add" if self.before is None else "modify"
        return DiffItem(
            (FileChange(operation, self.place.outer, old_text=old, new_text=self.after),)
        )


async def current(desk: Desk, place: Place) -> FileText | None:
    """The file as it is now; `None` if there is none."""
    try:
        return await desk.workspace.read_text(place)
    except FileMissing:
        return None


def check_seen(desk: Desk, place: Place, file: FileText) -> None:
    """Refuse to change what the model does not know.

    Raises:
        ToolError: it has not read the file, or not as it is now.
    """
    seen = desk.seen.get(place.path)
    if seen is None:
        raise ToolError(f"`{place.relative}` has not been read yet; use `read_file` first")
    if seen != file.hash:
        raise ToolError(f"`{place.relative}` has changed since you read it; read it again")


async def carry_out(desk: Desk, change: Change) -> None:
    """Write a change, if the file is still what it was when the change was shown.

    Raises:
        ToolError: it is not, or it cannot be written; nothing was changed then.
    """
    place, before = change.place, change.before
    now = await current(desk, place)
    if (now and now.hash) != (before and before.hash):
        what = "was made" if before is None else "was removed" if now is None else "has changed"
        raise ToolError(
            f"`{place.relative}` {what} since this change was prepared; "
            "nothing was written: read it again"
        )
    written = await desk.workspace.write_text(place, change.after, before, new=before is None)
    desk.seen[place.path] = written.hash
