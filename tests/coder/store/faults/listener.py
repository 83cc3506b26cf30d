"""Who is asked before a call to the system, and told after it. Says nothing by itself."""

SHORT = -1
"""In place of an error number: only a part is written."""


class Listener:
    """Lets everything pass. Paths are absolute; calls are named as in C."""

    def refusal(self, call: str, path: str) -> int:
        """The error number that this call must fail with, or 0, or `SHORT`."""
        return 0

    def made(self, path: str) -> None:
        """A file was made, or an old one was opened to be written from its start."""

    def folder_made(self, path: str) -> None: ...

    def wrote(self, path: str, offset: int, content: bytes) -> None: ...

    def resized(self, path: str, size: int) -> None: ...

    def removed(self, path: str) -> None: ...

    def renamed(self, path: str, target: str) -> None: ...

    def linked(self, path: str, target: str) -> None:
        """A file got a second name."""

    def synced(self, path: str) -> None:
        """What was written to a file has reached the disk."""

    def folder_synced(self, path: str) -> None:
        """The names in a folder have reached the disk."""
