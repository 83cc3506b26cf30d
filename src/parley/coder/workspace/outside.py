"""Finding programs, and their parts, that nobody in the workspace can replace."""

import os
from collections.abc import Iterable, Mapping

from parley.coder.workspace.workspace import is_beneath

# Where programs look for libraries before they look where those were installed.
_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def program_outside(roots: Iterable[str], name: str, folders: Iterable[str]) -> str | None:
    """The absolute path of a program; neither its folder nor what it leads to is in a root.

    A folder that is not absolute means another place wherever somebody works, so it is left out.
    """
    within = tuple(roots)
    for folder in folders:
        program = os.path.join(folder, name)
        if os.path.isabs(folder) and os.access(program, os.X_OK) and os.path.isfile(program):
            places = (folder, os.path.realpath(folder), os.path.realpath(program))
            if not any(is_beneath(place, root) for place in places for root in within):
                return program
    return None


def environment_outside(roots: Iterable[str], environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which the name of a program means none of the workspace."""
    found = {name: value for name, value in environment.items() if name not in _LIBRARIES}
    # Where the whole system is the workspace, its own programs are the ones that are meant.
    found["PATH"] = path_outside(roots, found.get("PATH", os.defpath)) or os.defpath
    return found


def path_outside(roots: Iterable[str], path: str) -> str:
    """A search path without folders of the workspace, and without relative ones."""
    within = tuple(roots)
    return os.pathsep.join(each for each in path.split(os.pathsep) if _is_outside(each, within))


def _is_outside(folder: str, roots: tuple[str, ...]) -> bool:
    places = (os.path.normpath(folder), os.path.realpath(folder))
    beneath = any(is_beneath(place, root) for place in places for root in roots)
    return os.path.isabs(folder) and not beneath
