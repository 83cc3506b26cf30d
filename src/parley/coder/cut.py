"""What a model is spared of a long conversation: where it is cut, what is shortened. Pure.

A message of the model stays whole, thoughts and calls together, and its results stay with it. So a
conversation that is cut is as well formed as it was before.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from msgspec import Struct
from msgspec.structs import replace

from parley.coder.budget import BYTES_PER_TOKEN, Room
from parley.coder.message import (
    AgentMessage,
    Message,
    TextPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from parley.coder.store.entry import Compacted

SUMMARY_MARK = "[Summary of the conversation so far]"
"""The beginning of the message that stands for what was cut off."""
OLD_RESULT = 800
"""Characters that are left of a result that the model has worked with already."""
_LEAST_RESULT = 200
_OMITTED = "\n[… {} characters left out; `recall` finds them …]\n"

Weigh = Callable[[Sequence[Message]], Sequence[int]]
"""Tells the tokens of each message."""


class Cut(Struct, frozen=True):
    """How a conversation becomes shorter; see `Compacted` for the numbers."""

    upto: int
    shortened: int
    longest: int


def applied(messages: Sequence[Message], compacted: Compacted) -> list[Message]:
    """The conversation as the model sees it from then on."""
    upto = compacted.upto
    # A result never stands without its call, whatever the number says.
    while upto < len(messages) and upto > 0 and isinstance(messages[upto], ToolMessage):
        upto -= 1
    kept: list[Message] = []
    if compacted.summary:
        kept.append(UserMessage((TextPart(compacted.summary),)))
    for at, message in enumerate(messages[upto:], upto):
        kept.append(shortened(message, compacted.longest) if at < compacted.shortened else message)
    return kept


def shortened(message: Message, longest: int) -> Message:
    """The message with no result above so many characters, and without the images of results."""
    if not isinstance(message, ToolMessage):
        return message
    if not any(len(each.text) > longest or each.images for each in message.results):
        return message
    return ToolMessage(tuple(_result(each, longest) for each in message.results))


def clipped(text: str, longest: int) -> str:
    """The beginning and the end of a text that is too long, with a word on what is missing."""
    if len(text) <= longest:
        return text
    head = longest * 2 // 3
    tail = longest - head
    end = text[len(text) - tail :] if tail else ""
    return text[:head] + _OMITTED.format(len(text) - head - tail) + end


def is_summary(message: Message) -> bool:
    match message:
        case UserMessage(content=(TextPart(text=text), *_)):
            return text.startswith(SUMMARY_MARK)
        case _:
            return False


def tail_start(messages: Sequence[Message], weights: Sequence[int], room: int) -> int:
    """Where the end of the conversation begins that fits; the last step is always part of it."""
    points = [at for at, each in enumerate(messages) if not isinstance(each, ToolMessage)]
    if not points:
        return 0
    behind = list(accumulate(reversed(weights)))[::-1]
    fitting = [at for at in points if behind[at] <= room] or [points[-1]]
    # The beginning of a turn is a better place, if enough is left behind it.
    turns = [at for at in fitting if isinstance(messages[at], UserMessage)]
    if turns and behind[turns[0]] * 2 >= min(behind[fitting[0]], room):
        return turns[0]
    return fitting[0]


def planned(messages: Sequence[Message], weigh: Weigh, used: int, room: Room) -> Cut | None:
    """How a request of so many tokens gets smaller, at the least loss; nothing if it cannot."""
    weights = weigh(messages)
    # Where instructions and tools take most of the window, less stays as it is.
    free = room.limit - room.summary - (used - sum(weights))
    start = tail_start(messages, weights, min(room.tail, max(free, 0) // 2))
    saved = _saved(messages[:start], weigh, OLD_RESULT)
    if saved and used - saved <= room.goal:
        return Cut(0, start, OLD_RESULT)
    return summarised(messages, weigh, used, room, start)


def summarised(
    messages: Sequence[Message], weigh: Weigh, used: int, room: Room, start: int
) -> Cut | None:
    """Everything before the start becomes a summary, and results behind it fit."""
    replaced = sum(weigh(messages[:start]))
    # A summary of less than a summary wins nothing.
    upto, left = (start, used - replaced + room.summary) if replaced > room.summary else (0, used)
    if left <= room.limit:
        return Cut(upto, 0, 0) if upto else None
    results = [each for each in messages[upto:] if isinstance(each, ToolMessage)]
    count = sum(len(each.results) for each in results)
    free = room.limit - left + sum(weigh(results))
    # Half of what would fit, since the next request has more results.
    longest = max(free * BYTES_PER_TOKEN // (2 * max(count, 1)), _LEAST_RESULT)
    if not upto and not _saved(results, weigh, longest):
        return None
    return Cut(upto, len(messages), longest)


def _result(result: ToolResult, longest: int) -> ToolResult:
    text = clipped(result.text, longest)
    if result.images:
        text += f"\n[{len(result.images)} images left out]"
    return replace(result, text=text, images=())


def _saved(messages: Sequence[Message], weigh: Weigh, longest: int) -> int:
    """Tokens that shorter results save."""
    return sum(weigh(messages)) - sum(weigh([shortened(each, longest) for each in messages]))


def last_requests(messages: Sequence[Message]) -> list[str]:
    """What the user said last, for a summary that must not lose it."""
    found = [
        "\n".join(part.text for part in each.content if isinstance(part, TextPart))
        for each in messages
        if isinstance(each, UserMessage) and not is_summary(each)
    ]
    return [text for text in found if text][-2:]


def called(messages: Sequence[Message]) -> list[tuple[AgentMessage, ToolMessage]]:
    """The answers that called tools, each with its results."""
    return [
        (first, second)
        for first, second in pairwise(messages)
        if isinstance(first, AgentMessage) and isinstance(second, ToolMessage)
    ]
