"""Skills of a project: found, shown whole, and used only as they were agreed to."""

import hashlib
import re
import threading
from pathlib import Path

import pytest

from parley.coder.skills import project as project_module
from parley.coder.skills.project import MOST_SHOWN, MOST_SKILLS, ProjectSkills, trusted_snapshot
from parley.coder.skills.skill import Skill
from parley.coder.skills.snapshot import NoSnapshot, Snapshot, snapshot
from tests.coder.skills.folders import add_skill


class Project:
    def __init__(self, folder: Path, *own: Path) -> None:
        self.folder = folder
        self.used: tuple[Skill, ...] = ()
        self.source = ProjectSkills(str(folder), tuple(map(str, own)), self._use)

    def _use(self, skills: tuple[Skill, ...]) -> None:
        self.used = skills

    def names(self) -> list[str]:
        return [content.name for content in self.source.found().contents]


def test_skills_are_found_in_three_places(tmp_path: Path) -> None:
    for place, name in ((".parley", "a"), (".claude", "b"), (".agents", "c")):
        add_skill(tmp_path / place / "skills", name)
    project = Project(tmp_path)
    found = project.source.found()
    assert [(each.kind, each.name, each.path) for each in found.contents] == [
        ("skill", "a", ".parley/skills/a"),
        ("skill", "b", ".claude/skills/b"),
        ("skill", "c", ".agents/skills/c"),
    ]
    assert found.problems == ()
    assert project.used == ()
    project.source.adopt(found.contents[1:2])
    assert [skill.name for skill in project.used] == ["b"]


def test_the_user_sees_all_that_is_agreed_to(tmp_path: Path) -> None:
    body = "Line.\n" * 5_000 + "\u202elast"
    folder = add_skill(tmp_path / ".claude" / "skills", "ant", body, run_sh="echo")
    (folder / "run.sh").chmod(0o755)
    (content,) = Project(tmp_path).source.found().contents
    assert f"{body}\n" in content.shown
    sum = hashlib.sha256(b"echo").hexdigest()
    assert content.shown.endswith(f"\n- run.sh (program, 4 bytes, SHA-256 {sum})\n  | echo")


def test_files_that_the_model_can_read_are_shown_or_said_not_to_be(tmp_path: Path) -> None:
    folder = add_skill(tmp_path / ".claude" / "skills", "ant", c_md="Obey.\n- d.md (file)\n")
    (folder / "a.bin").write_bytes(b"\x7fELF\0")
    (folder / "b.md").write_bytes(b"x" * (MOST_SHOWN - 10))
    (folder / "d.md").write_bytes(b"fe\xff")
    (content,) = Project(tmp_path).source.found().contents
    shown = re.sub(r"SHA-256 \w+", "SHA", content.shown.partition("can read:\n")[2])
    assert shown.replace("x" * (MOST_SHOWN - 10), "x").splitlines() == [
        "- a.bin (file, 5 bytes, SHA): NOT SHOWN, since it is no text",
        f"- b.md (file, {MOST_SHOWN - 10} bytes, SHA)",
        "  | x",
        "- c.md (file, 20 bytes, SHA): NOT SHOWN, since it is too long; read it before you agree",
        "- d.md (file, 3 bytes, SHA)",
        "  | fe\ufffd",
    ]
    (folder / "b.md").unlink()
    (content,) = Project(tmp_path).source.found().contents
    assert "SHA-256" in content.shown.partition("- c.md (")[2]
    assert "\n  | Obey.\n  | - d.md (file)\n- d.md (" in content.shown


def test_every_file_counts_for_the_agreement(tmp_path: Path) -> None:
    folder = add_skill(tmp_path / ".claude" / "skills", "ant", guide_md="a")
    project = Project(tmp_path)
    (before,) = project.source.found().contents
    (folder / "guide.md").write_text("b")
    (after,) = project.source.found().contents
    assert before.place == after.place
    assert before.digest != after.digest


def test_the_same_text_under_another_name_is_another_skill(tmp_path: Path) -> None:
    for name in ("ant", "bee"):
        folder = tmp_path / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text("Body")
    project = Project(tmp_path)
    ant, bee = project.source.found().contents
    assert ant.digest != bee.digest
    project.source.adopt((ant, bee))
    assert [Path(skill.folder).name for skill in project.used] == ["ant", "bee"]


