"""Servers that a project names for whoever opens it. They are reported, and never started.

Starting one means running what somebody else wrote down in a checkout. A user who trusts exactly
that content could be asked once, by its hash; that has its place here.
"""

import os
import stat
from typing import Any, cast

import msgspec

from parley.coder.tools.title import one_line

FILE = ".mcp.json"
_LARGEST = 64 * 1024
_MOST_NAMES = 10


def project_notice(folder: str) -> str | None:
    """What to tell the user about the servers of a project; `None` if it names none."""
    text = _read(os.path.join(folder, FILE))
    if text is None:
        return None
    names = _names(text)
    if names is None:
        return f"This project has a `{FILE}` that cannot be read; nothing in it is started."
    if not names:
        return None
    shown = ", ".join(f"`{one_line(name, 40)}`" for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return (
        f"This project names MCP servers in `{FILE}`: {shown}{more}. They are not started. If you"
        " trust one, write it into your own configuration as `[mcp.NAME]`."
    )


def _read(path: str) -> bytes | None:
    try:
        # A pipe must not make anybody wait, and a link could lead anywhere.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        # What is longer than this is cut, and then it is no JSON any more.
        return os.read(fd, _LARGEST)
    except OSError:
        return None
    finally:
        os.close(fd)


def _names(text: bytes) -> list[str] | None:
    try:
        document = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None
    servers = cast("dict[str, Any]", document).get("mcpServers") if _is_table(document) else None
    return list(cast("dict[str, Any]", servers)) if _is_table(servers) else []


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)
