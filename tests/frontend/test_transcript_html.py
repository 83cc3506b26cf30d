"""The transcript of a session as a page."""

from html.parser import HTMLParser

from parley.frontend.story import story_of
from parley.frontend.transcript_html import html
from tests.frontend.stories import INFO, PIXEL, one_turn, strange_things, tricky
from tests.frontend.tricks import TRICKS, leaked

OURS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "dl", "dt", "dd", "section"),
    *("p", "pre", "span", "ul", "li", "img", "details", "summary"),
}


class Reader(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_a_page_has_everything_in_it_and_nothing_else_is_needed() -> None:
    page = read(html(story_of(INFO, [*one_turn(), *strange_things()])))
    names = {tag for tag, _ in page.tags}
    assert names == OURS
    text = "".join(page.text)
    for part in ("A new title", "Mend it", "+c", "1 failed", "It is **mended**.", "mend (pending)"):
        assert part in text
    for _, attributes in page.tags:
        assert set(attributes) <= {
            *("lang", "charset", "http-equiv", "content", "name", "class", "alt", "src")
        }


def test_a_policy_in_the_page_forbids_scripts_and_loading() -> None:
    page = read(html(story_of(INFO, one_turn())))
    policies = [found["content"] for _, found in page.tags if "http-equiv" in found]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]


def test_it_can_be_read_in_the_dark_and_in_the_light() -> None:
    assert "color-scheme: light dark" in html(story_of(INFO, []))


def test_only_a_real_picture_is_shown() -> None:
    page = read(html(story_of(INFO, strange_things())))
    sources = [found["src"] for tag, found in page.tags if tag == "img"]
    assert sources == [f"data:image/png;base64,{PIXEL}"] * 2


def test_long_output_is_folded() -> None:
    page = html(story_of(INFO, strange_things()))
    assert "<details><summary>output (40 lines)</summary>" in page


def test_no_markup_of_an_agent_becomes_markup_of_the_page() -> None:
    for text in (
        "</title></style><script>alert(1)</script>",
        '"><img src=x onerror=y>',
        "&lt;b&gt;",
    ):
        page = read(html(story_of(INFO, tricky(text))))
        assert {tag for tag, _ in page.tags} <= OURS
        assert not [found for _, found in page.tags if "onerror" in found]
        assert text in "".join(page.text)


def test_no_trick_in_any_field_gets_into_the_page() -> None:
    for trick in TRICKS:
        assert leaked(html(story_of(INFO, tricky(trick.text)))) == [], trick
