"""The plain commands that the agent understands without a model. Pure: text in, commands out.

Commands are joined by line breaks, `;` or the word "then". What has blanks, a semicolon or "then"
in it is quoted: with "...", '...', `...` or a fence of three backticks. Polite words around a
command are passed over; anything else that is not a command makes the whole text unknown, since
doing a part of what somebody asked for is worse than asking back.
"""

import re

from msgspec import Struct


class ListFiles(Struct, frozen=True, tag=True):
    path: str = "."


class ReadFile(Struct, frozen=True, tag=True):
    path: str


class SearchText(Struct, frozen=True, tag=True):
    text: str
    path: str | None = None


class ReplaceText(Struct, frozen=True, tag=True):
    old: str
    new: str
    path: str
    everywhere: bool = False


class CreateFile(Struct, frozen=True, tag=True):
    path: str
    content: str


class RunCommand(Struct, frozen=True, tag=True):
    command: str


class Help(Struct, frozen=True, tag=True):
    pass


class _Quoted(Struct, frozen=True):
    raw: str
    """With its quotes, as a shell needs it."""
    content: str


class NotUnderstood(Struct, frozen=True, tag=True):
    """A piece of the text that is no command."""

    text: str


Command = ListFiles | ReadFile | SearchText | ReplaceText | CreateFile | RunCommand | Help

# Nobody types more than this, and the patterns below take their time with long texts, in which
# the sessions of all others would have to wait.
_LONGEST_TEXT = 200_000
_LONGEST_UNQUOTED = 8_000
_LONGEST_COMMAND = 1_000
_SHOWN = 200
_FENCE = re.compile(r"```[^\n`]*\n(.*?)\n?```", re.DOTALL)
_CLOSING = {'"': '"', "'": "'", "`": "`", "“": "”"}
# A line that begins with a quotation goes on with the command of the line before.
_JOINTS = re.compile("\\s*(?:;|\n(?!\\s*\ue000)|\\b(?:and\\s+)?then\\b)\\s*", re.IGNORECASE)
_SLOT = re.compile("\ue000(\\d+)\ue001")
"""Stands for the quoted text with this number; the two characters are private and never typed."""
_END_OF_SENTENCE = re.compile("(?<=[\\w)\ue001])[.,!?]+$")

_POLITE = re.compile(
    r"(?:please|kindly|now|first|next|finally|also|and|after that|ok|okay|hi|hello"
    r"|(?:can|could|would|will) you|(?:i want|i would like|i'd like) you to|let's|go ahead and)"
    r"\b[\s,:]*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-*]|\d+[.)])\s+")
_FILE_WORDS = r"(?:the\s+)?(?:file\s+|contents?\s+of\s+(?:the\s+file\s+)?)?"
_WORD = "(\ue000\\d+\ue001|\\S+)"
_SOME = r"(.+?)"

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE | re.DOTALL))
    for name, pattern in (
        ("help", r"(?:help|what can you do|\?)"),
        (
            "list",
            r"(?:list|ls|show)(?:\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:files|contents?|folder))?"
            rf"(?:\s+(?:in|of|under)(?:\s+the)?(?:\s+(?:folder|directory))?)?(?:\s+{_WORD})?",
        ),
        ("read", rf"(?:read|open|show|cat|print)\s+(?:me\s+)?{_FILE_WORDS}{_WORD}"),
        (
            "search",
            r"(?:search|find|grep|look)(?:\s+for)?(?:\s+the\s+(?:text|word))?"
            rf"\s+{_SOME}(?:\s+in\s+(?:the\s+(?:file|folder)\s+)?{_WORD})?",
        ),
        (
            "replace",
            rf"(?:replace|change)\s+(every\s+|all\s+)?{_SOME}\s+(?:with|by|to)\s+{_SOME}"
            rf"\s+in\s+{_FILE_WORDS}{_WORD}",
        ),
        (
            "create",
            rf"(?:create|write|make)\s+(?:a\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+)?{_WORD}"
            rf"\s+(?:with|containing)\s+(?:the\s+)?(?:(?:contents?|text)\s+)?{_SOME}",
        ),
        ("run", rf"(?:run|execute)\s+(?:the\s+)?(?:command\s+)?{_SOME}"),
    )
)


