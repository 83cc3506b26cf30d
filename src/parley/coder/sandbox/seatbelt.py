"""Seatbelt, the sandbox of macOS: the limits as the text of a profile.

It can deny below what it allows, so protected paths hold whether they exist or not. Whether the
profile does what it says is found out by the self-test on the machine itself.
"""

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager

from parley.coder.sandbox.box import Launch
from parley.coder.sandbox.policy import DEVICES, Limits, around

PROGRAM = "/usr/bin/sandbox-exec"


def available() -> bool:
    return os.path.exists(PROGRAM)


class SeatbeltBox:
    """The program of the system with a profile for the limits."""

    def __init__(self, limits: Limits) -> None:
        self._profile = profile(limits)

    @contextmanager
    def launch(self, command: tuple[str, ...], cwd: str) -> Generator[Launch]:
        yield Launch((PROGRAM, "-p", self._profile, *command))


def profile(limits: Limits) -> str:
    """The text of the profile. Of several rules that match, the last one holds."""
    lines = [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        _rule("allow file-write*", "subpath", limits.writable),
        _rule("allow file-write*", "literal", DEVICES),
        _rule("deny file-write*", "subpath", limits.kept),
        _rule("deny file-read* file-write*", "subpath", limits.hidden),
        # Who renames a folder takes it out of its place.
        _rule("deny file-write-unlink", "literal", around(_held(limits), limits.writable)),
        # Services that do something for whoever asks them.
        "(deny appleevent-send)",
        "(deny process-info* (target others))",
        "(deny signal (target others))",
        "(deny network-outbound (remote unix-socket))",
    ]
    if not limits.network:
        lines.append("(deny network*)")
    return "\n".join(line for line in lines if line)


def _held(limits: Limits) -> tuple[str, ...]:
    return (*limits.kept, *limits.hidden)


def _rule(what: str, how: str, paths: Iterable[str]) -> str:
    named = " ".join(f"({how} {_quoted(path)})" for path in paths)
    return f"({what} {named})" if named else ""


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
