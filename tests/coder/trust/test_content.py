"""What identifies content that can be trusted."""

from msgspec.structs import replace

from parley.coder.trust.content import Content, digest_of

CONTENT = Content("skill", "a", "/project", ".parley/skills/a", digest_of("text"), "text")


def test_parts_cannot_be_moved_into_each_other() -> None:
    assert digest_of("ab", "c") != digest_of("a", "bc")
    assert digest_of("1:a") != digest_of("a")
    assert digest_of() != digest_of("")


def test_text_and_its_bytes_are_the_same_part() -> None:
    assert digest_of("ä") == digest_of("ä".encode())


def test_names_that_are_no_text_have_a_digest() -> None:
    assert digest_of("\udc80") != digest_of("\udc81")


def test_the_place_stays_when_the_content_changes() -> None:
    assert replace(CONTENT, digest="other", shown="other").place == CONTENT.place


def test_the_folder_the_kind_and_the_name_make_the_place() -> None:
    others = [replace(CONTENT, **{field: "x"}) for field in ("root", "kind", "name")]
    assert len({CONTENT.place, *(each.place for each in others)}) == 4