def commands_in(text: str) -> tuple[Command, ...] | NotUnderstood:
    """The commands of a text, in order, or the first piece that is none."""
    quoted: list[_Quoted] = []
    masked = _masked(text, quoted) if len(text) <= _LONGEST_TEXT else text
    if len(masked) > _LONGEST_UNQUOTED:
        return NotUnderstood(text[:_SHOWN].strip())
    found: list[Command] = []
    for piece in _JOINTS.split(masked):
        plain = _plain(piece)
        if not plain:
            continue
        command = _command(plain, quoted) if len(plain) <= _LONGEST_COMMAND else None
        if command is None:
            return NotUnderstood(_filled(piece.strip(), quoted))
        found.append(command)
    return tuple(found) or NotUnderstood(text.strip())


def _masked(text: str, quoted: list[_Quoted]) -> str:
    """The text with everything quoted taken out, so that nothing in it is read as a command."""

    def put(raw: str, content: str) -> str:
        quoted.append(_Quoted(raw, content))
        return f"\ue000{len(quoted) - 1}\ue001"

    text = text.replace("\ue000", "").replace("\ue001", "")
    text = _FENCE.sub(lambda match: put(match[0], match[1] + "\n"), text)
    out: list[str] = []
    at = 0
    unclosed: set[str] = set()
    # Marks that nothing closes; looking for their ends again and again would take for ever.
    while at < len(text):
        end = None if text[at] in unclosed else _end_of_quote(text, at)
        if end is None:
            if text[at] in _CLOSING and not (at and text[at - 1].isalnum()):
                unclosed.add(text[at])
            out.append(text[at])
            at += 1
        else:
            raw, content = text[at : end + 1], text[at + 1 : end]
            out.append(put(raw, _unescaped(content) if text[at] == '"' else content))
            at = end + 1
    return "".join(out)


def _end_of_quote(text: str, at: int) -> int | None:
    """Where the quote that begins here ends; an apostrophe inside a word begins none."""
    closing = _CLOSING.get(text[at])
    if closing is None or (at and text[at - 1].isalnum()):
        return None
    end = at + 1
    while end < len(text):
        if text[end] == "\\" and closing == '"':
            end += 1
        elif text[end] == closing and not text[end + 1 : end + 2].isalnum():
            return end
        end += 1
    return None


def _unescaped(text: str) -> str:
    known = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
    return re.sub(r"\\(.)", lambda match: known.get(match[1], match[0]), text, flags=re.DOTALL)


def _plain(piece: str) -> str:
    piece = _BULLET.sub("", piece.strip(), count=1)
    while match := _POLITE.match(piece):
        piece = piece[match.end() :]
    return _END_OF_SENTENCE.sub("", piece).strip()


def _filled(text: str, quoted: list[_Quoted]) -> str:
    """The text with what was quoted put back; without the quotes where it is nothing else."""
    if whole := _SLOT.fullmatch(text):
        return quoted[int(whole[1])].content
    return _SLOT.sub(lambda match: quoted[int(match[1])].raw, text)


def _command(plain: str, quoted: list[_Quoted]) -> Command | None:
    for name, pattern in _PATTERNS:
        match = pattern.fullmatch(plain)
        if match is None:
            continue
        values = [None if group is None else _filled(group, quoted) for group in match.groups()]
        if (command := _made(name, values, plain)) is not None:
            return command
    return None


def _made(name: str, values: list[str | None], plain: str) -> Command | None:
    match name, values:
        case "help", _:
            return Help()
        case "list", [path]:
            # "show x" reads a file; only a bare "show" with the word "files" lists.
            if plain.lower().startswith("show") and not re.search(r"files|folder", plain, re.I):
                return None
            return ListFiles(path or ".")
        case "read", [str(path)]:
            return ReadFile(path)
        case "search", [str(text), path]:
            return SearchText(text, path)
        case "replace", [everywhere, str(old), str(new), str(path)]:
            return ReplaceText(old, new, path, everywhere is not None)
        case "create", [str(path), str(content)]:
            return CreateFile(path, content)
        case "run", [str(command)]:
            return RunCommand(command)
        case _:
            return None
