"""Making paths what they were. Everything here blocks.

Every path is reached from its root without following a link, and a file is replaced as a whole.
What cannot be done is told, and the rest is done all the same.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress

from parley.coder.undo.look import located
from parley.coder.undo.state import Change, File, Folder, Gone, Link, State
from parley.coder.workspace.beneath import open_folder, parent_of
from parley.coder.workspace.part import part_name

Content = Callable[[str], bytes | None]


def restore(roots: tuple[str, ...], changes: Iterable[Change], content: Content) -> list[bytes]:
    """Carry out changes: what is `before` now becomes `after`. Returns the paths that did not."""
    work = _Restoring(roots, content)
    wanted = sorted(changes, key=lambda change: change.path)
    for change in reversed(wanted):
        if not isinstance(change.before, Gone) and type(change.before) is not type(change.after):
            work.try_to(work.remove, change.path, change.before)
    for change in wanted:
        if isinstance(change.after, Folder):
            work.try_to(work.make_folder, change.path, change.after)
    for change in wanted:
        if isinstance(change.after, File | Link):
            work.try_to(work.put, change.path, change.after)
    # The mode comes last: in a folder that may not be written nothing can be made.
    for change in reversed(wanted):
        if isinstance(change.after, Folder):
            work.try_to(work.set_mode, change.path, change.after)
    return sorted(work.failed)


class _Restoring:
    def __init__(self, roots: tuple[str, ...], content: Content) -> None:
        self.failed: set[bytes] = set()
        self._roots = roots
        self._content = content

    def try_to(
        self, work: Callable[[str, tuple[str, ...], State], None], path: bytes, state: State
    ) -> None:
        place = located(self._roots, path)
        if place is None or path in self.failed:
            self.failed.add(path)
            return
        try:
            work(*place, state)
        except OSError:
            self.failed.add(path)

    def remove(self, root: str, steps: tuple[str, ...], state: State) -> None:
        with suppress(FileNotFoundError), parent_of(root, steps) as (folder, name):
            if isinstance(state, Folder):
                os.rmdir(name, dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)

    def make_folder(self, root: str, steps: tuple[str, ...], state: State) -> None:
        with parent_of(root, steps, make=True) as (folder, name), suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=folder)

    def set_mode(self, root: str, steps: tuple[str, ...], state: State) -> None:
        assert isinstance(state, Folder)
        folder = open_folder(root, steps)
        try:
            os.fchmod(folder, state.mode)
        finally:
            os.close(folder)

    def put(self, root: str, steps: tuple[str, ...], state: State) -> None:
        with parent_of(root, steps, make=True) as (folder, name):
            part = part_name()
            try:
                self._write(folder, part, state)
                os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                with suppress(FileNotFoundError):
                    os.unlink(part, dir_fd=folder)
                raise

    def _write(self, folder: int, part: str, state: State) -> None:
        if isinstance(state, Link):
            os.symlink(state.target, os.fsencode(part), dir_fd=folder)
            return
        assert isinstance(state, File)
        data = self._content(state.hash)
        if data is None:
            raise FileNotFoundError(part)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(part, flags, 0o600, dir_fd=folder), "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), state.mode)
