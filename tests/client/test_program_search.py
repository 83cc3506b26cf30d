"""Programs are found in the search path, but not in the folder that somebody works in."""

import os
from pathlib import Path

import pytest

from parley.client.program_search import Search, checkout_of


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_first_program_of_the_path_is_found(tmp_path: Path) -> None:
    first, second = program(tmp_path / "a/gemini"), program(tmp_path / "b/gemini")
    path = f"{tmp_path / 'none'}:{tmp_path / 'a'}:{tmp_path / 'b'}"
    assert Search(path).find("gemini") == first
    assert Search(f"{tmp_path / 'b'}").find("gemini") == second
    assert Search(path).find("qwen") is None


def test_what_cannot_be_started_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    (tmp_path / "folder").mkdir()
    search = Search(str(tmp_path))
    assert [search.find(name) for name in ("text", "folder", "", ".", "../x", "/bin/sh")] == (
        [None] * 6
    )


def test_a_relative_entry_of_the_path_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin/gemini")
    program(tmp_path / "gemini")
    monkeypatch.chdir(tmp_path)
    assert Search(":bin:.:./bin").find("gemini") is None


def test_a_program_in_the_checkout_is_not_used_but_told(tmp_path: Path) -> None:
    inside = program(tmp_path / "work/node_modules/.bin/gemini")
    outside = program(tmp_path / "usr/gemini")
    path = f"{Path(inside).parent}:{tmp_path / 'usr'}"
    search = Search(path, str(tmp_path / "work"))
    assert search.find("gemini") == outside
    assert search.find_refused("gemini") == inside
    assert Search(str(tmp_path / "usr"), str(tmp_path / "work")).find_refused("gemini") is None
    assert Search(path).find("gemini") == inside


def test_links_into_the_checkout_and_out_of_it_are_seen(tmp_path: Path) -> None:
    inside, outside = program(tmp_path / "work/gemini"), program(tmp_path / "real/gemini")
    for folder in ("leading-in", "work/leading-out"):
        (tmp_path / folder).mkdir()
    (tmp_path / "leading-in/gemini").symlink_to(inside)
    (tmp_path / "work/leading-out/gemini").symlink_to(outside)
    (tmp_path / "whole").symlink_to(tmp_path / "work")
    for folder in ("leading-in", "work/leading-out", "whole"):
        search = Search(str(tmp_path / folder), str(tmp_path / "work"))
        assert search.find("gemini") is None, folder


def test_a_folder_with_a_similar_name_is_another_one(tmp_path: Path) -> None:
    beside = program(tmp_path / "work-tools/gemini")
    assert Search(str(tmp_path / "work-tools"), str(tmp_path / "work")).find("gemini") == beside


def test_the_checkout_is_the_repository_around_the_folder(tmp_path: Path) -> None:
    (tmp_path / "home/project/.git").mkdir(parents=True)
    (tmp_path / "home/project/src/deep").mkdir(parents=True)
    (tmp_path / "home/loose/deep").mkdir(parents=True)
    home = tmp_path / "home"
    found = {
        where: checkout_of(tmp_path / where, home)
        for where in ("home/project/src/deep", "home/project", "home/loose/deep", "home", ".")
    }
    assert found == {
        "home/project/src/deep": str(home / "project"),
        "home/project": str(home / "project"),
        "home/loose/deep": str(home / "loose/deep"),
        "home": None,
        ".": None,
    }
    assert checkout_of("/", home) is None


def test_a_repository_in_the_home_itself_does_not_hide_what_is_installed_there(
    tmp_path: Path,
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "project").mkdir()
    assert checkout_of(tmp_path / "project", tmp_path) == str(tmp_path / "project")
    assert checkout_of(tmp_path, tmp_path) is None


def test_a_linked_folder_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real/.git").mkdir(parents=True)
    os.symlink(tmp_path / "real", tmp_path / "link")
    assert checkout_of(tmp_path / "link", tmp_path / "home") == str(tmp_path / "real")
