"""What nobody can see is found in names, in questions and in prose for models."""

import pytest

from parley.coder.permission.protected import is_protected
from parley.coder.permission.visible import visible
from parley.coder.skills.skill import body_of
from parley.coder.unseen import is_unseen, seen, without_unseen

UNSEEN = (
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x180B, 0x180E, 0x200B, 0x200D, 0x202E, 0x2028),
    *(0x2063, 0x2065, 0x2800, 0x3164, 0xFE00, 0xFE0E, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0, 0xFFFB),
    *(0x1BCA0, 0x1D173, 0xE0001, 0xE0041, 0xE0100, 0xE01EF),
)


@pytest.mark.parametrize("code", UNSEEN, ids=hex)
def test_a_character_that_shows_nothing_is_found_everywhere(code: int) -> None:
    character = chr(code)
    assert is_unseen(character)
    assert seen(f"a{character}b") == without_unseen(f"a{character}b") == "ab"
    assert character not in visible(f"a{character}b")
    assert is_protected(f".g{character}it/hooks/x")
    assert body_of(f"---\nname: x\n---\nDo{character} it".encode()) == "Do it"


def test_letters_of_every_script_and_blanks_are_seen() -> None:
    text = "aß é 日本 हिन्दी ไทย עברית\n\tend"
    assert seen(text) == without_unseen(text) == text
    assert not any(map(is_unseen, text))


def test_the_colour_of_an_emoji_stays_in_prose_once() -> None:
    assert seen("a \u2764\ufe0f b 1\ufe0f\u20e3") == "a \u2764\ufe0f b 1\ufe0f\u20e3"
    assert seen("\u2764\ufe0f\ufe0f\ufe00 1\ufe0f2 \u2800\ufe0f") == "\u2764\ufe0f 12"
    assert visible("\u2764\ufe0f") == "\u2764\\ufe0f"


def test_controls_are_no_prose() -> None:
    assert seen("a\x00\x1b[1mb\x7f\x85\r\n\tc") == "a[1mb\n\tc"
