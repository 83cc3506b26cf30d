"""The tool that finds again what the model does not see any more of its own conversation."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from parley.coder.errors import ToolError
from parley.coder.message import AgentMessage, CallPart, Message, TextPart, ToolMessage, UserMessage
from parley.coder.permission.access import TouchesNothing
from parley.coder.providers.provider import ToolSpec
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.coder.workspace.aside import SMALL, aside
from parley.session.event import ToolKind

NAME = "recall"
MOST_PASSAGES = 20
_PASSAGES = 5
_PASSAGE_CHARACTERS = 1_200
_MOST_WORDS = 40
_WORD = re.compile(r"\w+")


class Passage(Struct, frozen=True):
    """A piece of the conversation."""

    number: int
    """Of its message, from the first one."""
    who: str
    text: str


class Recall:
    """`recall`: search the conversation of the session, the whole of it."""

    spec = ToolSpec(
        NAME,
        "Search everything that was said in this session, also what a summary replaced and what "
        "was shortened: messages, calls and their results. Gives the passages that fit best. What "
        "they quote may be out of date; read files again before you change them.",
        {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "Words that the passage has, the rare ones above all.",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MOST_PASSAGES,
                    "description": f"How many passages to show; {_PASSAGES} if left out.",
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    )
    kind: ToolKind = "search"
    category: Category = "read"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        query = given.text("query")
        limit = given.optional_integer("limit", least=1, most=MOST_PASSAGES) or _PASSAGES
        given.done()
        if not _WORD.search(query):
            raise ToolError("`query` has no words in it; name some that the passage has")

        async def run(progress: Progress) -> Outcome:
            messages = await desk.conversation()
            # It is read from the disk as a whole; a long one is searched beside other work.
            size = SMALL + 1 if len(messages) > _MOST_WORDS else 0
            return Outcome(await aside(size, _answer, messages, query, limit))

        return Prepared(one_line(f"Recall {query}"), (TouchesNothing(),), run)


def found(messages: Sequence[Message], query: str, limit: int) -> list[Passage]:
    """The passages that fit a query best, in the order of the conversation."""
    wanted = dict.fromkeys(word.lower() for word in _WORD.findall(query)[:_MOST_WORDS])
    passages = list(_passages(messages))
    words = [_present(passage.text, wanted) for passage in passages]
    known = Counter(word for each in words for word in each)
    phrase = query.lower().strip()
    scored = [
        (_score(each, known, len(passages)) + (phrase in passage.text.lower()), at)
        for at, (passage, each) in enumerate(zip(passages, words, strict=True))
        if each
    ]
    # Of two that fit alike the later one is more likely to be still true.
    best = sorted(scored, reverse=True)[:limit]
    return [passages[at] for _, at in sorted(best, key=lambda each: each[1])]


def _answer(messages: Sequence[Message], query: str, limit: int) -> str:
    passages = found(messages, query, limit)
    if not passages:
        return "Nothing in this session has any of these words. Try others."
    total = len(messages)
    return "\n\n".join(f"[message {p.number} of {total}, {p.who}]\n{p.text}" for p in passages)


def _score(words: set[str], known: Counter[str], total: int) -> float:
    """Rare words weigh more; one that is everywhere hardly counts."""
    return sum(math.log(1 + total / known[word]) for word in words)


def _present(text: str, wanted: Mapping[str, None]) -> set[str]:
    lower = text.lower()
    # A look for the text alone is quick and leaves few passages to split into words.
    if not any(word in lower for word in wanted):
        return set()
    return {word for word in _WORD.findall(lower) if word in wanted}


def _passages(messages: Sequence[Message]) -> Iterator[Passage]:
    for number, message in enumerate(messages, 1):
        for who, text in _texts(message):
            for piece in _pieces(text):
                yield Passage(number, who, piece)


def _texts(message: Message) -> Iterator[tuple[str, str]]:
    match message:
        case UserMessage(content=content):
            yield "user", "\n".join(part.text for part in content if isinstance(part, TextPart))
        case AgentMessage(content=content):
            for part in content:
                if isinstance(part, TextPart):
                    yield "agent", part.text
                elif isinstance(part, CallPart) and part.name != NAME:
                    shown = "\n".join(f"{name}: {value}" for name, value in part.arguments.items())
                    yield f"call of `{part.name}`", shown
        case ToolMessage(results=results):
            # What was recalled before would be found again and again.
            for result in results:
                if result.name != NAME:
                    yield f"result of `{result.name}`", result.text


def _pieces(text: str) -> Iterator[str]:
    """Whole lines, a handful at a time."""
    piece: list[str] = []
    size = 0
    for line in text.splitlines():
        for start in range(0, max(len(line), 1), _PASSAGE_CHARACTERS):
            part = line[start : start + _PASSAGE_CHARACTERS]
            if size + len(part) > _PASSAGE_CHARACTERS and piece:
                yield "\n".join(piece)
                piece, size = [], 0
            piece.append(part)
            size += len(part) + 1
    if piece:
        yield "\n".join(piece)
