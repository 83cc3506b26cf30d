"""The first block of a `SKILL.md`."""

import pytest

from parley.coder.skills.front_matter import parted


def value(text: str) -> str | None:
    return parted(f"---\n{text}\n---\nBody")[0].get("key")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("key: plain text", "plain text"),
        ("KEY:   blanks around  ", "blanks around"),
        ("key: it's 5: o'clock # and a comment", "it's 5: o'clock"),
        ("key: no#comment", "no#comment"),
        ("key: first\n  second\n\n  third", "first second third"),
        ("key:\n  below", "below"),
        ('key: "say \\"hi\\"\\n\\u0041\\q" # x', 'say "hi"\nAq'),
        ('key: "over\n  lines"', "over lines"),
        ("key: 'it''s' # x", "it's"),
        ("key: >\n  folded\n  text\nother: 1", "folded text"),
        ("key: >-\n  folded", "folded"),
        ("key: |\n  line\n  line", "line\nline"),
        ("key: |2+ # x\n  line", "line"),
        ("key: >\n", ""),
        ("key: one\nkey: two", "one"),
        ("key:\n  - a\n  - b", ""),
        ("key: [a, b]", "[a, b]"),
        ("key:value", None),
        ("- key: x", None),
        ("  key: x", None),
        ("nonsense\nkey: x\n}{", "x"),
        ('key: "never closed', '"never closed'),
        ("key: '", "'"),
    ],
)
def test_texts_are_understood_in_their_many_forms(text: str, expected: str | None) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("", ""),
        ("Body\n---\nkey: x\n---", "Body\n---\nkey: x\n---"),
        ("---\nkey: x\nno end", "---\nkey: x\nno end"),
        ("----\nkey: x\n---\n", "----\nkey: x\n---"),
        (" ---\nkey: x\n---\n", "---\nkey: x\n---"),
    ],
)
def test_without_a_block_all_of_it_is_the_body(text: str, body: str) -> None:
    assert parted(text) == ({}, body)


def test_the_body_follows_the_block() -> None:
    assert parted("\ufeff---\r\nkey: x\r\n---\r\n\r\nBody\r\n---\r\nmore") == (
        {"key": "x"},
        "Body\n---\nmore",
    )
    assert parted("---\nkey: x\n...\nBody") == ({"key": "x"}, "Body")


def test_a_block_without_end_in_sight_takes_no_time() -> None:
    values, _ = parted("---\n" + "key: 'x\n" * 20_000 + 'k2: "' + "\\" * 20_000 + "\n---\nBody")
    assert values["key"] == "'x"
