"""What an agent writes is shown, and does nothing else to the terminal."""

import sys
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.frontend import visible as module
from parley.frontend.visible import JOINS, MARKS, VisibleStream, cells, joined, one_line, visible
from tests.frontend.tricks import NEVER, TRICKS, Trick, leaked

# Letters that have to do with each other, so that chance finds what goes wrong between them.
_LETTERS = (
    "a1 #\t\n\r\r\b\x00\x1b\x7f\x85\x9b\u00ad\u0301\u0301\u0489\u20e3\u2026\u23ce\\"
    "\u200b\u200c\u200d\u200d\u200d\u202e\u2066\u2069\u2028\ufeff\ufe00\ufe0e\ufe0f\ufe0f"
    "\ud83d\ude00\ufffe\u0627\u064e\u0915\u094d\u4e00\u1820\u180b\u180e\u2764\u3164"
    "\U0001f469\U0001f469\U0001f3fb\U0001f525\U0001f1e9\U000e0041\U000e0100"
)
TEXTS = st.text(st.sampled_from(_LETTERS), max_size=30) | st.text(max_size=30)
ORDINARY = {
    "English": 'A "quoted" word, don\u2019t \u2013 and caf\u00e9 na\u00efve.',
    "code": "def f(x):\n\treturn x * 2  # \u2713\n",
    "decomposed": "e\u0301 o\u0302\u0301 n\u0303",
    "Arabic": "\u0645\u0631\u062d\u0628\u0627 \u0628\u0650\u0633\u0652\u0645 \u0644\u0651\u0670",
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0647\u200d",
    "Hebrew": "\u05d1\u05bc\u05b0\u05e8\u05b5\u05d0\u05e9\u05c1\u05b4\u05d9\u05ea",
    "Hindi": "\u0928\u092e\u0938\u094d\u0924\u0947 \u0915\u094d\u200d\u0937 \u0939\u093f",
    "Malayalam": "\u0d05\u0d35\u0d28\u0d4d\u200d ",
    "Bengali": "\u09b0\u200d\u09cd\u09af",
    "Thai": "\u0e1b\u0e23\u0e30\u0e40\u0e17\u0e28\u0e44\u0e17\u0e22 \u0e17\u0e35\u0e48",
    "Tibetan": "\u0f56\u0f66\u0f92\u0fb2\u0f74\u0f56\u0f66",
    "Mongolian": "\u182e\u1823\u1829\u182d\u1823\u182f\u180b \u1832\u180e\u1820",
    "Vietnamese": "Ti\u00ea\u0301ng Vi\u00ea\u0323t",
    "Korean": "\ud55c\uad6d\uc5b4",
    "Japanese": "\u845b\U000e0100\u57ce\u3001\u304c\u304d\u3099",
    "Chinese": "\u4f60\u597d\uff0c\u4e16\u754c\U00020000",
    "Russian": "\u041f\u0440\u0438\u0432\u0435\u0442 \u0438\u0306",
    "mathematics": "\u2200x \u2208 \u211d: x \u2260 y, =\u0338 \u2268\ufe00",
    "keycap": "1\ufe0f\u20e3 #\ufe0f\u20e3",
    "heart": "\u2764\ufe0f \u2714\ufe0e \u00a9\ufe0f",
    "flag": "\U0001f1e9\U0001f1ea \U0001f3f3\ufe0f\u200d\U0001f308",
    "skin": "\U0001f44d\U0001f3fd \U0001f469\U0001f3fb\u200d\U0001f4bb",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "kiss": "\U0001f469\U0001f3fb\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468\U0001f3fb",
    "shaking": "\U0001f642\u200d\u2194\ufe0f",
    "private": "\ue0b0 \uf121",
    "drawn": "\u256d\u2500\u256e\u2588\u2591 \u2800\u28ff",
}


def test_there_are_more_than_two_hundred_tricks_of_all_kinds() -> None:
    assert len({trick.text for trick in TRICKS}) > 200
    assert {trick.kind for trick in TRICKS} == {"escape", "bidi", "hidden", "width", "markup"}
    # A trick that holds nothing to hide would show nothing; markup has nothing but its letters.
    assert [t for t in TRICKS if t.kind != "markup" and t.never not in t.text] == []


@pytest.mark.parametrize("trick", TRICKS, ids=str)
def test_no_trick_comes_through(trick: Trick) -> None:
    for shown in (visible(trick.text), one_line(trick.text), one_line(trick.text, 20)):
        assert leaked(shown) == []
        assert trick.never not in shown
    assert len(one_line(trick.text).splitlines()) <= 1


@pytest.mark.parametrize("trick", [t for t in TRICKS if t.kind == "markup"], ids=str)
def test_markup_is_the_letters_it_consists_of(trick: Trick) -> None:
    assert visible(trick.text) == trick.text


