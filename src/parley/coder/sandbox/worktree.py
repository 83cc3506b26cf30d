"""The folders that git writes for a worktree, which lie in the repository it belongs to.

A worktree has only a file that names its folder in there. Whoever wrote the checkout wrote that
file too, so it is believed only if the folder itself names the worktree, and if everything lies
where git puts it, without links.
"""

import os
import stat

_MOST_BYTES = 4096
_PREFIX = "gitdir: "
# Not the settings and not the hooks.
_SHARED = ("objects", "refs", "logs")


def worktree_folders(root: str) -> tuple[str, ...]:
    """What a command must write so that git can commit in a worktree; nothing for anything else."""
    pointer = os.path.join(root, ".git")
    named = _line(pointer)
    if not named.startswith(_PREFIX):
        return ()
    own = os.path.realpath(os.path.join(root, named[len(_PREFIX) :]))
    if os.path.realpath(_line(os.path.join(own, "gitdir"))) != pointer:
        return ()
    common = os.path.realpath(os.path.join(own, _line(os.path.join(own, "commondir"))))
    if os.path.dirname(own) != os.path.join(common, "worktrees"):
        return ()
    found = (own, *(os.path.join(common, name) for name in _SHARED))
    return tuple(each for each in found if os.path.isdir(each) and os.path.realpath(each) == each)


def _line(path: str) -> str:
    """The text of a small plain file; empty for anything else."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return ""
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_MOST_BYTES)).strip()
    except OSError:
        return ""
