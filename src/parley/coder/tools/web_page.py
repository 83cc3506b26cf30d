"""What came from the web, made text for a model: decompressed, decoded, Markdown where it was HTML.

It knows no network. Every step has a bound, because the other side chooses the input.
"""

import asyncio
import codecs
import importlib.util
import re
import sys
import zlib
from contextlib import suppress

from parley.coder.errors import ToolError
from parley.coder.workspace.output import clean
from parley.process.brief import running

MOST_BYTES = 5_000_000
"""Of a page, decompressed."""

# The converter keeps the whole interpreter busy, so a page that takes long goes to another process.
_SMALL = 64 * 1024
_CONVERT = """
import sys, html_to_markdown as h
page = sys.stdin.buffer.read().decode()
options = h.ConversionOptions(base_url=sys.argv[1], inline_data_media="alt_text_only")
sys.stdout.buffer.write((h.convert(page, options).content or "").encode())
"""
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = re.compile(
    r"text/.+|application/(?:.+\+)?(?:json|xml|yaml|x-yaml|toml|x-toml|javascript|x-javascript"
    r"|x-ndjson|x-sh|sql|graphql|rtf|x-tex|x-httpd-php)"
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Body:
    """The bytes of an answer as they come, decompressed within bounds."""

    def __init__(self, encoding: str, limit: int = MOST_BYTES) -> None:
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ToolError(f"the server compressed the page with `{name}`, which nobody asked for")
        self._inflate = None if name in ("", "identity") else zlib.decompressobj(32 + 15)
        self._limit = limit
        self._data = bytearray()
        self.truncated = False
        """Whether there was more than the limit."""

    def feed(self, data: bytes) -> bool:
        """Add what came next; whether more is wanted."""
        room = self._limit - len(self._data) + 1
        # One byte more than the limit tells a full page from one that goes on.
        self._data += data[:room] if self._inflate is None else self._inflated(data, room)
        self.truncated = len(self._data) > self._limit
        # What follows a compressed page is not part of it, and may be endless.
        over = self._inflate is not None and self._inflate.eof
        return not self.truncated and not over

    @property
    def data(self) -> bytes:
        return bytes(self._data[: self._limit])

    def _inflated(self, data: bytes, room: int) -> bytes:
        assert self._inflate is not None
        try:
            return self._inflate.decompress(data, room)
        except zlib.error:
            raise ToolError("the page is compressed in a way that cannot be read") from None


def media_type(content_type: str) -> str:
    """The type alone, without its parameters."""
    return content_type.partition(";")[0].strip().lower()


def check_type(content_type: str) -> None:
    """Refuse what is not text.

    Raises:
        ToolError: the text names the type.
    """
    kind = media_type(content_type)
    if kind and not _TEXT.fullmatch(kind) and kind not in _HTML:
        raise ToolError(f"the address is a file of type `{kind[:100]}`, and only text can be read")


async def page_text(data: bytes, content_type: str, url: str) -> str:
    """The text of a page; HTML becomes Markdown, everything else stays as it is.

    Raises:
        ToolError: it is no text, or what makes Markdown is not installed.
    """
    kind = media_type(content_type)
    if b"\0" in data[:1024] and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ToolError("the address is a binary file, and only text can be read")
    text = decoded(data, content_type)
    if kind in _HTML or (
        not kind and text[:1024].lstrip().lower().startswith(("<!doctype", "<ht"))
    ):
        text = await _markdown(text, url)
    return clean(text.replace("\r\n", "\n").replace("\r", "\n"))


def decoded(data: bytes, content_type: str) -> str:
    """The bytes as text, by their mark, by what server or page say they are, or as UTF-8."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    said = _CHARSET.search(content_type)
    meta = _META.search(data[:2048])
    name = said.group(1) if said else meta.group(1).decode() if meta else "utf-8"
    # A name of an encoding that is none, or that is no encoding of text, like `hex`.
    with suppress(LookupError, ValueError):
        return data.decode(name, "replace")
    return data.decode("utf-8", "replace")


async def _markdown(page: str, url: str) -> str:
    if importlib.util.find_spec("html_to_markdown") is None:
        raise ToolError(
            "web pages cannot be read: a package is missing\n"
            "hint: the person can install it with `pip install 'parley-acp[agent]'`"
        )
    source = page.encode("utf-8", "replace")
    if len(source) > _SMALL:
        return await _converted_apart(source, url)
    return await asyncio.to_thread(_converted, source.decode(), url)


def _converted(page: str, url: str) -> str:
    # Heavy, and only needed when a page is read.
    import html_to_markdown  # noqa: PLC0415

    options = html_to_markdown.ConversionOptions(base_url=url, inline_data_media="alt_text_only")
    return html_to_markdown.convert(page, options).content or ""


async def _converted_apart(source: bytes, url: str) -> str:
    """The same in another process, which ends with the call."""
    command = (sys.executable, "-I", "-c", _CONVERT, url)
    async with running(*command, stdin=asyncio.subprocess.PIPE) as process:
        text, _ = await process.communicate(source)
    if process.returncode:
        raise ToolError("the page cannot be turned into text")
    return text.decode()
