"""Worktrees of git: theirs may be written, what only says so may not."""

import os
import subprocess
from pathlib import Path

import pytest

from parley.coder.sandbox.sandbox import Sandbox
from parley.coder.sandbox.worktree import worktree_folders

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")


def git(folder: Path, *words: str) -> None:
    subprocess.run((*GIT, *words), cwd=folder, check=True, capture_output=True, timeout=5)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A worktree of a repository beside it."""
    real = Path(os.path.realpath(tmp_path))
    (real / "main").mkdir()
    git(real / "main", "init", "-q")
    git(real / "main", "commit", "-q", "--allow-empty", "-m", "one")
    git(real / "main", "worktree", "add", "-q", str(real / "tree"))
    return real / "tree"


def test_git_may_write_what_it_needs_and_neither_settings_nor_hooks(tree: Path) -> None:
    repository = tree.parent / "main/.git"
    names = ("worktrees/tree", "objects", "refs", "logs")
    assert worktree_folders(str(tree)) == tuple(str(repository / name) for name in names)
    assert worktree_folders(str(tree.parent / "main")) == ()
    assert worktree_folders(str(tree.parent)) == ()


def test_the_limits_of_a_session_in_a_worktree_let_it_commit(tree: Path) -> None:
    limits = Sandbox("auto").limits((str(tree),), network=True, protected=True)
    assert str(tree.parent / "main/.git/objects") in limits.writable
    assert str(tree.parent / "main/.git") not in limits.writable
    assert str(tree.parent / "main/.git/worktrees/tree/config.worktree") in limits.protected


def test_a_file_that_names_the_folder_of_another_is_not_believed(tree: Path) -> None:
    liar = tree.parent / "liar"
    liar.mkdir()
    (liar / ".git").write_text((tree / ".git").read_text())
    assert worktree_folders(str(liar)) == ()
    (liar / ".git").unlink()
    (liar / ".git").symlink_to(tree / ".git")
    assert worktree_folders(str(liar)) == ()


def test_a_folder_in_the_checkout_cannot_lead_out_of_it(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path)) / "liar"
    own = root / "evil/worktrees/x"
    own.mkdir(parents=True)
    (root / ".git").write_text(f"gitdir: {own}\n")
    (own / "gitdir").write_text(f"{root}/.git\n")
    (own / "commondir").write_text("../..\n")
    (root / "evil/objects").symlink_to("/etc")
    assert worktree_folders(str(root)) == (str(own),)
    (own / "commondir").write_text("/etc\n")
    assert worktree_folders(str(root)) == ()
