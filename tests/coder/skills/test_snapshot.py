"""A folder of a project, taken whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from parley.coder.skills.snapshot import (
    DEEPEST,
    MOST_BYTES,
    MOST_FILES,
    File,
    NoSnapshot,
    names_in,
    snapshot,
)


def skill(folder: Path) -> Path:
    path = folder / "place" / "ant"
    (path / "inner").mkdir(parents=True)
    (path / "SKILL.md").write_text("Body")
    (path / "inner" / "run").write_text("#!/bin/sh")
    return path


def taken(folder: Path) -> str:
    return snapshot(str(folder), ("place", "ant")).digest


def test_all_files_are_taken(tmp_path: Path) -> None:
    path = skill(tmp_path)
    (path / "inner" / "run").chmod(0o755)
    found = snapshot(str(tmp_path), ("place", "ant"))
    assert found.files == {"SKILL.md": File(b"Body", False), "inner/run": File(b"#!/bin/sh", True)}


def _edit(path: Path) -> None:
    (path / "inner" / "run").write_text("#!/bin/zh")


def _rename(path: Path) -> None:
    (path / "inner" / "run").rename(path / "inner" / "ran")


def _move(path: Path) -> None:
    (path / "inner" / "run").rename(path / "run")


def _add(path: Path) -> None:
    (path / "empty").touch()


def _mode(path: Path) -> None:
    (path / "inner" / "run").chmod(0o755)


@pytest.mark.parametrize("change", [_edit, _rename, _move, _add, _mode])
def test_every_change_changes_the_digest(tmp_path: Path, change: Callable[[Path], None]) -> None:
    path = skill(tmp_path)
    before = taken(tmp_path)
    assert taken(tmp_path) == before
    change(path)
    assert taken(tmp_path) != before


def _link(path: Path) -> None:
    (path / "link").symlink_to("SKILL.md")


def _folder_link(path: Path) -> None:
    (path / "link").symlink_to("/etc")


def _hard_link(path: Path) -> None:
    os.link(path / "SKILL.md", path / "other")


def _pipe(path: Path) -> None:
    os.mkfifo(path / "pipe")


def _many(path: Path) -> None:
    for at in range(MOST_FILES):
        (path / f"f{at}").touch()


def _many_in_folders(path: Path) -> None:
    for at in range(MOST_FILES // 2):
        (path / "a" / f"f{at}").parent.mkdir(exist_ok=True)
        (path / "a" / f"f{at}").touch()
        (path / "b" / f"f{at}").parent.mkdir(exist_ok=True)
        (path / "b" / f"f{at}").touch()


def _large(path: Path) -> None:
    with (path / "large").open("wb") as file:
        file.truncate(1 << 40)


def _large_together(path: Path) -> None:
    for at in range(3):
        (path / f"f{at}").write_bytes(b"x" * (MOST_BYTES // 2))


def _deep(path: Path) -> None:
    path.joinpath(*("d" for _ in range(DEEPEST + 1))).mkdir(parents=True)


@pytest.mark.parametrize(
    ("plant", "why"),
    [
        (_link, "`link` in it is a symbolic link"),
        (_folder_link, "`link` in it is a symbolic link"),
        (_hard_link, "in it is a hard link"),
        (_pipe, "`pipe` in it is a pipe"),
        (_many, "more than 200 files"),
        (_many_in_folders, "more than 200 files"),
        (_large, "more than 1048576 bytes"),
        (_large_together, "more than 1048576 bytes"),
        (_deep, "deeper than 6"),
    ],
)
def test_what_cannot_be_taken_whole_is_not_taken(
    tmp_path: Path, plant: Callable[[Path], None], why: str
) -> None:
    plant(skill(tmp_path))
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(NoSnapshot, match=why):
        taken(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_folder_that_is_missing_or_a_link_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(NoSnapshot, match="cannot be read"):
        taken(tmp_path)
    skill(tmp_path / "real")
    (tmp_path / "place").symlink_to(tmp_path / "real" / "place")
    with pytest.raises(NoSnapshot, match="cannot be read"):
        taken(tmp_path)


def test_folders_are_listed_in_order_and_links_are_not(tmp_path: Path) -> None:
    place = tmp_path / "place"
    for name in ("b", "a", "c"):
        (place / name).mkdir(parents=True)
    (place / "link").symlink_to(place / "a")
    (place / "file").touch()
    assert names_in(str(tmp_path), ("place",), 100) == ["a", "b", "c"]
    assert len(names_in(str(tmp_path), ("place",), 2)) <= 2