@pytest.mark.parametrize("text", ORDINARY.values(), ids=list(ORDINARY))
def test_ordinary_text_of_every_script_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\u001b[31mred"),
        ("a\x9bb\x7f", "a\\u009bb\\u007f"),
        ("one\r\ntwo", "one\ntwo"),
        ("one\rtwo\r", "one\\u000dtwo\\u000d"),
        ("\r\r\n", "\\u000d\n"),
        ("a\bb\x00", "a\\u0008b\\u0000"),
        ("photo\u202egnp.exe", "photo\\u202egnp.exe"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud83d\ude00", "\\ud83d\\ude00"),
        ("a\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301b", "a" + "\u0301" * MARKS + "\u2026b"),
        ("\u0301a", "\\u0301a"),
        ("\u0645" + "\u064e" * 9 + "\u200c", "\u0645" + "\u064e" * MARKS + "\u2026\\u200c"),
        ("a\ufe0f", "a\\ufe0f"),
        ("\u2764\ufe0f\ufe0e", "\u2764\ufe0f\\ufe0e"),
        ("\U0001f469\u200drm", "\U0001f469\\u200drm"),
        ("\U0001f469\u200d", "\U0001f469\\u200d"),
        ("\U0001f469\u200d\r\n", "\U0001f469\\u200d\n"),
        ("\u0645\u200d\u200d", "\u0645\u200d\\u200d"),
        ("\u0600\u0661\u06dd", "\u0600\u0661\u06dd"),
    ],
)
def test_what_is_shown_instead(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_emoji_are_joined_only_so_often() -> None:
    woman, skin = "\U0001f469", "\U0001f3fb"
    chain = "\u200d".join([woman] * (JOINS + 1))
    assert visible(chain) == chain
    assert visible(f"{chain}\u200d{woman}") == f"{chain}\\u200d{woman}"
    # A colour of skin does not begin another emoji.
    painted = "\u200d".join([woman + skin] * (JOINS + 1))
    assert visible(f"{painted}\u200d{woman}") == f"{painted}\\u200d{woman}"
    assert visible(f"{chain} {chain}") == f"{chain} {chain}"


@given(TEXTS)
@settings(max_examples=500, deadline=None)
def test_a_shown_text_has_nothing_hidden_is_bounded_and_stays_the_same(text: str) -> None:
    shown = visible(text)
    assert leaked(shown) == []
    assert len(shown) <= 10 * len(text)
    assert visible(shown) == shown


@given(TEXTS, st.lists(st.integers(0, 30), max_size=4))
@settings(max_examples=500, deadline=None)
def test_cutting_a_stream_anywhere_changes_nothing(text: str, places: list[int]) -> None:
    stream = VisibleStream()
    ends = sorted(places)
    pieces = [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    assert "".join(map(stream.feed, pieces)) + stream.close() == visible(text)


@given(TEXTS, st.none() | st.integers(-1, 12))
@settings(max_examples=500, deadline=None)
def test_a_title_is_one_line_that_fits(text: str, width: int | None) -> None:
    shown = one_line(text, width)
    assert set(shown).isdisjoint("\n\t")
    assert width is None or cells(shown) <= max(width, 0)
    assert one_line(shown, width) == shown
    assert visible(shown) == shown


def test_a_stream_remembers_little_whatever_comes() -> None:
    stream = VisibleStream()
    for _ in range(200):
        stream.feed("a" + "\u0301" * 500 + "\u200d\r")
    held = [value for value in vars(stream).values() if isinstance(value, str)]
    assert max(map(len, held)) <= 1


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("  a title \n", None, "a title"),
        ("ls\nrm -rf ~", None, "ls\u23cerm -rf ~"),
        ("a\tb\tcdefg\th", None, "a   b   cdefg   h"),
        ("a\tb", 4, "a  \u2026"),
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd\u2026"),
        ("abcdef", 1, "\u2026"),
        ("abcdef", 0, ""),
        ("\u4f60\u597d\u4e16\u754c", 8, "\u4f60\u597d\u4e16\u754c"),
        ("\u4f60\u597d\u4e16\u754c", 7, "\u4f60\u597d\u4e16\u2026"),
        ("\u4f60\u597d\u4e16\u754c", 6, "\u4f60\u597d\u2026"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301\u2026"),
        ("\u2764\ufe0f\u2764\ufe0f", 3, "\u2764\ufe0f\u2026"),
        ("a\U0001f469\u200d\U0001f525b", 4, "a\u2026"),
        ("\u043f\u0440\u0438\u0432\u0435\u0442", 4, "\u043f\u0440\u0438\u2026"),
    ],
)
def test_a_title_is_cut_where_letters_end(text: str, width: int | None, shown: str) -> None:
    assert one_line(text, width) == shown


def test_a_huge_title_is_looked_at_in_part_and_says_so() -> None:
    assert one_line("a" * 5_000_000, 10) == "a" * 9 + "\u2026"
    assert one_line("a" + "\u0301" * 5_000_000, 10) == "a" + "\u0301" * MARKS + "\u2026\u2026"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("abc", 3),
        ("\u4f60\u597d", 4),
        ("\uff21", 2),
        ("e\u0301", 1),
        ("\u2764", 1),
        ("\u2764\ufe0f", 2),
        ("\U0001f600", 2),
        ("\U0001f1e9\U0001f1ea", 2),
        ("\u0645\u200c\u062e", 2),
        ("\u2026", 1),
    ],
)
def test_cells_are_counted_as_a_terminal_needs_them_at_most(text: str, count: int) -> None:
    assert cells(text) == count


def test_what_passes_without_a_look_has_no_effect_beyond_itself() -> None:
    plain = module._PLAIN  # pyright: ignore[reportPrivateUsage]
    passed = [chr(code) for code in range(sys.maxunicode + 1) if plain.match(chr(code))]
    assert len(passed) > 100_000
    assert [c for c in passed if ord(c) in NEVER] == []
    kinds = {category(c) for c in passed if c not in "\n\t"}
    assert kinds.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp", "Mn", "Me"})


def test_a_sentence_needs_no_colon_before_what_follows() -> None:
    assert joined("It failed", "no room") == "It failed: no room"
    assert joined("It failed.", "Make room.") == "It failed. Make room."
    assert joined("It failed", "") == "It failed"
