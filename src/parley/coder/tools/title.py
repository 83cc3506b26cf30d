"""Text of a model or of a file name, made safe for one line on a screen. Pure.

A title is what a person decides by, so nothing in it may move the cursor, reverse the direction of
reading or be invisible: such characters are shown as escapes.
"""

_READABLE = {"\n": "\\n", "\t": "\\t"}
_CUT = "…"


def one_line(text: str, limit: int = 200) -> str:
    """The text in one line of at most `limit` characters; a cut is marked with an ellipsis."""
    if len(text) <= limit and text.isprintable():
        return text
    pieces: list[str] = []
    left = limit
    # Every piece is at least one character long, so what lies beyond the limit changes nothing.
    for piece in map(_shown, text[: limit + 1]):
        left -= len(piece)
        pieces.append(piece)
    if left >= 0:
        return "".join(pieces)
    while pieces and left < len(_CUT):
        left += len(pieces.pop())
    return "".join(pieces) + _CUT


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    number = ord(character)
    return _READABLE.get(character) or (
        f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
    )
