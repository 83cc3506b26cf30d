"""The files of a session: what may be reached, and how it is read and written.

Every path goes through `place` first. What it returns lies inside the roots with all symbolic
links resolved; opening it again refuses links, so that nobody can swap one in between.
"""

from msgspec import Struct

from parley.session.role import Files, Terminals


class Place(Struct, frozen=True):
    """A path inside the workspace. It need not exist."""

    path: str
    """Absolute and real."""
    root: str
    relative: str
    """As it is shown: relative to the session's folder where it lies in it."""


class FileText(Struct, frozen=True):
    """A text file, and what must stay the same when it is written again."""

    text: str
    """With `\\n` between lines, whatever the file has."""
    newline: str = "\n"
    encoding: str = "utf-8"
    bom: bool = False
    hash: str = ""


class Workspace:
    """The only door to files. Where the client offers its own view of them, that is used."""

    def __init__(
        self,
        roots: tuple[str, ...],
        *,
        session_id: str = "",
        files: Files | None = None,
        terminals: Terminals | None = None,
    ) -> None:
        self.roots = roots
        """The first one is the folder the session works in."""
        self.session_id = session_id
        self.files = files
        self.terminals = terminals
