"""The changes of a checkout, and that nothing of the checkout runs to find them."""

import asyncio
import os
from pathlib import Path

import pytest

from parley.coder.commands import git_changes
from parley.coder.commands.git_changes import GitFailed, changes, git_program
from parley.coder.workspace.workspace import Workspace
from tests.coder.commands.checkout import checkout, git


def _changes(folder: Path, path: str | None = None) -> str:
    async def scenario() -> str:
        async with asyncio.timeout(5):
            return await changes(Workspace((str(folder),)), path)

    return asyncio.run(scenario())


def test_staged_unstaged_and_new_files_are_seen(tmp_path: Path) -> None:
    checkout(tmp_path, {"a.txt": "a\n", "b.txt": "b\n"})
    (tmp_path / "a.txt").write_text("A\n", encoding="utf-8")
    git(tmp_path, "add", "a.txt")
    (tmp_path / "b.txt").write_text("B\n", encoding="utf-8")
    (tmp_path / "c\nd.txt").write_text("c\n", encoding="utf-8")
    index = (tmp_path / ".git" / "index").read_bytes()
    text = _changes(tmp_path)
    assert "+A" in text
    assert "+B" in text
    assert text.endswith("New files that git does not know yet:\n  c\\nd.txt")
    assert (tmp_path / ".git" / "index").read_bytes() == index


def test_only_the_folder_of_the_session_is_looked_at(tmp_path: Path) -> None:
    checkout(tmp_path, {"in/a.txt": "a\n", "out.txt": "b\n"})
    (tmp_path / "in" / "a.txt").write_text("A\n", encoding="utf-8")
    (tmp_path / "out.txt").write_text("B\n", encoding="utf-8")
    text = _changes(tmp_path / "in")
    assert "+A" in text
    assert "+B" not in text


def test_a_repository_without_a_commit_shows_what_is_staged(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert _changes(tmp_path) == ""
    (tmp_path / "a.txt").write_text("a\n", encoding="utf-8")
    git(tmp_path, "add", "a.txt")
    assert "+a" in _changes(tmp_path)


def test_programs_that_the_repository_names_do_not_run(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    checkout(project, {"a.txt": "a\n", ".gitattributes": "*.txt filter=bait diff=bait\n"})
    ran = tmp_path / "ran"
    bait = tmp_path / "bait.sh"
    bait.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n", encoding="utf-8")
    bait.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.bait.textconv",
        "diff.bait.command",
        "filter.bait.clean",
        "filter.bait.smudge",
        "filter.bait.process",
        "core.sshCommand",
        "core.alternateRefsCommand",
    ):
        git(project, "config", key, str(bait))
    git(project, "config", "filter.bait.required", "true")
    git(project, "config", "core.worktree", str(tmp_path))
    (project / "a.txt").write_text("b\n", encoding="utf-8")
    assert "+b" in _changes(project)
    assert not ran.exists()


def test_a_filter_whose_name_cannot_be_switched_off_is_refused(tmp_path: Path) -> None:
    checkout(tmp_path, {"a.txt": "a\n"})
    git(tmp_path, "config", "filter.a=b.clean", "cat")
    with pytest.raises(GitFailed, match="names"):
        _changes(tmp_path)


def test_a_git_of_the_workspace_is_not_used(tmp_path: Path) -> None:
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    workspace = Workspace((str(tmp_path),))
    assert git_program(workspace, f"{tmp_path}{os.pathsep}relative") is None
    with pytest.raises(GitFailed, match="Install git"):
        _changes(tmp_path, str(tmp_path))


def test_a_broken_repository_is_explained(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    with pytest.raises(GitFailed, match="cannot read"):
        _changes(tmp_path)


def test_nobody_waits_long_for_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 30\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setattr(git_changes, "SECONDS", 0.05)
    with pytest.raises(GitFailed, match="too long"):
        _changes(tmp_path / "project", str(tmp_path))


def test_a_long_diff_and_many_new_files_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_changes, "MOST_CHARACTERS", 200)
    monkeypatch.setattr(git_changes, "_MOST_NAMES", 2)
    checkout(tmp_path, {"a.txt": "a\n"})
    (tmp_path / "a.txt").write_text("line\n" * 5_000, encoding="utf-8")
    for number in range(4):
        (tmp_path / f"new{number}").touch()
    text = _changes(tmp_path)
    assert "the diff is longer" in text
    assert text.endswith("and 2 more")
