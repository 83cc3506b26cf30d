"""Folders beside the session file that belong to one session and go with it."""

import os
from contextlib import suppress
from pathlib import Path


def undo_folder(folder: Path, session_id: str) -> Path:
    """Where copies of files are kept that a session has changed. It has no folders in it."""
    return folder / "undo" / session_id


def remove(folder: Path) -> None:
    """Remove a folder of files as far as that is possible."""
    with suppress(OSError):
        remove_all(folder)


def remove_all(folder: Path) -> None:
    """Remove a folder of files; one that is not there is no error.

    Raises:
        OSError: something of it is still there.
    """
    with suppress(FileNotFoundError):
        for path in folder.iterdir():
            path.unlink(missing_ok=True)
        os.rmdir(folder)
