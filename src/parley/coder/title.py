"""The automatic title of a session. Pure."""

from parley.session.content import Block, Link, Resource, Text

LIMIT = 60
# A prompt may be a megabyte long, and other sessions wait meanwhile.
_LOOKED_AT = 4096


def title_of(blocks: tuple[Block, ...]) -> str:
    """One line of at most 60 characters from a prompt; empty if the prompt gives none."""
    for block in blocks:
        if isinstance(block, Text) and (line := _first_line(block.text)):
            return line
    for block in blocks:
        if isinstance(block, Link):
            return _first_line(block.title or block.name or block.uri)
        if isinstance(block, Resource):
            return _first_line(block.uri)
    return ""


def _first_line(text: str) -> str:
    for line in text[:_LOOKED_AT].splitlines():
        # Control and direction characters could make a list of sessions show something else.
        words = "".join(letter if letter.isprintable() else " " for letter in line).split()
        if words:
            return _shortened(" ".join(words))
    return ""


def _shortened(line: str) -> str:
    if len(line) <= LIMIT:
        return line
    head = line[: LIMIT - 1]
    whole_words = head.rpartition(" ")[0]
    return f"{whole_words if len(whole_words) > LIMIT // 2 else head}…"
