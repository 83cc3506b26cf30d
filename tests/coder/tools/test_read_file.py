"""Reading a file: lines with numbers, pages, images, notebooks, and advice for what is missing."""

import base64
import json
import os
from pathlib import Path

import pytest

from parley.coder.message import ImagePart
from parley.coder.permission.access import ReadsPath
from parley.coder.tools import read_file
from parley.coder.tools.image import MOST_IMAGE_BYTES
from parley.coder.tools.read_file import MOST_CHARACTERS, MOST_LINES, ReadFile
from parley.coder.tools.tool import Desk
from parley.coder.workspace.workspace import Workspace
from parley.session.content import ContentItem, Image, Location
from tests.coder.tools.file_desk import answer, desk_on, outcome, prepared, refusal
from tests.coder.workspace.editor import Editor

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def test_lines_come_with_their_numbers_and_are_remembered(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"one\r\ntwo\r\n")
    desk = desk_on(tmp_path)
    assert answer(ReadFile(), desk, path="a.py") == "    1\tone\n    2\ttwo"
    assert list(desk.seen) == [f"{tmp_path}/a.py"]


@pytest.mark.parametrize(
    ("arguments", "title", "line"),
    [
        ({}, "Read src/a.py", None),
        ({"offset": 3}, "Read src/a.py (from line 3)", 3),
        ({"limit": 5}, "Read src/a.py (lines 1-5)", None),
        ({"offset": "2", "limit": "4"}, "Read src/a.py (lines 2-5)", 2),
    ],
)
def test_a_title_says_what_is_read(
    arguments: dict[str, int], title: str, line: int | None, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("x\n" * 9)
    ready = prepared(ReadFile(), desk_on(tmp_path), path="src/a.py", **arguments)
    path = f"{tmp_path}/src/a.py"
    assert ready.title == title
    assert ready.access == (ReadsPath(path),)
    assert ready.locations == (Location(path, line),)


def test_a_title_shows_what_a_name_hides(tmp_path: Path) -> None:
    name = "a\x1b[31m\u202eb"
    (tmp_path / name).write_text("x")
    assert prepared(ReadFile(), desk_on(tmp_path), path=name).title == "Read a\\u001b[31m\\u202eb"


def test_a_long_file_comes_in_pages(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("".join(f"{number}\n" for number in range(1, 2501)))
    desk = desk_on(tmp_path)
    first = answer(ReadFile(), desk, path="a")
    assert first.endswith(f"\t{MOST_LINES}\n\n(lines 1-2000 of 2500; read on with offset 2001)")
    second = answer(ReadFile(), desk, path="a", offset=2001)
    assert second.startswith(" 2001\t2001\n")
    assert second.endswith("\n 2500\t2500")
    middle = answer(ReadFile(), desk, path="a", offset=10, limit=2)
    assert middle == "   10\t10\n   11\t11\n\n(lines 10-11 of 2500; read on with offset 12)"
    assert refusal(ReadFile(), desk, path="a", offset=2501) == (
        "`a` has only 2500 lines; choose a smaller `offset`"
    )


def test_a_page_has_a_limit_of_characters_too(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(("x" * 1000 + "\n") * 400)
    text = answer(ReadFile(), desk_on(tmp_path), path="a")
    assert MOST_CHARACTERS * 0.9 < len(text) < MOST_CHARACTERS * 1.1
    assert "of 400; read on with offset" in text


def test_a_line_longer_than_a_page_is_cut(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x" * 400_000)
    assert answer(ReadFile(), desk_on(tmp_path), path="a").endswith("[398000 more characters]")


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    desk = desk_on(tmp_path)
    assert answer(ReadFile(), desk, path="a") == "`a` is empty"
    assert len(desk.seen) == 1


def test_an_image_is_shown_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "logo").write_bytes(PNG)
    found = outcome(ReadFile(), desk_on(tmp_path), path="logo")
    data = base64.b64encode(PNG).decode()
    assert found.text == "`logo` is an image (image/png, 28 bytes)"
    assert found.images == (ImagePart(data, "image/png"),)
    assert found.content == (ContentItem(Image(data, "image/png")),)


def test_an_image_that_no_model_takes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(PNG + bytes(MOST_IMAGE_BYTES))
    assert "too large" in refusal(ReadFile(), desk_on(tmp_path), path="logo.png")


def test_a_notebook_comes_as_cells_and_on_demand_as_it_is(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": ["1 + 1"], "outputs": []}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "b.ipynb").write_text("no notebook")
    desk = desk_on(tmp_path)
    assert answer(ReadFile(), desk, path="a.ipynb") == (
        "[cell 1: code]\n1 + 1\n\n(notebook; give `offset` to read its JSON)"
    )
    assert answer(ReadFile(), desk, path="a.ipynb", offset=1).startswith('    1\t{"cells"')
    assert answer(ReadFile(), desk, path="b.ipynb") == "    1\tno notebook"


def test_a_huge_notebook_is_cut(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": "x" * 300_000}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    assert " more characters]" in answer(ReadFile(), desk_on(tmp_path), path="a.ipynb")[-100:]


def test_a_missing_file_names_similar_ones(tmp_path: Path) -> None:
    for path in ("src/app.py", "src/views.py", "docs/readme.md"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    desk = desk_on(tmp_path)
    assert refusal(ReadFile(), desk, path="app.py") == (
        "`app.py` does not exist; did you mean `src/app.py`?"
    )
    assert "did you mean `src/views.py`" in refusal(ReadFile(), desk, path="src/veiws.py")
    assert refusal(ReadFile(), desk, path="zzz") == "`zzz` does not exist; use `glob` to find it"


def test_similar_files_are_looked_for_among_the_near_ones_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_file, "_MOST_NAMES", 5)
    many = tmp_path / "a"
    many.mkdir()
    for number in range(6):
        (many / f"{number}").touch()
    (many / "deep").mkdir()
    (many / "deep" / "wanted.py").touch()
    assert "use `glob`" in refusal(ReadFile(), desk_on(tmp_path), path="wanted.py")


def test_what_is_no_text_file_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "binary").write_bytes(b"\0" * 50)
    desk = desk_on(tmp_path)
    assert "is a folder; use `list_files`" in refusal(ReadFile(), desk, path="folder")
    assert "not a regular file" in refusal(ReadFile(), desk, path="pipe")
    assert "is a binary file" in refusal(ReadFile(), desk, path="binary")
    assert "did you mean" in refusal(ReadFile(), desk, path="folder", offsets=3)
    assert desk.seen == {}


def test_a_file_that_only_the_client_has_can_be_read(tmp_path: Path) -> None:
    editor = Editor({f"{tmp_path}/new.py": "unsaved\n"})
    desk = Desk("s", Workspace((str(tmp_path),), files=editor))
    assert answer(ReadFile(), desk, path="new.py") == "    1\tunsaved"
    assert "does not exist" in refusal(ReadFile(), desk, path="none.py")
