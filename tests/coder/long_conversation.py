"""A conversation of hundreds of turns with a model whose window is small.

    python -m tests.coder.long_conversation --turns 400 --window 32000

The model counts tokens in its own way and refuses what is too long. It writes summaries as a model
would, deterministically: the facts that the user gave. It answers questions from what it is given,
and searches for what it is not given. What came of it is printed as counts.
"""

import argparse
import asyncio
import re
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from parley.coder.errors import ProviderError
from parley.coder.message import (
    AgentMessage,
    CallPart,
    Message,
    TextPart,
    ToolMessage,
    UserMessage,
    repaired,
)
from parley.coder.providers.provider import (
    Answer,
    CallBegun,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    ModelUsage,
    TextDelta,
)
from parley.coder.store.entry import Spent
from parley.coder.summary import SUMMARISER
from parley.coder.tools.recall import Recall
from parley.coder.tools.tool import Outcome, Progress
from parley.session.event import ChunkAdded, CompactionChanged, MessageChanged, NoticeGiven
from tests.coder.stage import Played, SmallTool, Stage

WINDOW = 32_000
FACTS = {"colour": "ultramarine", "port": "48211", "owner": "Wilhelmina"}
"""What the user says at the start, and the summary must keep."""
SECRET_TURN = 3
DETAIL = "quux-7719"
"""What stood in a result of that turn, and no summary has."""
MODEL = ModelInfo("one", context_window=WINDOW, max_output=4_000, price_input=1.0, price_output=2.0)
_FACT = re.compile(r"FACT (\w+) = (\w+)")


class LongModel(Played):
    """Works, asks its tools, summarises, and refuses what does not fit its window."""

    def __init__(self, window: int, claimed: int) -> None:
        """`claimed` is what the agent believes the window to be."""
        super().__init__(models=(replace(MODEL, context_window=claimed),))
        self.window = window
        self.sizes: list[int] = []
        """Tokens of every request for an answer."""
        self.summaries: list[int] = []
        """Tokens of every request for a summary."""
        self.refused = 0

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[ModelEvent]]:
        assert repaired(request.messages) == request.messages, "a strict API refuses this"
        size = tokens(request)
        is_summary = request.system == SUMMARISER
        (self.summaries if is_summary else self.sizes).append(size)
        if size + 1_000 > self.window:
            self.refused += 1
            raise ProviderError("too long", retryable=False, kind="context")
        message = AgentMessage(_summary(request) if is_summary else _answer(request.messages))

        async def events() -> AsyncGenerator[ModelEvent]:
            for part in message.content:
                if isinstance(part, TextPart):
                    yield TextDelta(part.text)
                elif isinstance(part, CallPart):
                    yield CallBegun(part.id, part.name)
            output = len(msgspec.json.encode(message)) // 3
            yield Answer(
                message, "tool_calls" if message.calls else "end", ModelUsage(size, output)
            )

        yield events()


class Report(Struct):
    """What came of a conversation."""

    turns: int
    requests: int
    summaries: int
    compactions: int
    refused: int
    largest: int
    """Tokens of the largest request."""
    early: float
    """Tokens per turn, summaries included, in the second quarter of the turns."""
    late: float
    """The same, in the last quarter."""
    facts_asked: int
    facts_known: int
    detail_recalled: bool
    told: int
    """Messages of both sides that the client saw."""
    loaded: int
    """Those that a client that loads the session sees, word for word the same."""
    spent: int
    """Requests in the books."""
    seconds: float


def tokens(request: ModelRequest) -> int:
    """As this model counts: more than the agent guesses at first."""
    return int(len(msgspec.json.encode(request)) / 3.1)


async def converse(
    folder: Path, turns: int, window: int = WINDOW, claimed: int | None = None
) -> Report:
    model = LongModel(window, claimed or window)
    stage = Stage(folder, model, (SmallTool("look", "read", _looked), Recall()))
    began = time.monotonic()
    try:
        await stage.application.initialize(stage.client)
        await stage.runtime.catalogue.learn("played")
        await stage.new()
        marks, known = await _turns(stage, model, turns)
        await stage.say(f"What is the DETAIL of turn {SECRET_TURN}?")
        told = _messages(stage)
        recalled = DETAIL in told[-1]
        compactions = sum(
            isinstance(each, CompactionChanged) and each.status == "completed"
            for each in stage.events
        )
        spent = await _spent(stage)
        await stage.again()
        await stage.load()
        loaded = _messages(stage, prompts=True)
    finally:
        await stage.aclose()
    quarter = turns // 4
    return Report(
        turns,
        len(model.sizes),
        len(model.summaries),
        compactions,
        model.refused,
        max(model.sizes + model.summaries),
        (marks[2 * quarter] - marks[quarter]) / quarter,
        (marks[4 * quarter] - marks[3 * quarter]) / quarter,
        len(known),
        sum(known),
        recalled,
        len(told) + turns + 1,
        len(loaded) if [text for text in loaded if text in set(told)] == told else -1,
        spent,
        time.monotonic() - began,
    )


