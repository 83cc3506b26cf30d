"""Finds programs in the search path, but never in the folder that somebody works in.

Whoever writes a repository must not choose which program runs when its reader names an agent.
"""

import os
from pathlib import Path

from msgspec import Struct


class Search(Struct, frozen=True):
    """Where programs are looked for, and where not."""

    path: str
    """As the variable `PATH` has it."""
    checkout: str | None = None
    """A folder whose programs are not used; absolute, without links."""

    def find(self, program: str) -> str | None:
        """The program with this name that may be used."""
        return next((each for each in self._found(program) if not self.is_refused(each)), None)

    def find_refused(self, program: str) -> str | None:
        """The program with this name that may not be used, to be told about."""
        return next((each for each in self._found(program) if self.is_refused(each)), None)

    def is_refused(self, program: str) -> bool:
        """Whether a program lies in the folder, or leads into it."""
        if self.checkout is None:
            return False
        places = (os.path.dirname(program), program)
        return any(_is_inside(os.path.realpath(place), self.checkout) for place in places)

    def _found(self, program: str) -> list[str]:
        if not program or os.path.basename(program) != program:
            return []
        # An entry that is not absolute means a different folder wherever one works.
        folders = [each for each in self.path.split(os.pathsep) if os.path.isabs(each)]
        places = [os.path.join(folder, program) for folder in dict.fromkeys(folders)]
        return [each for each in places if is_program(each)]


def is_program(path: str) -> bool:
    """Whether there is a file that can be started."""
    return os.path.isfile(path) and os.access(path, os.X_OK)


def checkout_of(cwd: str | os.PathLike[str], home: str | os.PathLike[str]) -> str | None:
    """The folder that holds what one works on: the repository around `cwd`, or `cwd` itself.

    The home of the user, and what is above it, is none: it is there that users install programs.
    """
    here, ours = os.path.realpath(cwd), os.path.realpath(home)
    around = (str(each) for each in (Path(here), *Path(here).parents) if (each / ".git").exists())
    candidates = (*around, here)
    outside = [each for each in candidates if not _is_inside(ours, each)]
    return outside[0] if outside else None


def _is_inside(path: str, folder: str) -> bool:
    return os.path.commonpath((path, folder)) == folder
