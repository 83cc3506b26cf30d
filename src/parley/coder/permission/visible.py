"""Text as a person must see it: nothing hidden, nothing that moves the cursor or turns the line."""

from parley.coder.permission.shell_words import is_hidden


def visible(text: str) -> str:
    """One line in which every character shows; what would not is written as its code."""
    return "".join(_shown(character) for character in text)


def visible_lines(text: str) -> str:
    """The same, with its lines kept."""
    return "\n".join(visible(line) for line in text.split("\n"))


def _shown(character: str) -> str:
    if not is_hidden(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
