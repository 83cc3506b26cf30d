"""Recording changes and taking them back."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from parley.coder.undo import books as module
from parley.coder.undo import look
from parley.coder.undo.books import UNWATCHED, Books, Result
from parley.coder.undo.contents import AtHand
from tests.coder.undo.tree import tree


class Desk:
    """Books and a project."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.folder = folder / "undo"
        self.books = Books(self.folder, (str(self.project),))

    def run(self, turn: str, work: Callable[[], object]) -> None:
        self.books.begin(turn, alone=True)
        work()
        self.books.end(turn)

    def write(self, name: str, text: str) -> None:
        (self.project / name).write_text(text, encoding="utf-8")

    def path(self, name: str) -> bytes:
        return os.fsencode(self.project / name)


def test_files_that_a_call_names_are_looked_at_alone(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("other", "1")
    before = desk.books.states([str(desk.project / "new" / "deep" / "file"), "/elsewhere/file"])
    assert list(before) == [desk.path("new"), desk.path("new/deep"), desk.path("new/deep/file")]
    (desk.project / "new" / "deep").mkdir(parents=True)
    desk.write("new/deep/file", "x")
    desk.write("other", "2")
    desk.books.wrote("t", before)
    assert set(desk.books.undo(None).changed) == set(before)
    assert set(tree(desk.project)) == {"other"}
    desk.books.close()


def test_what_happened_between_calls_is_not_theirs(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.run("t", lambda: desk.write("a", "agent"))
    desk.write("b", "user")
    desk.run("t", lambda: desk.write("c", "agent"))
    assert desk.books.undo(None).changed == (desk.path("a"), desk.path("c"))
    assert set(tree(desk.project)) == {"b"}


def test_calls_that_run_together_are_both_recorded(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.books.begin("t", alone=True)
    desk.write("a", "1")
    desk.books.begin("t", alone=False)
    desk.write("b", "1")
    desk.books.end("t")
    desk.books.end("t")
    desk.books.undo(None)
    assert tree(desk.project) == {}


def test_a_workspace_that_is_too_large_is_said_and_tools_still_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look, "MOST_FILES", 2)
    desk = Desk(tmp_path)
    for number in range(5):
        desk.write(f"{number}", "x")
    before = desk.books.states([str(desk.project / "tool")])
    desk.write("tool", "x")
    desk.books.wrote("t", before)
    for name in ("a", "b"):
        desk.run("t", lambda name=name: desk.write(name, "x"))
    result = desk.books.undo(None)
    assert result.unseen == UNWATCHED
    assert result.changed == (desk.path("tool"),)
    assert (desk.project / "a").exists()


def test_a_file_that_is_too_large_to_copy_is_named_and_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look, "LARGEST", 10)
    desk = Desk(tmp_path)
    desk.write("large", "x" * 20)
    desk.write("small", "x")

    def work() -> None:
        desk.write("large", "y" * 30)
        desk.write("small", "y")
        desk.write("new", "z" * 30)

    desk.run("t", work)
    result = desk.books.undo(None)
    assert result.changed == (desk.path("small"),)
    assert set(result.failed) == {desk.path("large"), desk.path("new")}
    assert (desk.project / "new").exists()


def test_room_at_hand_is_given_to_what_files_have_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AtHand", partial(AtHand, most=100))
    desk = Desk(tmp_path)
    for number in range(6):
        desk.run(f"t{number}", lambda number=number: desk.write("a", f"{number}" * 40))
    result = desk.books.undo(1)
    assert result.failed == ()
    assert (desk.project / "a").read_text(encoding="utf-8") == "4" * 40


def test_a_workspace_with_too_much_content_is_not_read_every_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[AtHand] = []

    def counted(folder: Path) -> AtHand:
        made.append(AtHand(folder, most=10))
        return made[-1]

    monkeypatch.setattr(module, "AtHand", counted)
    desk = Desk(tmp_path)
    desk.write("a", "x" * 40)
    for number in range(5):
        desk.run("t", lambda number=number: desk.write("a", f"{number}" * 40))
    assert len(made) == 2
    result = desk.books.undo(None)
    assert result.failed == (desk.path("a"),)


def test_nothing_is_done_where_nothing_was_changed(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.run("t", lambda: None)
    assert desk.books.undo(None) == Result()
    assert desk.books.undo(3) == Result()


def test_what_is_as_before_already_is_no_conflict(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.run("t", lambda: desk.write("a", "1"))
    (desk.project / "a").unlink()
    assert desk.books.undo(None) == Result(turns=1)


def test_names_that_are_no_text_are_kept(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    name = os.fsencode(desk.project) + b"/\xff\n"
    desk.run("t", lambda: Path(os.fsdecode(name)).write_bytes(b"x"))
    desk.books.close()
    again = Books(desk.folder, (str(desk.project),))
    assert again.undo(None).changed == (name,)
    assert again.undo(None).changed == (name,)
    assert Path(os.fsdecode(name)).read_bytes() == b"x"
    assert again.left_out == ()


@pytest.mark.parametrize("mask", [0o000, 0o777])
def test_copies_are_private_under_any_mask(tmp_path: Path, mask: int) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a").write_bytes(b"1")
    before = os.umask(mask)
    try:
        books = Books(tmp_path / "undo" / "id", (str(project),))
        books.begin("t", alone=True)
        (project / "a").write_bytes(b"2")
        books.end("t")
        books.close()
    finally:
        os.umask(before)
    kept = list((tmp_path / "undo" / "id").iterdir())
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
    assert (tmp_path / "undo").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "undo" / "id").stat().st_mode & 0o777 == 0o700
