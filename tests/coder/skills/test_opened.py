"""A skill that is used."""

import os
from pathlib import Path

import pytest

from parley.coder.errors import ToolError
from parley.coder.skills.opened import MOST_FILE_BYTES, file_text, opened, path_in
from parley.coder.skills.places import found_in
from parley.coder.skills.project import ProjectSkills
from parley.coder.skills.skill import MOST_BYTES, Skill
from tests.coder.skills.folders import add_skill


def of_user(place: Path) -> Skill:
    (skill,) = found_in((str(place),)).skills
    return skill


def of_project(root: Path) -> Skill:
    used: list[Skill] = []
    source = ProjectSkills(str(root), (), used.extend)
    source.adopt(source.found().contents)
    return used[0]


def text_of(skill: Skill, name: str) -> str:
    return file_text(skill, path_in(skill, name))


def test_the_model_gets_the_text_the_folder_and_the_files(tmp_path: Path) -> None:
    folder = add_skill(tmp_path, "ant", "Do this.", guide_md="x")
    assert opened(of_user(tmp_path)).text == (
        f"The skill `ant` in `{folder}`:\n\nDo this.\n\n"
        "It has these files; read one with `skill` and `file`:\n- guide.md"
    )


def test_a_skill_of_a_project_is_read_the_same_way(tmp_path: Path) -> None:
    folder = add_skill(tmp_path / ".claude" / "skills", "ant", "Do this.", guide_md="x")
    skill = of_project(tmp_path)
    assert opened(skill).text == opened(of_user(folder.parent)).text
    assert text_of(skill, "./guide.md") == "x"


def test_a_skill_of_a_project_that_changed_is_refused(tmp_path: Path) -> None:
    folder = add_skill(tmp_path / ".claude" / "skills", "ant", guide_md="x")
    skill = of_project(tmp_path)
    (folder / "guide.md").write_text("y")
    with pytest.raises(ToolError, match="`/trust` shows it anew"):
        opened(skill)
    with pytest.raises(ToolError, match="`/trust` shows it anew"):
        text_of(skill, "guide.md")


def test_a_skill_that_is_gone_or_too_long_is_refused(tmp_path: Path) -> None:
    folder = add_skill(tmp_path, "ant")
    skill = of_user(tmp_path)
    (folder / "SKILL.md").write_bytes(b"x" * (MOST_BYTES + 1))
    with pytest.raises(ToolError, match="too long now"):
        opened(skill)
    (folder / "SKILL.md").unlink()
    with pytest.raises(ToolError, match="cannot be used"):
        opened(skill)


def test_files_are_read_and_bounded(tmp_path: Path) -> None:
    folder = add_skill(tmp_path, "ant", guide_md="text")
    skill = of_user(tmp_path)
    assert text_of(skill, "guide.md") == "text"
    (folder / "guide.md").write_bytes(b"x" * (MOST_FILE_BYTES + 1))
    assert text_of(skill, "guide.md").endswith("[… the file is longer …]")


@pytest.mark.parametrize("name", ["none.md", "../other", "/etc/passwd", "pipe", "data", "."])
def test_what_is_no_text_of_the_skill_is_refused(tmp_path: Path, name: str) -> None:
    folder = add_skill(tmp_path, "ant")
    os.mkfifo(folder / "pipe")
    (folder / "data").write_bytes(b"\x7fELF\0")
    with pytest.raises(ToolError, match="of the skill `ant`"):
        text_of(of_user(tmp_path), name)


@pytest.mark.parametrize("name", ["none.md", "../../../file", "/etc/passwd", ""])
def test_a_skill_of_a_project_gives_nothing_else_either(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("secret")
    add_skill(tmp_path / ".claude" / "skills", "ant")
    with pytest.raises(ToolError, match=r"There is no file|lies outside of the skill"):
        text_of(of_project(tmp_path), name)


def test_what_is_swapped_after_a_skill_was_found_is_not_read(tmp_path: Path) -> None:
    folder = add_skill(tmp_path / "skills", "ant", guide_md="x")
    outside = add_skill(tmp_path / "outside", "ant", "secret", guide_md="secret")
    skill = of_user(tmp_path / "skills")
    guide = path_in(skill, "guide.md")
    for name in ("guide.md", "SKILL.md"):
        (folder / name).unlink()
        (folder / name).symlink_to(outside / name)
    assert_refused(skill, guide)
    (tmp_path / "skills").rename(tmp_path / "away")
    (tmp_path / "skills").symlink_to(outside.parent)
    assert_refused(skill, guide)
    with pytest.raises(ToolError, match="lies outside of the skill"):
        path_in(skill, "guide.md")


def assert_refused(skill: Skill, guide: str) -> None:
    with pytest.raises(ToolError, match=r"is not a regular file|cannot be read"):
        file_text(skill, guide)
    with pytest.raises(ToolError, match="cannot be used"):
        opened(skill)


def test_a_skill_that_the_user_keeps_behind_links_is_read(tmp_path: Path) -> None:
    real = add_skill(tmp_path / "dotfiles", "ant", "Do this.", guide_md="x")
    (tmp_path / "note.md").write_text((real / "SKILL.md").read_text())
    (real / "SKILL.md").unlink()
    (real / "SKILL.md").symlink_to(tmp_path / "note.md")
    (real / "alias").symlink_to("guide.md")
    os.link(real / "guide.md", tmp_path / "other name")
    (tmp_path / "skills").symlink_to(tmp_path / "dotfiles")
    skill = of_user(tmp_path / "skills")
    assert opened(skill).text.startswith(f"The skill `ant` in `{tmp_path}/skills/ant`:")
    assert path_in(skill, None) == str(tmp_path / "note.md")
    assert text_of(skill, "./none/../alias") == "x"


def test_what_the_user_types_behind_it_is_handed_on(tmp_path: Path) -> None:
    folder = add_skill(tmp_path, "ant", "Do this.")
    text = opened(of_user(tmp_path)).asked("quickly")
    assert text.startswith("Follow this skill now.")
    assert text.endswith("Do this.\n\nThe user adds: quickly")
    (folder / "SKILL.md").write_text("Do $ARGUMENTS twice.")
    assert opened(of_user(tmp_path)).asked("it").endswith("Do it twice.")
    assert opened(of_user(tmp_path)).asked("").endswith("Do  twice.")
