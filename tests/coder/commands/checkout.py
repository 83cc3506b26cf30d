"""A git repository for tests, made without any configuration of this machine."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", ""),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ("git", *arguments),
        cwd=folder,
        env=_ENVIRONMENT,
        capture_output=True,
        check=True,
        text=True,
        timeout=10,
    )
    return done.stdout


def checkout(folder: Path, files: Mapping[str, str]) -> None:
    """A repository with these files in its first commit."""
    git(folder, "init", "-q", "-b", "main", "--template=")
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
