"""What lies at a path, and how that changed. Pure data.

Paths are bytes, since the name of a file need not be text.
"""

from collections.abc import Iterable

from msgspec import Struct

UNREAD = "~"
"""What the hash of a file begins with whose content was not read."""


class Gone(Struct, frozen=True, tag="gone"):
    """Nothing."""


class File(Struct, frozen=True, tag="file"):
    mode: int
    hash: str


class Link(Struct, frozen=True, tag="link"):
    target: bytes


class Folder(Struct, frozen=True, tag="folder"):
    mode: int


State = Gone | File | Link | Folder


class Change(Struct, frozen=True, omit_defaults=True):
    """One path, before and after. `lost` says that what was there before could not be kept."""

    path: bytes
    before: State
    after: State
    lost: bool = False

    @property
    def reversed(self) -> "Change":
        return Change(self.path, self.after, self.before)


def merged(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Changes in the order of time as one change of each path; what came to nothing is left out."""
    found: dict[bytes, Change] = {}
    for change in changes:
        first = found.get(change.path)
        if first is None:
            found[change.path] = change
        else:
            found[change.path] = Change(change.path, first.before, change.after, first.lost)
    return tuple(change for change in found.values() if change.before != change.after)