def test_what_is_used_is_what_was_agreed_to(tmp_path: Path) -> None:
    folder = add_skill(tmp_path / ".claude" / "skills", "ant", guide_md="a")
    project = Project(tmp_path)
    project.source.adopt(project.source.found().contents)
    (skill,) = project.used
    assert trusted_snapshot(skill).files["guide.md"].data == b"a"
    (folder / "guide.md").write_text("b")
    with pytest.raises(NoSnapshot, match="has changed since"):
        trusted_snapshot(skill)
    (folder / "guide.md").write_text("a")
    (folder / "more").symlink_to("/etc/passwd")
    with pytest.raises(NoSnapshot, match="symbolic link"):
        trusted_snapshot(skill)


def test_a_look_that_nobody_waits_for_changes_nothing_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = add_skill(tmp_path / ".claude" / "skills", "ant", "good") / "SKILL.md"
    good = file.read_text()
    project = Project(tmp_path)
    agreed = project.source.found().contents
    file.write_text("evil")
    entered, released = threading.Event(), threading.Event()

    def slow(root: str, steps: tuple[str, ...]) -> Snapshot:
        taken = snapshot(root, steps)
        entered.set()
        assert released.wait(5)
        return taken

    with monkeypatch.context() as patched:
        patched.setattr(project_module, "snapshot", slow)
        left_alone = threading.Thread(target=project.source.found)
        left_alone.start()
        assert entered.wait(5)
    file.write_text(good)
    assert project.source.found().contents == agreed
    released.set()
    left_alone.join(5)
    # Only what was agreed to could be used, and the last one to look has found something else.
    assert project.source.adopt(agreed) == []
    assert project.used == ()
    assert project.source.found().contents == agreed
    assert project.source.adopt(agreed) == list(agreed)
    assert trusted_snapshot(project.used[0]).files["SKILL.md"].data == good.encode()


def test_garbage_is_named_and_stops_nobody(tmp_path: Path) -> None:
    place = tmp_path / ".claude" / "skills"
    add_skill(place, "good")
    add_skill(tmp_path / ".agents" / "skills", "good")
    (place / "folder" / "SKILL.md").mkdir(parents=True)
    (place / "evil\u202e").mkdir()
    (place / "evil\u202e" / "SKILL.md").write_text("Body")
    (place / "linked").mkdir()
    (place / "linked" / "SKILL.md").symlink_to("/etc/passwd")
    (place / "plain").mkdir()
    project = Project(tmp_path)
    found = project.source.found()
    assert [content.name for content in found.contents] == ["good"]
    assert [problem.partition("` of")[0] for problem in found.problems] == [
        "The skill `.claude/skills/evil\\u202e",
        "The skill `.claude/skills/folder",
        "The skill `.claude/skills/linked",
        "The skill `.agents/skills/good",
    ]


def test_a_place_behind_a_link_is_not_looked_at(tmp_path: Path) -> None:
    outside, project = tmp_path / "outside", tmp_path / "project"
    add_skill(outside / "skills", "ant")
    project.mkdir()
    (project / ".claude").symlink_to(outside)
    found = Project(project).source.found()
    assert found.contents == ()
    assert found.problems == (
        "`.claude/skills` is no folder of this project, so it is not looked at.",
    )


def test_one_place_may_be_another_one(tmp_path: Path) -> None:
    add_skill(tmp_path / ".claude" / "skills", "ant")
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".agents" / "skills").symlink_to("../.claude/skills")
    found = Project(tmp_path).source.found()
    assert [content.name for content in found.contents] == ["ant"]
    assert found.problems == ()


def test_the_places_of_the_user_are_none_of_a_project(tmp_path: Path) -> None:
    place = tmp_path / ".claude" / "skills"
    add_skill(place, "ant")
    assert Project(tmp_path).names() == ["ant"]
    assert Project(tmp_path, place).names() == []


def test_very_much_garbage_is_not_all_named(tmp_path: Path) -> None:
    for at in range(200):
        (tmp_path / ".claude" / "skills" / f"s{at:03}" / "SKILL.md").mkdir(parents=True)
    found = Project(tmp_path).source.found()
    assert found.contents == ()
    assert len(found.problems) == 6
    assert found.problems[-1] == "46 more skills of this project cannot be used."


def test_very_many_skills_are_cut(tmp_path: Path) -> None:
    for at in range(MOST_SKILLS + 5):
        add_skill(tmp_path / ".claude" / "skills", f"s{at:03}")
    found = Project(tmp_path).source.found()
    assert len(found.contents) == MOST_SKILLS
    assert found.problems == (
        f"This project brings more than {MOST_SKILLS} skills; the rest is left out.",
    )
