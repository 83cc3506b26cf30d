"""The transcript of a session on a terminal."""

from parley.frontend.story import story_of
from parley.frontend.transcript_text import EVERYTHING, text_lines
from parley.frontend.visible import cells
from parley.session.content import Text
from parley.session.event import ChunkAdded, NoticeGiven
from tests.frontend.stories import INFO, PIXEL, one_turn, strange_things, tricky
from tests.frontend.tricks import TRICKS, leaked

SHOWN = """\
Mend the mean
session  abcdefgh12345678
folder   /project
changed  2026-01-02T03:04:05Z
context  10 of 100 tokens, 0.25 USD

you
Mend it
    link: x (file:///x.txt)

thinking
I should look.
✓ Edit a.py
    modify /project/a.py
    @@ -1,2 +1,2 @@
     a
    -b
    +c
✗ Run pytest
    $ pytest (exit status 2)
    1 failed

agent
It is **mended**.
-- the turn ended

plan
[x] look
[ ] mend"""


def test_a_turn_reads_from_top_to_bottom() -> None:
    lines = text_lines(story_of(INFO, one_turn()))
    assert "\n".join(text for text, _ in lines) == SHOWN
    tones = dict(lines)
    assert (tones["    -b"], tones["    +c"], tones["✗ Run pytest"]) == ("bad", "good", "bad")
    assert (tones["you"], tones["thinking"], tones["I should look."]) == ("strong", "dim", "dim")


def test_long_output_is_shortened_unless_all_is_wanted() -> None:
    story = story_of(INFO, strange_things())
    short = [text for text, _ in text_lines(story)]
    assert "    ... 28 more lines (--full shows them)" in short
    assert "    line 12" not in short
    full = [text for text, _ in text_lines(story, limits=EVERYTHING)]
    assert "    line 39" in full


def test_what_is_rare_is_shown_too() -> None:
    shown = [text for text, _ in text_lines(story_of(INFO, strange_things()))]
    for line in (
        "A new title",
        "-- No model: set a key",
        f"    image (image/png, {len(PIXEL) * 3 // 4} bytes)",
        "    file: file:///y.txt",
        "    the text of y",
        "? other [in_progress]",
        "- grep",
        "-- the turn was cancelled",
        "-- the turn failed: boom (-32603)",
        "- first this",
    ):
        assert line in shown, line


def test_what_was_said_is_broken_between_words_and_code_is_not() -> None:
    text = (
        "some words that are too long for it\n"
        "  - and a list that is too long as well\n"
        "    code = 1 + 2 + 3 + 4 + 5"
    )
    events = [ChunkAdded("agent", Text(text))]
    shown = [text for text, _ in text_lines(story_of(INFO, events), 20)]
    assert shown[shown.index("agent") + 1 :] == [
        "some words that are",
        "too long for it",
        "  - and a list that",
        "  is too long as",
        "  well",
        "    code = 1 + 2 + 3 + 4 + 5",
    ]
    whole = [text for text, _ in text_lines(story_of(INFO, events))]
    assert "some words that are too long for it" in whole


def test_notices_are_shown_whole() -> None:
    notice = NoticeGiven("This project brings a server: type /trust", "warning")
    assert text_lines(story_of(INFO, [notice]), 30)[-2:] == [
        ("-- This project brings a", "warning"),
        ("   server: type /trust", "warning"),
    ]


def test_titles_are_cut_to_the_width() -> None:
    story = story_of(INFO, tricky("wide " * 100))
    lines = [text for text, tone in text_lines(story, 40) if tone in ("strong", "warning")]
    assert max(map(cells, lines)) == 40


def test_no_trick_in_any_field_reaches_the_terminal() -> None:
    for trick in TRICKS:
        lines = text_lines(story_of(INFO, tricky(trick.text)), 60, EVERYTHING)
        shown = "\n".join(text for text, _ in lines)
        assert leaked(shown) == [], trick
        assert not trick.never or trick.never not in shown, trick
