"""Changes of files as the diffs of version 1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parley.schema.v1 as v1
from parley.protocol.v1.diff import diff_from, diff_models, hunks_of
from parley.schema.codec import decode_strictly, encode
from parley.session.content import DiffItem, FileChange, Patch
from tests.session.strategies import file_changes

PATCH = """\
diff --git /project/a.py /project/a.py
--- /project/a.py
+++ /project/a.py
@@ -1,3 +1,3 @@
 one
-two
+2
 three
@@ -10 +10,2 @@ def f():
-ten
+10
+--- not a header
diff --git /project/new.py /project/new.py
new file mode 100644
--- /dev/null
+++ "/project/new.py"
@@ -0,0 +1,2 @@
+a
+b
\\ No newline at end of file
diff --git /project/old.py /project/old.py
--- /project/old.py\t2026
+++ /dev/null
@@ -1,1 +0,0 @@
-gone
\\ No newline at end of file
"""


def _models(item: DiffItem) -> tuple[list[dict[str, object]], list[str]]:
    lost: list[str] = []
    models = diff_models(item, lambda what, detail: lost.append(what))
    return [dict(decode_plain(model)) for model in models], lost


def decode_plain(model: v1.Diff | v1.Content) -> dict[str, object]:
    decode_strictly(v1.ToolCallContent, encode(model))
    if isinstance(model, v1.Content):
        assert isinstance(model.content, v1.TextContent)
        return {"text": model.content.text}
    return {
        key: value
        for key in ("path", "old_text", "new_text", "meta")
        if (value := getattr(model, key)) is not v1.Diff(path="", new_text="").old_text
    }


@pytest.mark.parametrize(
    ("change", "sent"),
    [
        (FileChange("add", "/a", new_text="x"), {"path": "/a", "new_text": "x"}),
        (
            FileChange("modify", "/a", old_text="x", new_text="y"),
            {"path": "/a", "old_text": "x", "new_text": "y"},
        ),
        (
            FileChange("delete", "/a", old_text="x"),
            {
                "path": "/a",
                "old_text": "x",
                "new_text": "",
                "meta": {"acpBridge": {"operation": "delete"}},
            },
        ),
    ],
)
def test_a_change_with_its_texts_is_exact(change: FileChange, sent: dict[str, object]) -> None:
    assert _models(DiffItem((change,))) == ([sent], [])


def test_a_patch_alone_becomes_fragments() -> None:
    changes = (
        FileChange("modify", "/project/a.py"),
        FileChange("add", "/project/new.py"),
        FileChange("delete", "/project/old.py", meta={"m": 1}),
    )
    models, lost = _models(DiffItem(changes, Patch(PATCH)))
    assert models == [
        {"path": "/project/a.py", "old_text": "one\ntwo\nthree\n", "new_text": "one\n2\nthree\n"},
        {"path": "/project/a.py", "old_text": "ten\n", "new_text": "10\n--- not a header\n"},
        {"path": "/project/new.py", "new_text": "a\nb"},
        {
            "path": "/project/old.py",
            "old_text": "gone",
            "new_text": "",
            "meta": {"m": 1, "acpBridge": {"operation": "delete"}},
        },
    ]
    assert lost == ["diff"] * 3


def test_a_patch_may_name_its_files_from_a_root() -> None:
    patch = Patch("--- a.py\n+++ a.py\n@@ -1 +1 @@\n-x\n+y\n")
    models, _ = _models(DiffItem((FileChange("modify", "/project/a.py"),), patch))
    assert models == [{"path": "/project/a.py", "old_text": "x\n", "new_text": "y\n"}]


def test_a_path_in_quotes_is_read_as_git_wrote_it() -> None:
    patch = Patch('--- /dev/null\n+++ "/project/\\303\\251\\t\\"x"\n@@ -0,0 +1 @@\n+y\n')
    assert hunks_of(patch) == {'/project/é\t"x': [("", "y\n")]}


def test_what_has_no_text_is_named() -> None:
    changes = (FileChange("move", "/b", old_path="/a"), FileChange("modify", "/c"))
    models, lost = _models(DiffItem(changes, Patch("???", "_odd")))
    assert models == [{"text": "move: /a → /b\nmodify: /c\n```diff\n???\n```"}]
    assert lost == ["diff"] * 2
    assert _models(DiffItem(changes))[0] == [{"text": "move: /a → /b\nmodify: /c"}]
    assert _models(DiffItem((), Patch("x ``` y")))[0] == [{"text": "````diff\nx ``` y\n````"}]
    assert _models(DiffItem(())) == ([], ["diff"])


@pytest.mark.parametrize(
    "text",
    [
        "@@ -1,3 +1,3 @@\n one",
        "@@ -1 +1 @@",
        "\\ No newline",
        "@@ -1 +1 @@\n\\ No newline at end of file\n-x\n+y",
        "+++ \n--- \n@@ -0,0 +0,0 @@\n",
    ],
)
def test_a_broken_patch_breaks_nothing(text: str) -> None:
    assert isinstance(hunks_of(Patch(text)), dict)


def test_a_diff_is_read_as_a_change_v1_tc_07() -> None:
    new = v1.Diff(path="/a", new_text="x", old_text=None)
    assert diff_from(new) == DiffItem((FileChange("add", "/a", new_text="x"),))
    changed = v1.Diff(path="/a", new_text="x", old_text="", meta={"m": 1})
    change = FileChange("modify", "/a", old_text="", new_text="x")
    assert diff_from(changed) == DiffItem((change,), meta={"m": 1})


@given(
    st.builds(
        DiffItem,
        st.lists(file_changes, max_size=3).map(tuple),
        st.none() | st.builds(Patch, st.sampled_from([PATCH, "", "@@ -1 +1 @@"])),
    )
)
def test_any_change_can_be_said(item: DiffItem) -> None:
    for model in diff_models(item, lambda what, detail: None):
        decode_strictly(v1.ToolCallContent, encode(model))
