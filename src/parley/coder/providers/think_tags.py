"""Reasoning that a local model puts at the beginning of its text, between `<think>` tags.

Pure: pieces of text in, pieces of thought and text out, the same for any splitting.
"""

from collections.abc import Iterator

from parley.coder.providers.provider import TextDelta, ThoughtDelta

_OPENING = "<think>"
_CLOSING = "</think>"


class ThinkTags:
    """Tells thoughts from text. A tag anywhere but at the beginning is text."""

    def __init__(self) -> None:
        self._state = "before"
        self._held = ""

    def feed(self, text: str) -> Iterator[TextDelta | ThoughtDelta]:
        """Take the next piece; what may still become a tag is held back."""
        self._held += text
        if self._state == "before":
            self._open()
        if self._state == "inside":
            yield from self._think()
        if self._state == "behind":
            # The blank lines between the thoughts and the text belong to neither.
            self._held = self._held.lstrip()
            self._state = "text" if self._held else "behind"
        if self._state == "text" and self._held:
            text, self._held = self._held, ""
            yield TextDelta(text)

    def end(self) -> Iterator[TextDelta | ThoughtDelta]:
        """What was held back, now that nothing can follow it; asking again gives nothing."""
        text, self._held = self._held, ""
        if text:
            yield ThoughtDelta(text) if self._state == "inside" else TextDelta(text)

    def _open(self) -> None:
        begun = self._held.lstrip()
        if begun.startswith(_OPENING):
            self._held = begun.removeprefix(_OPENING)
            self._state = "inside"
        elif not _OPENING.startswith(begun):
            self._state = "text"

    def _think(self) -> Iterator[ThoughtDelta]:
        thought, closed, rest = self._held.partition(_CLOSING)
        if closed:
            self._held, self._state = rest, "behind"
        else:
            kept = _overlap(thought)
            thought, self._held = thought[: len(thought) - kept], thought[len(thought) - kept :]
        if thought:
            yield ThoughtDelta(thought)


def _overlap(text: str) -> int:
    """How many characters at the end may be the beginning of the closing tag."""
    sizes = range(min(len(text), len(_CLOSING) - 1), 0, -1)
    return next((size for size in sizes if text.endswith(_CLOSING[:size])), 0)
