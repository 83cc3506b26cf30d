"""Patches that Git itself can read, with absolute paths."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.protocol.v2 import git_patch as module
from parley.protocol.v2.git_patch import git_patch, quoted
from parley.session.content import FileChange

SIXTY = "".join(f"line {number}\n" for number in range(60))


def modified(old: str, new: str, path: str = "/w/x.txt") -> str:
    patch = git_patch([FileChange("modify", path, old_text=old, new_text=new)])
    assert patch is not None
    return patch


def test_a_change_has_three_lines_of_context() -> None:
    """V2-DIF-05"""
    assert modified(SIXTY, SIXTY.replace("line 30\n", "line thirty\n")) == (
        "diff --git /w/x.txt /w/x.txt\n"
        "--- /w/x.txt\n"
        "+++ /w/x.txt\n"
        "@@ -28,7 +28,7 @@\n"
        " line 27\n"
        " line 28\n"
        " line 29\n"
        "-line 30\n"
        "+line thirty\n"
        " line 31\n"
        " line 32\n"
        " line 33\n"
    )


def test_two_distant_changes_are_two_hunks() -> None:
    new = SIXTY.replace("line 5\n", "").replace("line 50\n", "line 50\nmore\n")
    hunks = [line for line in modified(SIXTY, new).splitlines() if line.startswith("@@")]
    assert hunks == ["@@ -3,7 +3,6 @@", "@@ -49,6 +48,7 @@"]


def test_a_new_file_comes_from_nowhere() -> None:
    assert git_patch([FileChange("add", "/w/x", new_text="a\nb")]) == (
        "diff --git /w/x /w/x\n"
        "new file mode 100644\n"
        "--- /dev/null\n"
        "+++ /w/x\n"
        "@@ -0,0 +1,2 @@\n"
        "+a\n"
        "+b\n"
        "\\ No newline at end of file\n"
    )


def test_a_deleted_file_goes_nowhere() -> None:
    assert git_patch([FileChange("delete", "/w/x", old_text="a\n")]) == (
        "diff --git /w/x /w/x\n"
        "deleted file mode 100644\n"
        "--- /w/x\n"
        "+++ /dev/null\n"
        "@@ -1 +0,0 @@\n"
        "-a\n"
    )


def test_an_empty_file_has_no_hunk() -> None:
    assert git_patch([FileChange("add", "/w/x", new_text="")]) == (
        "diff --git /w/x /w/x\nnew file mode 100644\n"
    )


def test_a_move_of_a_text_that_is_not_known_gets_no_patch_which_would_call_it_unchanged() -> None:
    for texts in ({"file_type": "text"}, {"new_text": "a"}, {"old_text": "a"}):
        assert git_patch((FileChange("move", "/b", "/a", **texts),)) is None


def test_a_move_and_a_copy_name_both_ends() -> None:
    changes = [
        FileChange("move", "/w/b", "/w/a"),
        FileChange("copy", "/w/d", "/w/c", old_text="1\n", new_text="2\n"),
    ]
    assert git_patch(changes) == (
        "diff --git /w/a /w/b\n"
        "rename from /w/a\n"
        "rename to /w/b\n"
        "diff --git /w/c /w/d\n"
        "copy from /w/c\n"
        "copy to /w/d\n"
        "--- /w/c\n"
        "+++ /w/d\n"
        "@@ -1 +1 @@\n"
        "-1\n"
        "+2\n"
    )


@pytest.mark.parametrize(
    "change",
    [
        FileChange("add", "/w/x"),
        FileChange("delete", "/w/x"),
        FileChange("modify", "/w/x", old_text="a"),
        FileChange("modify", "/w/x", new_text="a"),
        FileChange("modify", "/w/x", old_text="a", new_text="b", file_type="binary"),
        FileChange("move", "/w/x"),
        FileChange("move", "/w/x", "/w/y", old_text="a"),
        FileChange("_chmod", "/w/x"),
    ],
)
def test_a_change_of_unknown_text_leaves_no_patch_for_any(change: FileChange) -> None:
    """V2-DIF-02: a patch that leaves a change out would not agree with the list."""
    assert git_patch([FileChange("add", "/w/a", new_text="a"), change]) is None


def test_nothing_changed_is_no_patch() -> None:
    assert git_patch([]) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/w/plain.txt", "/w/plain.txt"),
        ("/w/with space", "/w/with space"),
        ('/w/a"b', '"/w/a\\"b"'),
        ("C:\\w\\x", '"C:\\\\w\\\\x"'),
        ("/w/tab\there", '"/w/tab\\there"'),
        ("/w/new\nline", '"/w/new\\nline"'),
        ("/w/ä", '"/w/\\303\\244"'),
        ("/w/\x01", '"/w/\\001"'),
    ],
)
def test_unusual_names_are_quoted_as_git_quotes_them(path: str, expected: str) -> None:
    assert quoted(path) == expected
    assert f"rename to {expected}\n" in (git_patch([FileChange("move", path, "/w/a")]) or "")


def test_a_name_with_a_space_ends_with_a_tab() -> None:
    assert "--- /w/a b\t\n+++ /w/a b\t\n" in modified("1\n", "2\n", "/w/a b")


def test_only_newlines_end_lines() -> None:
    patch = modified("a\r\nb\x0bc\u2028d\n", "a\r\nb\x0bc\u2028e\n")
    assert "@@ -1,2 +1,2 @@\n a\r\n-b\x0bc\u2028d\n+b\x0bc\u2028e\n" in patch


def test_texts_that_are_too_long_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CHARACTERS", 10)
    assert git_patch([FileChange("add", "/w/x", new_text="x" * 11)]) is None


def test_a_large_region_is_replaced_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_COMPARED", 3)
    assert modified("a\nb\n", "b\na\n").endswith("@@ -1,2 +1,2 @@\n-a\n-b\n+b\n+a\n")


lines = st.text("ab\n", max_size=30)


@settings(max_examples=25, deadline=None)
@given(st.one_of(st.none(), lines), st.one_of(st.none(), lines))
def test_git_makes_the_new_text_of_the_old_one(
    tmp_path_factory: pytest.TempPathFactory, old: str | None, new: str | None
) -> None:
    folder = tmp_path_factory.mktemp("patch")
    file = folder / "x y.txt"
    if old is None and new is None:
        return
    operation = "add" if old is None else "delete" if new is None else "modify"
    if old is not None:
        file.write_text(old, newline="")
    change = FileChange(operation, str(file), old_text=old, new_text=new)
    patch = git_patch([change])
    assert patch is not None
    if (old or "") == (new or ""):
        assert "@@" not in patch
        return
    _apply(patch)
    assert (file.read_text() if file.exists() else None) == new


def _apply(patch: str) -> None:
    # Git takes off the first slash of a name and works from where it stands, so it stands there.
    command = ["git", "apply", "-p1", "-"]
    data = patch.encode()
    subprocess.run(command, cwd="/", input=data, check=True, timeout=30, capture_output=True)
