"""Pages of the web as text."""

import asyncio
import gzip
import sys
import zlib

import pytest

from parley.coder.errors import ToolError
from parley.coder.tools import web_page
from parley.coder.tools.web_page import Body, check_type, decoded, page_text
from tests.sdk.stage import run

URL = "https://example.org/docs/"
HTML = (
    "<html><head><title>T</title><script>alert(1)</script></head>"
    "<body><h1>Head</h1><p hidden>unseen</p><p>Some <a href='x'>link</a></p></body></html>"
)


def _text(data: bytes | str, content_type: str) -> str:
    raw = data.encode() if isinstance(data, str) else data
    return asyncio.run(page_text(raw, content_type, URL))


def test_html_becomes_markdown_with_whole_links() -> None:
    text = _text(HTML, "text/html; charset=utf-8")
    assert "# Head" in text
    assert "[link](https://example.org/docs/x)" in text
    assert "alert" not in text
    assert "unseen" not in text
    assert _text(f"\n<!DOCTYPE html>{HTML}", "") == text


def test_a_large_page_is_converted_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def here(page: str, url: str) -> str:
        raise AssertionError("the converter would hold everybody up")

    monkeypatch.setattr(web_page, "_converted", here)
    text = _text("<p>w\u00f6rd <a href='x'>y</a></p>" * 20_000, "text/html")
    assert text.count("w\u00f6rd [y](https://example.org/docs/x)") == 20_000


def test_a_page_that_breaks_the_converter_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_page, "_SMALL", 0)
    monkeypatch.setattr(web_page, "_CONVERT", "import os; os.abort()")
    with pytest.raises(ToolError, match="cannot be turned into text"):
        _text(HTML, "text/html")


def test_a_cancelled_conversion_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_page, "_SMALL", 0)
    monkeypatch.setattr(web_page, "_CONVERT", "import time; time.sleep(60)")

    async def scenario() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await page_text(HTML.encode(), "text/html", URL)

    # A process that was not waited for would warn when its transport is collected.
    run(scenario())


def test_text_and_json_stay_as_they_are_without_control_characters() -> None:
    assert _text('{"a": "<b>"}\n', "application/json") == '{"a": "<b>"}\n'
    assert _text("a\r\nb\rc\x1b[1m\x01d\te", "text/plain; charset=utf-8") == "a\nb\ncd\te"


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ToolError, match="binary file"):
        _text(b"\x7fELF\0\0\0", "text/plain")


@pytest.mark.parametrize(
    ("data", "content_type", "text"),
    [
        ("é".encode(), "text/plain", "é"),
        (b"\xe9", "text/plain; charset=ISO-8859-1", "é"),
        (b"\xe9", 'text/plain; charset="latin-1"', "é"),
        (b"\xef\xbb\xbfx", "text/plain; charset=latin-1", "x"),
        ("x".encode("utf-16"), "text/plain", "x"),
        (b'<meta charset="latin-1">\xe9', "text/html", '<meta charset="latin-1">é'),
        (b"\xe9x", "text/plain; charset=no-such-thing", "\ufffdx"),
        (b"ab", "text/plain; charset=hex", "ab"),
    ],
)
def test_bytes_are_decoded_by_what_is_known_of_them(
    data: bytes, content_type: str, text: str
) -> None:
    assert decoded(data, content_type) == text


@pytest.mark.parametrize(
    "kind",
    ["", "text/html", "application/xhtml+xml; charset=x", "TEXT/CSS", "application/ld+json"],
)
def test_text_may_be_read(kind: str) -> None:
    check_type(kind)


@pytest.mark.parametrize("kind", ["image/png", "application/pdf", "application/octet-stream", "x"])
def test_what_is_no_text_is_refused_by_its_type(kind: str) -> None:
    with pytest.raises(ToolError, match=f"of type `{kind}`"):
        check_type(kind)


@pytest.mark.parametrize("compress", [gzip.compress, zlib.compress])
def test_a_compressed_page_is_read_piece_by_piece(compress: object) -> None:
    assert callable(compress)
    data = compress(b"hello " * 1000)
    body = Body("gzip" if compress is gzip.compress else "deflate")
    wanted = [body.feed(data[i : i + 1]) for i in range(len(data))]
    assert body.data == b"hello " * 1000
    assert not body.truncated
    # After its end nothing more is wanted.
    assert wanted[0] is True
    assert wanted[-1] is False
    assert body.feed(b"more") is False


def test_a_bomb_is_cut_at_the_limit() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    body = Body("gzip", limit=1_000_000)
    assert body.feed(bomb) is False
    assert body.truncated
    assert len(body.data) == 1_000_000
    assert len(body._data) == 1_000_001


@pytest.mark.parametrize(("size", "cut"), [(9, False), (10, False), (11, True), (1000, True)])
def test_a_plain_page_is_cut_at_the_limit(size: int, cut: bool) -> None:
    body = Body("identity", limit=10)
    assert body.feed(b"x" * size) is not cut
    assert body.truncated is cut
    assert body.data == b"x" * min(size, 10)


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd"])
def test_other_compression_is_refused(encoding: str) -> None:
    with pytest.raises(ToolError, match=f"compressed the page with `{encoding}`"):
        Body(encoding)


def test_a_page_that_is_not_compressed_as_it_says_is_refused() -> None:
    with pytest.raises(ToolError, match="cannot be read"):
        Body("gzip").feed(b"plain text")


def test_a_missing_converter_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "html_to_markdown", None)
    with pytest.raises(ToolError, match="pip install"):
        _text(HTML, "text/html")
