"""A program that the user wants to run around tool calls. Pure data.

Hooks come from the user's own configuration, and from nowhere else.
"""

from fnmatch import fnmatchcase

from msgspec import Struct

SHELL = "/bin/sh"
DEFAULT_SECONDS = 30.0
MOST_SECONDS = 600.0


class Hook(Struct, frozen=True):
    name: str
    """Where it is written: `hooks.before_tool[0]`."""
    command: tuple[str, ...]
    tools: tuple[str, ...] = ("*",)
    """Names of the tools that it concerns; `*` stands for anything."""
    seconds: float = DEFAULT_SECONDS
    """How long it may take."""
    file: str = ""
    """The configuration that it stands in."""

    @property
    def line(self) -> str:
        """The command as the user would write it, in words."""
        return self.command[2] if self.command[:2] == (SHELL, "-c") else " ".join(self.command)

    def concerns(self, tool: str) -> bool:
        # A guard must not be lost because somebody wrote `Bash`.
        return any(fnmatchcase(tool.lower(), pattern.lower()) for pattern in self.tools)


class Hooks(Struct, frozen=True):
    before: tuple[Hook, ...] = ()
    """They may stop a call, or want the user to be asked."""
    after: tuple[Hook, ...] = ()
    """They may add something for the model."""
