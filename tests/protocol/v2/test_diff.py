"""Changes of files: a list and a patch instead of two texts."""

import json
from typing import Any

import pytest

from parley.protocol.v2.diff import diff_from, diff_model
from parley.schema import v2
from parley.schema.codec import decode, encode
from parley.session.content import DiffItem, FileChange, OtherItem, Patch


def written(item: DiffItem) -> tuple[dict[str, Any], list[str]]:
    losses: list[str] = []
    return json.loads(encode(diff_model(item, lambda what, _: losses.append(what)))), losses


def read(members: dict[str, Any]) -> DiffItem | OtherItem:
    model = decode(v2.ToolCallContent, json.dumps({"type": "diff", **members}).encode())
    assert isinstance(model, v2.Diff)
    return diff_from(model)


def test_two_texts_become_a_change_and_a_patch() -> None:
    """V2-DIF-01, V2-DIF-02, V2-DIF-03"""
    changes = (
        FileChange("add", "/w/a", new_text="a\n"),
        FileChange("delete", "/w/b", old_text="b\n"),
        FileChange("modify", "/w/c", old_text="c\n", new_text="d\n"),
        FileChange("move", "/w/e", "/w/d"),
    )
    found, losses = written(DiffItem(changes))
    assert found["changes"] == [
        {"operation": "add", "path": "/w/a", "fileType": "text"},
        {"operation": "delete", "path": "/w/b", "fileType": "text"},
        {"operation": "modify", "path": "/w/c", "fileType": "text"},
        {"operation": "move", "path": "/w/e", "oldPath": "/w/d"},
    ]
    patch = found["patch"]
    assert patch["format"] == "git_patch"
    titles = [line for line in patch["text"].splitlines() if line.startswith("diff ")]
    assert titles == [
        "diff --git /w/a /w/a",
        "diff --git /w/b /w/b",
        "diff --git /w/c /w/c",
        "diff --git /w/d /w/e",
    ]
    assert losses == []


def test_a_given_patch_is_kept() -> None:
    item = DiffItem(
        (FileChange("copy", "/b", "/a", "binary", "x/y"),), Patch("p", "_own", {"m": 1})
    )
    found, losses = written(item)
    assert found["patch"] == {"format": "_own", "text": "p", "_meta": {"m": 1}}
    assert read(found) == item
    assert losses == []


def test_a_change_without_texts_has_no_patch() -> None:
    """V2-DIF-04"""
    item = DiffItem((FileChange("modify", "/w/x.png", file_type="binary"),), meta={"m": 1})
    found, losses = written(item)
    assert "patch" not in found
    assert read(found) == item
    assert losses == []


def test_texts_that_make_no_patch_are_told_as_lost() -> None:
    found, losses = written(DiffItem((FileChange("modify", "/w/x", new_text="a"),)))
    assert "patch" not in found
    assert losses == ["diff.text"]


def test_a_move_from_nowhere_is_a_new_file() -> None:
    found, losses = written(DiffItem((FileChange("move", "/w/x"),)))
    assert found["changes"] == [{"operation": "add", "path": "/w/x"}]
    assert losses == ["diff.old_path"]


@pytest.mark.parametrize(
    ("change", "known"),
    [
        ({"operation": "_chmod", "path": "/x"}, True),
        ({"operation": "_link", "path": "/x", "oldPath": "/y", "_meta": {"m": 1}}, True),
        ({"operation": "_chmod", "path": "/x", "mode": 7}, False),
        ({"operation": "_chmod"}, False),
        ({"operation": "_chmod", "path": 5}, False),
        ({"operation": "_chmod", "path": "/x", "oldPath": None}, False),
    ],
)
def test_an_unknown_operation_is_preserved(change: dict[str, Any], known: bool) -> None:
    """V2-DIF-06"""
    members = {"changes": [{"operation": "add", "path": "/a"}, change]}
    item = read(members)
    assert isinstance(item, DiffItem if known else OtherItem)
    if isinstance(item, DiffItem):
        assert written(item)[0] == {"type": "diff", **members}
    else:
        assert item == OtherItem("diff", {"type": "diff", **members})
