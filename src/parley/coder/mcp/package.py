"""Whether the official package is here. It is asked for before anything else is loaded."""

import importlib.util

PACKAGE = "mcp"


def can_serve() -> bool:
    """Whether servers can be used; nothing is imported to find out."""
    try:
        return importlib.util.find_spec(PACKAGE) is not None
    except ImportError:  # Some loader of this process refuses the name.
        return False
