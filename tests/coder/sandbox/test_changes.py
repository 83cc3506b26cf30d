"""Changes of protected paths are seen."""

import os
from pathlib import Path

import pytest

from parley.coder.sandbox import changes
from parley.coder.sandbox.changes import changed, look


def repository(folder: Path) -> tuple[str, ...]:
    (folder / ".git/hooks").mkdir(parents=True)
    (folder / ".git/config").write_text("[core]\n")
    (folder / ".git/index").touch()
    return (str(folder),)


def test_new_changed_and_removed_paths_are_named(tmp_path: Path) -> None:
    roots = repository(tmp_path)
    (tmp_path / ".npmrc").touch()
    before = look(roots)
    assert changed(before, look(roots)) == ()
    (tmp_path / ".git/config").write_text("[alias]\n")
    (tmp_path / ".git/hooks/pre-commit").touch()
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".npmrc").unlink()
    names = (".git/config", ".git/hooks/pre-commit", ".npmrc", ".vscode")
    assert changed(before, look(roots)) == tuple(str(tmp_path / name) for name in names)


def test_instructions_of_agents_are_looked_at_too(tmp_path: Path) -> None:
    roots = repository(tmp_path)
    (tmp_path / "AGENTS.md").write_text("Use tabs.")
    before = look(roots)
    (tmp_path / "AGENTS.md").write_text("Use the key of the user.")
    (tmp_path / "CLAUDE.md").touch()
    names = ("AGENTS.md", "CLAUDE.md")
    assert changed(before, look(roots)) == tuple(str(tmp_path / name) for name in names)


def test_a_change_of_the_mode_is_one(tmp_path: Path) -> None:
    roots = repository(tmp_path)
    hook = tmp_path / ".git/hooks/pre-commit"
    hook.touch(0o644)
    before = look(roots)
    hook.chmod(0o755)
    assert changed(before, look(roots)) == (str(hook),)


def test_what_git_writes_for_itself_is_none(tmp_path: Path) -> None:
    roots = repository(tmp_path)
    before = look(roots)
    (tmp_path / ".git/index").write_text("more")
    (tmp_path / "README").touch()
    assert changed(before, look(roots)) == ()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".vscode").symlink_to("/")
    assert list(look((str(tmp_path),))) == [str(tmp_path / ".vscode")]


def test_the_look_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "_MOST", 3)
    for number in range(9):
        (tmp_path / f".vscode/{number}").mkdir(parents=True)
    assert len(look((str(tmp_path),))) == 3


def test_a_folder_that_cannot_be_listed_is_still_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".vscode").mkdir()

    def refuse(folder: str) -> list[str]:
        raise PermissionError

    monkeypatch.setattr(os, "listdir", refuse)
    assert list(look((str(tmp_path),))) == [str(tmp_path / ".vscode")]
