"""Folders beside the session file that belong to one session and go with it."""

import shutil
from pathlib import Path


def undo_folder(folder: Path, session_id: str) -> Path:
    """Where copies of files are kept that a session has changed."""
    return folder / "undo" / session_id


def remove(folder: Path) -> None:
    """Remove a folder and all that is in it; one that is not there is no error."""
    shutil.rmtree(folder, ignore_errors=True)
