"""The user's folders with skills, whatever lies in them."""

import os
import time
from pathlib import Path

import pytest

from parley.coder.skills import places
from parley.coder.skills.places import (
    MOST_SKILLS,
    Unreadable,
    files_of,
    found_in,
    inner_path,
    read_plain,
    shown,
)
from parley.coder.skills.skill import MOST_BYTES
from tests.coder.skills.folders import add_skill


def names(*folders: Path) -> list[str]:
    return [skill.name for skill in found_in(map(str, folders)).skills]


def test_skills_are_found_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("zebra", "ant", "Bee"):
        add_skill(tmp_path / "one", name)
    add_skill(tmp_path / "two", "mole")
    (tmp_path / "one" / "file.md").write_text("x")
    (tmp_path / "one" / "empty").mkdir()
    add_skill(tmp_path / "one", ".hidden")
    found = found_in((str(tmp_path / "one"), str(tmp_path / "none"), str(tmp_path / "two")))
    assert [skill.name for skill in found.skills] == ["Bee", "ant", "mole", "zebra"]
    assert found.problems == ()
    assert found.skills[1].folder == str(tmp_path / "one" / "ant")


def test_links_of_the_user_are_followed_and_counted_once(tmp_path: Path) -> None:
    add_skill(tmp_path / "real", "ant")
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "ant2").symlink_to(tmp_path / "real" / "ant")
    (tmp_path / "more" / "bee").mkdir()
    (tmp_path / "note.md").write_text("---\nname: bee\n---\nBody")
    (tmp_path / "more" / "bee" / "SKILL.md").symlink_to(tmp_path / "note.md")
    found = found_in(str(tmp_path / each) for each in ("real", "linked", "more"))
    assert [skill.name for skill in found.skills] == ["ant", "bee"]
    assert found.problems == ()


def test_of_two_with_one_name_the_first_counts(tmp_path: Path) -> None:
    first = add_skill(tmp_path / "one", "ant")
    second = add_skill(tmp_path / "two", "ant")
    found = found_in((str(tmp_path / "one"), str(tmp_path / "two")))
    assert [skill.folder for skill in found.skills] == [str(first)]
    assert found.problems == (
        f"The skill `{shown(str(second))}` is left out: `{shown(str(first))}` has the same name.",
    )


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "dangling", "device", "huge", "mode"])
def test_garbage_costs_its_skill_alone(tmp_path: Path, kind: str) -> None:
    add_skill(tmp_path, "good")
    (tmp_path / "bad").mkdir()
    file = tmp_path / "bad" / "SKILL.md"
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "folder":
            file.mkdir()
        case "loop":
            file.symlink_to(file)
        case "dangling":
            file.symlink_to(tmp_path / "nothing")
        case "device":
            file.symlink_to("/dev/zero")
        case "huge":
            with file.open("wb") as sparse:
                sparse.truncate(1 << 40)
        case _:
            file.write_bytes(b"\xff\xfe")
    started = time.monotonic()
    found = found_in((str(tmp_path),))
    assert time.monotonic() - started < 2
    assert [skill.name for skill in found.skills] == ["good"]
    (problem,) = found.problems
    assert problem.startswith(f"The skill `{shown(str(tmp_path / 'bad'))}` is left out: its `SKILL")


def test_names_that_trick_a_screen_are_shown_as_escapes(tmp_path: Path) -> None:
    add_skill(tmp_path, "evil\u202etxt.exe\n")
    (problem,) = found_in((str(tmp_path),)).problems
    assert "evil\\u202etxt.exe\\n" in problem


def test_a_hundred_thousand_entries_do_not_stop_anybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A tenth of all, with a tenth of the limit: the same code in a fraction of the time.
    monkeypatch.setattr(places, "MOST_SCANNED", 300)
    for at in range(1_000):
        (tmp_path / f"s{at:05}").mkdir()
        (tmp_path / f"s{at:05}" / "SKILL.md").write_text("Body")
    found = found_in((str(tmp_path),))
    assert len(found.skills) == MOST_SKILLS
    assert len(found.problems) == 2
    assert "some of it is not looked at" in found.problems[0]
    assert f"more than {MOST_SKILLS} skills" in found.problems[1]


def test_a_file_that_is_no_folder_holds_no_skills(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert found_in((str(tmp_path / "file"), "/nowhere", "")).skills == ()


def test_files_of_a_skill_are_listed(tmp_path: Path) -> None:
    folder = add_skill(tmp_path, "ant", guide_md="x")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "run.py").write_text("x")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_text("x")
    assert files_of(str(folder)) == ["guide.md", "scripts/run.py"]
    for at in range(150):
        (folder / "scripts" / f"{at}").write_text("x")
    assert len(files_of(str(folder))) == places.MOST_LISTED


@pytest.mark.parametrize("name", ["../ant2/x", "/etc/passwd", "..", "link", "a\0b", "up/../../x"])
def test_a_path_does_not_leave_its_skill(tmp_path: Path, name: str) -> None:
    folder = add_skill(tmp_path, "ant")
    add_skill(tmp_path, "ant2")
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(Unreadable):
        read_plain(inner_path(str(folder), name), MOST_BYTES)


@pytest.mark.parametrize(
    "path", ["", "guide.md", "/", "{}/../ant/guide.md", "{}/guide.md\0", "{}/"]
)
def test_what_is_no_real_path_of_a_file_is_not_read(tmp_path: Path, path: str) -> None:
    folder = add_skill(tmp_path, "ant", guide_md="text")
    assert read_plain(f"{folder}/guide.md", 100) == b"text"
    with pytest.raises(Unreadable):
        read_plain(path.format(folder), 100)


def test_a_path_inside_is_read(tmp_path: Path) -> None:
    folder = add_skill(tmp_path, "ant", guide_md="text")
    (folder / "alias").symlink_to("guide.md")
    assert read_plain(inner_path(str(folder), "./x/../alias"), 100) == b"text"
