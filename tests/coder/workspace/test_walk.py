"""A walk sees what is there, without links, hidden and ignored files."""

import os
from pathlib import Path

from parley.coder.workspace.beneath import Place
from parley.coder.workspace.walk import Folder, Item, Walk, walk


def _tree(root: Path) -> Place:
    for path in ("b/two", "b/deep/three", "a/one", ".hidden/x", ".git/config", "build/out", "top"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)
    (root / ".gitignore").write_text("build/\n!.shown\n")
    (root / ".shown").write_text("")
    (root / "link").symlink_to("/etc")
    os.mkfifo(root / "pipe")
    return Place(str(root), str(root), ".")


def _paths(place: Place, way: Walk) -> list[str]:
    return [
        "/".join((*folder.steps, item.name)) for folder in walk(place, way) for item in folder.items
    ]


def test_each_folder_comes_once_with_what_is_in_it(tmp_path: Path) -> None:
    place = _tree(tmp_path)
    folders = list(walk(place, Walk()))
    assert [folder.steps for folder in folders] == [(), ("a",), ("b",), ("b", "deep")]
    assert folders[0] == Folder(
        (),
        (
            Item(".shown", "file"),
            Item("a", "folder"),
            Item("b", "folder"),
            Item("link", "link"),
            Item("pipe", "other"),
            Item("top", "file"),
        ),
    )


def test_hidden_and_ignored_files_are_seen_on_demand(tmp_path: Path) -> None:
    place = _tree(tmp_path)
    hidden = _paths(place, Walk(hidden=True))
    assert ".hidden/x" in hidden
    assert ".gitignore" in hidden
    assert not [path for path in hidden if path.startswith((".git/", "build"))]
    assert "build/out" in _paths(place, Walk(ignored=True))


def test_a_walk_can_be_short_and_go_level_by_level(tmp_path: Path) -> None:
    place = _tree(tmp_path)
    assert [folder.steps for folder in walk(place, Walk(depth=1))] == [()]
    steps = [folder.steps for folder in walk(place, Walk(breadth_first=True))]
    assert steps == sorted(steps, key=len)


def test_rules_above_the_start_hold(tmp_path: Path) -> None:
    place = _tree(tmp_path)
    (tmp_path / "b" / "build").mkdir()
    start = Place(f"{tmp_path}/b", place.root, "b")
    assert _paths(start, Walk()) == ["deep", "two", "deep/three"]


def test_what_is_chosen_goes_before_the_rules(tmp_path: Path) -> None:
    place = _tree(tmp_path)

    def choose(steps: tuple[str, ...], folder: bool) -> bool | None:
        return True if steps[0] == "build" else None if folder else False

    files = _paths(place, Walk(choose=choose))
    assert [path for path in files if path.startswith("build")] == ["build", "build/out"]
    assert "top" not in files


def test_times_come_on_demand(tmp_path: Path) -> None:
    place = _tree(tmp_path)
    os.utime(tmp_path / "top", (5, 5))
    found = {item.name: item for folder in walk(place, Walk(times=True)) for item in folder.items}
    assert found["top"].modified == 5


def test_a_folder_that_vanishes_or_becomes_a_link_is_left_out(tmp_path: Path) -> None:
    place = _tree(tmp_path)
    seen: list[tuple[str, ...]] = []
    for folder in walk(place, Walk()):
        seen.append(folder.steps)
        if folder.steps == ():
            os.rename(tmp_path / "a", tmp_path.parent / f"{tmp_path.name}-moved")
            (tmp_path / "a").symlink_to("/etc")
            os.rename(tmp_path / "b" / "deep", tmp_path.parent / f"{tmp_path.name}-deep")
    assert seen == [(), ("b",)]


def test_a_walk_can_start_at_the_root_of_all() -> None:
    first = next(walk(Place("/", "/", "/"), Walk(ignored=True)))
    assert "etc" in [item.name for item in first.items]
