"""Diffs as lines, and how much they change."""

from parley.frontend.headless.diff_text import changed_lines, diff_lines
from parley.session.content import DiffItem, FileChange, Patch


def test_two_texts_are_shown_as_what_changed() -> None:
    change = FileChange("modify", "/a", old_text="one\ntwo\n", new_text="one\n2\n")
    assert list(diff_lines(DiffItem((change,)))) == [
        "modify /a",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+2",
    ]
    assert changed_lines(change) == (1, 1)


def test_lines_that_look_like_the_head_of_a_diff_are_not_hidden() -> None:
    change = FileChange("modify", "/a", old_text="x\n-- a\n", new_text="x\n++ b\n")
    assert {"--- a", "+++ b"} <= set(diff_lines(DiffItem((change,))))


def test_a_patch_is_shown_where_there_are_no_texts() -> None:
    item = DiffItem((FileChange("modify", "/a"),), Patch("--- a\n+++ b\n+x\n"))
    assert list(diff_lines(item)) == ["--- a", "+++ b", "+x"]


def test_a_patch_names_a_file_no_oftener_than_it_must() -> None:
    head = ["diff --git /a /b", "rename from /a", "diff --git /c /c", "new file mode 100644"]
    body = ["--- /dev/null", "+++ /d", "@@ -0,0 +1 @@", "+x"]
    text = "\n".join([*head, "diff --git /d /d", *body, ""])
    assert list(diff_lines(DiffItem((), Patch(text)))) == [*head, *body]


def test_a_move_without_texts_names_both_places() -> None:
    change = FileChange("move", "/b", old_path="/a")
    assert list(diff_lines(DiffItem((change,)))) == ["move /b (from /a)"]
    assert changed_lines(change) is None


def test_a_new_file_and_a_removed_one_show_all_their_lines() -> None:
    new = FileChange("add", "/a", new_text="x")
    gone = FileChange("delete", "/a", old_text="x")
    assert list(diff_lines(DiffItem((new, gone))))[1:3] == ["@@ -0,0 +1 @@", "+x"]
    assert (changed_lines(new), changed_lines(gone)) == ((1, 0), (0, 1))


def test_what_is_too_long_to_compare_is_still_shown_whole() -> None:
    long = "\n".join(map(str, range(5000)))
    change = FileChange("modify", "/a", old_text=long, new_text="x")
    assert len(list(diff_lines(DiffItem((change,))))) == 1 + 5000 + 1
    assert changed_lines(change) is None


def test_the_end_of_the_last_line_is_no_line() -> None:
    new = FileChange("add", "/a", old_text="", new_text="one\ntwo\n")
    assert changed_lines(new) == (2, 0)
    assert list(diff_lines(DiffItem((new,)))) == ["add /a", "@@ -0,0 +1,2 @@", "+one", "+two"]


def test_an_end_that_the_last_line_lacks_is_a_change() -> None:
    change = FileChange("modify", "/a", old_text="one\ntwo", new_text="one\ntwo\n")
    assert changed_lines(change) == (1, 1)
    assert list(diff_lines(DiffItem((change,))))[-3:] == [
        "-two",
        "\\ No newline at end of file",
        "+two",
    ]


def test_parts_of_files_without_a_last_end_are_shown_without_a_word_about_it() -> None:
    change = FileChange("modify", "/a", old_text="x", new_text="y")
    assert list(diff_lines(DiffItem((change,))))[-2:] == ["-x", "+y"]
