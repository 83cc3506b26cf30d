"""The commands that there are, and those that a user keeps in files."""

import os
from pathlib import Path

import pytest

from parley.coder.known_commands import BUILT_IN, MOST_BYTES, Known, known_commands
from parley.session.option import Command


def _one(folder: Path, text: str, name: str = "ship") -> Known:
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return known_commands(str(folder))


def test_without_a_folder_there_are_the_commands_of_the_agent(tmp_path: Path) -> None:
    assert known_commands("") == known_commands(str(tmp_path / "none")) == Known()
    assert Known().commands == BUILT_IN
    assert [each.name for each in BUILT_IN] == [
        "help",
        "init",
        "compact",
        "clear",
        "model",
        "mode",
        "permissions",
        "mcp",
        "trust",
        "undo",
        "review",
    ]


def test_a_file_is_a_command_with_a_description_and_a_hint(tmp_path: Path) -> None:
    text = (
        "---\r\ndescription: 'Ships it'\r\nhint: version\r\nodd line\r\n---\r\nShip $ARGUMENTS.\r\n"
    )
    known = _one(tmp_path, text)
    assert known.commands == (*BUILT_IN, Command("ship", "Ships it", "version"))
    found = known.find("ship")
    assert found is not None
    assert found.expanded("1.2") == "Ship 1.2."
    assert known.find("sink") is None


@pytest.mark.parametrize(
    ("text", "description", "hint"),
    [
        ("# Ship it\nnow", "Ship it", None),
        ("Ship $ARGUMENTS", "Ship $ARGUMENTS", "arguments"),
        ("---\ndescription: never closed", "---", None),
        ("---\nhint: x\n---more", "---", None),
        ("x" * 200, f"{'x' * 120}…", None),
        ("a\tb", "a b", None),
        ("---\ndescription: >\n  Ships\n  it\nhint: [version]\n---\nx", "Ships it", "[version]"),
    ],
)
def test_what_a_file_does_not_say_is_taken_from_its_text(
    tmp_path: Path, text: str, description: str, hint: str | None
) -> None:
    (found,) = _one(tmp_path, text).custom
    assert found.command == Command("ship", description, hint)


def test_arguments_follow_a_text_that_has_no_place_for_them(tmp_path: Path) -> None:
    (found,) = _one(tmp_path, "Ship it.").custom
    assert found.expanded("now") == "Ship it.\n\nnow"
    assert found.expanded("") == "Ship it."


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("two words", "x", "letters"),
        ("help", "x", "of the agent"),
        ("ship", "", "no text"),
        ("ship", "---\nhint: x\n---\n", "no text"),
        ("ship", "x" * (MOST_BYTES + 1), "longer"),
    ],
)
def test_a_file_that_cannot_be_a_command_is_left_out_and_named(
    tmp_path: Path, name: str, text: str, why: str
) -> None:
    known = _one(tmp_path, text, name)
    assert known.custom == ()
    (problem,) = known.problems
    assert f"`{name}.md`" in problem
    assert why in problem


def test_pipes_folders_and_bytes_that_are_no_text_are_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe")
    (tmp_path / ".hidden.md").write_text("x", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    known = known_commands(str(tmp_path))
    assert known.custom == ()
    assert len(known.problems) == 3


def test_a_skill_with_the_name_of_a_command_is_no_command(tmp_path: Path) -> None:
    (tmp_path / "ship.md").write_text("Ship it")
    skills = tuple(Command(name, "x") for name in ("ship", "help", "ant"))
    known = known_commands(str(tmp_path)).beside(skills)
    assert [each.name for each in known.skills] == ["ant"]
    assert [each.name for each in known.commands[len(BUILT_IN) :]] == ["ship", "ant"]
