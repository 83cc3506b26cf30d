"""What was shown is what is written, or nothing is."""

import asyncio
import os
from pathlib import Path

import pytest

from parley.coder.errors import ToolError
from parley.coder.tools.change import Change, carry_out, check_seen, current
from parley.coder.tools.tool import Desk
from parley.coder.workspace.text import opened
from parley.session.content import DiffItem, FileChange
from tests.coder.tools.file_desk import desk_on


def _change(desk: Desk, after: str) -> Change:
    place = desk.workspace.place("a")
    return Change(place, asyncio.run(current(desk, place)), after)


def test_a_change_is_written_and_remembered(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    for text in ("one\n", "two\n"):
        asyncio.run(carry_out(desk, _change(desk, text)))
        assert (tmp_path / "a").read_text() == text
        assert desk.seen == {f"{tmp_path}/a": opened(text).hash}


def test_a_change_is_shown_as_a_diff(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    path = f"{tmp_path}/a"
    assert _change(desk, "new").diff() == DiffItem((FileChange("add", path, new_text="new"),))
    (tmp_path / "a").write_text("old")
    assert _change(desk, "new").diff() == DiffItem(
        (FileChange("modify", path, old_text="old", new_text="new"),)
    )


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [("old", "other", "has changed"), ("old", None, "was removed"), (None, "other", "was made")],
)
def test_a_file_that_is_no_longer_what_was_shown_is_left_alone(
    before: str | None, after: str | None, what: str, tmp_path: Path
) -> None:
    desk = desk_on(tmp_path)
    file = tmp_path / "a"
    if before is not None:
        file.write_text(before)
    change = _change(desk, "new")
    if after is None:
        os.unlink(file)
    else:
        file.write_text(after)
    with pytest.raises(ToolError, match=f"`a` {what} since this change was prepared"):
        asyncio.run(carry_out(desk, change))
    assert (file.read_text() if file.exists() else None) == after
    assert desk.seen == {}


def test_only_what_the_model_has_seen_as_it_is_may_be_changed(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    place = desk.workspace.place("a")
    with pytest.raises(ToolError, match="has not been read"):
        check_seen(desk, place, opened("x"))
    desk.seen[place.path] = opened("x").hash
    check_seen(desk, place, opened("x"))
    with pytest.raises(ToolError, match="has changed"):
        check_seen(desk, place, opened("y"))
