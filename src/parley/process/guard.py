"""A tiny program beside us that ends our process groups when we are killed.

The kernel ends our children with us, but not what they started in turn. Nobody who was killed can
do it, so somebody else has to: a shell that reads which groups live from a pipe of ours. When the
pipe ends we are gone, in whatever way, and it kills the groups that are left.
"""

import os
from contextlib import suppress

_SHELL = "/bin/sh"
_SCRIPT = """
trap '' HUP INT QUIT TERM
groups=' '
while read -r sign group; do
    case $sign in
        +) groups="$groups$group " ;;
        -) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
"""


class Guard:
    """Starts the program when it is first needed, and again if somebody ended it."""

    def __init__(self) -> None:
        self._pipe: int | None = None
        self._groups: set[int] = set()
        self._owner = 0

    def watch(self, group: int) -> None:
        """Let a process group end with us."""
        if self._owner != os.getpid():
            # A fork inherits the pipe, but neither the groups nor the duty.
            self._owner = os.getpid()
            self._groups.clear()
            self.close()
        self._groups.add(group)
        if not self._say("+", group):
            self._start()

    def forget(self, group: int) -> None:
        """A group has ended. Call it before the leader is reaped: later its id is free."""
        if group in self._groups and self._owner == os.getpid():
            self._groups.discard(group)
            self._say("-", group)

    def close(self) -> None:
        """End the program; it kills what is still watched."""
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None

    def _start(self) -> None:
        self.close()
        theirs, self._pipe = os.pipe()
        os.set_blocking(self._pipe, False)
        nothing = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
        try:
            # In a group of its own, so that what is meant for ours does not end it; and without
            # our stdout and stderr, whose end somebody may wait for.
            os.posix_spawn(
                _SHELL,
                (_SHELL, "-c", _SCRIPT),
                {"PATH": os.defpath},
                file_actions=(
                    (os.POSIX_SPAWN_DUP2, theirs, 0),
                    nothing,
                    (os.POSIX_SPAWN_DUP2, 1, 2),
                ),
                setpgroup=0,
            )
        except OSError:
            # Without it a kill leaves grandchildren behind; everything else still works.
            self.close()
        finally:
            os.close(theirs)
        for group in self._groups:
            self._say("+", group)

    def _say(self, sign: str, group: int) -> bool:
        if self._pipe is None:
            return False
        with suppress(OSError):
            os.write(self._pipe, f"{sign} {group}\n".encode())
            return True
        return False


GUARD = Guard()
"""One for the whole process, since its end is one event."""
