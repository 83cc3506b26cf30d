"""The directories that sessions may touch, and a way to open what lies beneath them.

A path is resolved first and judged by where it really leads. It is then opened component by
component beneath its root, without following links, so that a link that is put in between the two
steps leads nowhere. Whatever is in doubt is refused (V1-DIR-09). It knows no content of files.
"""

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress

from msgspec import Struct

from parley.errors import InvalidParams

Path = str | os.PathLike[str]

# Of a path that an error names.
_SHOWN_CHARACTERS = 200
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Place(Struct, frozen=True):
    """Where a path really leads: beneath which root, and on which way."""

    root: str
    steps: tuple[str, ...]
    """The components below the root, none of them a link when they were resolved."""

    @property
    def path(self) -> str:
        return os.path.join(self.root, *self.steps)


class Roots:
    """Which directories a session may touch.

    Those given here are for every session that has none of its own. Resolved once: a root that is
    a link stands for what it leads to now.
    """

    def __init__(self, directories: Iterable[Path] = ()) -> None:
        self._shared = _resolved(directories)
        self._own: dict[str, tuple[str, ...]] = {}

    @classmethod
    def of(cls, roots: "Roots | Iterable[Path]") -> "Roots":
        """The same roots, or new ones of these directories."""
        if isinstance(roots, str):
            raise TypeError("the roots must be a list of directories")
        return roots if isinstance(roots, Roots) else cls(roots)

    def allow(
        self, session_id: str, cwd: Path, additional_directories: Iterable[Path] = ()
    ) -> None:
        """Give a session directories of its own: from here on these, and no others (V1-FS-06)."""
        self._own[session_id] = _resolved((cwd, *additional_directories))

    def forget(self, session_id: str) -> None:
        """Take a session's own directories back."""
        self._own.pop(session_id, None)

    def directories(self, session_id: str) -> tuple[str, ...]:
        """The directories of a session, the one it works in first."""
        return self._own.get(session_id, self._shared)

    def place(self, session_id: str, path: str, name: str = "path") -> Place:
        """Resolve a path and find the root it lies beneath; `name` is that of the parameter.

        Raises:
            InvalidParams: it is not absolute, or it leads out of the roots.
        """
        if not os.path.isabs(path) or "\0" in path:  # V1-FS-05, V1-TRM-04
            raise InvalidParams("Invalid params: a path is not absolute", {"path": name})
        real = _real(path)
        for root in self.directories(session_id):
            if real is not None and os.path.commonpath((root, real)) == root:
                steps = os.path.relpath(real, root).split(os.sep)
                return Place(root, () if steps == [os.curdir] else tuple(steps))
        raise InvalidParams(
            f"Invalid params: `{shown(path)}` is outside the directories of the session",
            {"path": name},
        )


@contextmanager
def parent_of(place: Place, *, make: bool = False) -> Generator[tuple[int, str]]:
    """A descriptor of the directory that holds a place, and the name of the place in it.

    With `make` the directories on the way are made where they are missing.

    Raises:
        OSError: there is no such directory, or a component is a link by now.
    """
    fd = os.open(place.root, _DIRECTORY)
    try:
        for step in place.steps[:-1]:
            above, fd = fd, _entered(fd, step, make=make)
            os.close(above)
        yield fd, place.steps[-1] if place.steps else os.curdir
    finally:
        os.close(fd)


def shown(path: str) -> str:
    """As much of a path as belongs into the text of an error."""
    return path[:_SHOWN_CHARACTERS]


def _entered(above: int, step: str, *, make: bool) -> int:
    try:
        return os.open(step, _DIRECTORY, dir_fd=above)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(step, dir_fd=above)
    return os.open(step, _DIRECTORY, dir_fd=above)


def _real(path: str) -> str | None:
    """Where a path leads; `None` where it cannot be told."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return None


def _resolved(directories: Iterable[Path]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(os.path.realpath(each) for each in directories))