async def _turns(stage: Stage, model: LongModel, turns: int) -> tuple[list[int], list[bool]]:
    """Tokens used after each turn, and whether each question was answered."""
    marks, known = [0], list[bool]()
    given = "; ".join(f"FACT {name} = {value}" for name, value in FACTS.items())
    for number in range(1, turns + 1):
        if number == 1:
            text = f"Do turn {number}. Keep these in mind: {given}."
        elif number % 20 == 0:
            text = f"What is the FACT {list(FACTS)[number // 20 % len(FACTS)]}?"
        else:
            text = f"Do turn {number}."
        ending = await stage.say(text, message_id=f"prompt-{number}")
        assert ending.stop_reason == "end_turn", ending
        if text.startswith("What"):
            name = text.removesuffix("?").split()[-1]
            known.append(FACTS[name] in _messages(stage)[-1])
        marks.append(sum(model.sizes) + sum(model.summaries))
    return marks, known


def _messages(stage: Stage, *, prompts: bool = False) -> list[str]:
    """What the agent said, message by message; with the prompts if a client loads them."""
    found: dict[str, str] = {}
    for event in stage.events:
        match event:
            case ChunkAdded(speaker="agent", content=content, message_id=str(id)):
                found[id] = found.get(id, "") + getattr(content, "text", "")
            case MessageChanged(speaker="user", message_id=id) if prompts:
                found[id] = f"prompt {id}"
            case NoticeGiven(severity="error"):
                raise AssertionError(event)
            case _:
                pass
    return list(found.values())


async def _spent(stage: Stage) -> int:
    entries = await stage.application.sessions.get(stage.session_id).log.entries()
    return sum(isinstance(entry, Spent) for entry in entries)


async def _looked(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    number = arguments["n"]
    lines = [f"line {at} of the file that turn {number} reads, nothing special" for at in range(60)]
    if number == SECRET_TURN:
        lines[30] = f"the DETAIL of turn {SECRET_TURN} is {DETAIL}"
    return Outcome("\n".join(lines))


def _answer(messages: tuple[Message, ...]) -> tuple[TextPart | CallPart, ...]:
    last, asked = messages[-1], _last_prompt(messages)
    if fact := re.search(r"What is the FACT (\w+)", asked):
        known = dict(_FACT.findall(_everything(messages)))
        return (TextPart(f"It is {known.get(fact[1], 'not known to me')}."),)
    if "DETAIL" in asked:
        if isinstance(last, ToolMessage):
            found = re.search(r"is (quux-\w+)", last.results[0].text)
            return (TextPart(f"It is {found[1] if found else 'nowhere'}."),)
        return (CallPart("r", "recall", {"query": f"DETAIL of turn {SECRET_TURN}"}),)
    number = int(asked.split("Do turn ")[-1].split(".")[0])
    if isinstance(last, UserMessage):
        return (CallPart(f"c{number}", "look", {"n": number}),)
    return (TextPart(f"Turn {number} is done. " + "I looked at what was there. " * 10),)


def _summary(request: ModelRequest) -> tuple[TextPart, ...]:
    facts = dict.fromkeys(_FACT.findall(_everything(request.messages)))
    lines = [f"FACT {name} = {value}" for name, value in facts]
    return (TextPart("\n".join(["The user gave facts:", *lines, "Turns were done."])),)


def _last_prompt(messages: tuple[Message, ...]) -> str:
    last = [each for each in messages if isinstance(each, UserMessage)][-1]
    return "".join(part.text for part in last.content if isinstance(part, TextPart))


def _everything(messages: tuple[Message, ...]) -> str:
    return msgspec.json.encode(messages).decode()


def main() -> None:
    parser = argparse.ArgumentParser(description="Hold a long conversation.")
    parser.add_argument("--turns", type=int, default=400)
    parser.add_argument("--window", type=int, default=WINDOW, help="tokens that the model takes")
    parser.add_argument("--claimed", type=int, help="tokens that it is known for, if others")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(converse(Path(folder), given.turns, given.window, given.claimed))
    for name, value in msgspec.to_builtins(report).items():
        shown = f"{value:.1f}" if isinstance(value, float) else value
        sys.stdout.write(f"{name:16} {shown}\n")


if __name__ == "__main__":
    main()
