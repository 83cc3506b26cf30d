"""Finding programs that nobody in the workspace can replace."""

import os
from collections.abc import Iterable

from parley.coder.workspace.workspace import is_beneath


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
