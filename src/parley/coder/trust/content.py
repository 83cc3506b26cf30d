"""Content of a checkout that needs the agreement of the user before it is used. Pure.

The agreement holds for the folder, the kind, the name and the digest together. Whatever is not in
the digest can change without anybody being asked, so whoever makes one puts everything into it
that decides what the content does.
"""

import hashlib

from msgspec import Struct


class Content(Struct, frozen=True):
    """One thing that can be trusted or not."""

    kind: str
    """As people say it: `MCP server`, `skill`."""
    name: str
    root: str
    """The real path of the folder that it belongs to."""
    path: str
    """The file or folder that it was found in, relative to the root."""
    digest: str
    """From `digest_of`."""
    shown: str
    """What the user agrees to, whole; it says so where something is too long to be shown. Hidden
    characters are made visible later.
    """

    @property
    def place(self) -> str:
        """What stays the same when the content changes."""
        return digest_of(self.root, self.kind, self.name)


def digest_of(*parts: str | bytes) -> str:
    """A digest of these parts in this order; no two lists of parts have the same."""
    sum = hashlib.sha256()
    for part in parts:
        # File names need not be text, and come with surrogates then.
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        sum.update(b"%d:" % len(data))
        sum.update(data)
    return sum.hexdigest()
