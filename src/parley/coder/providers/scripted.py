"""Plays a JSON script instead of a model: for tests and demonstrations.

A script is a list of answers, or `{"models": [...], "answers": [...]}`. Every session plays it on
its own: a request gets the first answer that the session has not used and whose `when` fits.

    when      text that the last message of the user must contain; without it every one fits
    repeat    true: the answer is never used up
    expect    text that the results of the last tool calls must contain, else the request fails
    thought   a text, or a list of pieces that are streamed one by one
    text      the same, for what is said
    calls     tool calls: {"name": ..., "arguments": {...}}, or "malformed" for arguments that are
              no object; "id" if it matters
    usage     {"input": 10, "output": 5, "thought": 0, "cached_read": 0, "cached_write": 0}
    cause     "end", "tool_calls", "max_tokens" or "refusal"; it follows from the calls by default
    wait      {"for": FILE, "after": 1, "mark": FILE}: after that many pieces make the file `mark`,
              then go on when the file `for` is there
    fault     {"text": ..., "retryable": true, "retry_after": 2, "kind": "limit", "after": 1}: fail
              after that many pieces; a dropped stream is one with `after`

Paths of files are relative to the script. A request whose conversation a strict model API would
refuse fails here too, and says why. A session that is opened again goes on where it was.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from parley.coder.errors import ProviderError, ProviderFailure
from parley.coder.message import (
    AgentMessage,
    CallPart,
    Message,
    TextPart,
    ThinkingPart,
    ToolMessage,
    UserMessage,
)
from parley.coder.providers.provider import (
    Answer,
    CallBegun,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    ModelUsage,
    StopCause,
    TextDelta,
    ThoughtDelta,
)
from parley.coder.vendors import SCRIPTED
from parley.errors import ConfigError

_LOOK_AGAIN = 0.005
"""Seconds between two looks at a file that somebody else makes; nothing else announces it."""
_KEPT_REQUESTS = 100
_DEFAULT_MODELS = (ModelInfo("scripted", name="Script", thinking=True),)


class ScriptedCall(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    arguments: dict[str, Any] = {}
    malformed: str | None = None
    id: str | None = None


class ScriptedWait(Struct, frozen=True, forbid_unknown_fields=True, rename={"file": "for"}):
    file: str
    after: int = 0
    mark: str | None = None


class ScriptedFault(Struct, frozen=True, forbid_unknown_fields=True):
    text: str = "the script lets this request fail"
    retryable: bool = False
    retry_after: float | None = None
    kind: ProviderFailure = "server"
    after: int = 0


class ScriptedAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    when: str = ""
    repeat: bool = False
    expect: str | None = None
    thought: str | list[str] = []
    text: str | list[str] = []
    calls: tuple[ScriptedCall, ...] = ()
    usage: ModelUsage = ModelUsage()
    cause: StopCause | None = None
    wait: ScriptedWait | None = None
    fault: ScriptedFault | None = None


class Script(Struct, frozen=True, forbid_unknown_fields=True):
    answers: tuple[ScriptedAnswer, ...]
    models: tuple[ModelInfo, ...] = _DEFAULT_MODELS
    folder: str = "."
    """Where the paths in it begin."""


def read_script(path: Path) -> Script:
    """The script in a file.

    Raises:
        ConfigError: there is none, or it is no script.
    """
    hint = "the format is described in `parley.coder.providers.scripted`"
    try:
        raw = path.read_bytes()
        kind = Script if raw.lstrip().startswith(b"{") else tuple[ScriptedAnswer, ...]
        read = msgspec.json.decode(raw, type=kind)
    except OSError as error:
        raise ConfigError(str(path), "script", f"cannot be read: {error.strerror}", hint) from error
    except msgspec.DecodeError as error:
        raise ConfigError(str(path), "script", f"is not a script: {error}", hint) from error
    if not isinstance(read, Script):
        read = Script(read)
    return msgspec.structs.replace(read, folder=str(path.absolute().parent))


class Scripted:
    """A provider that answers from a script."""

    name = SCRIPTED

    def __init__(self, script: Script) -> None:
        self.script = script
        self._used: dict[str, set[int]] = {}
        self._readings: dict[str, _Reading] = {}
        self.requests: deque[ModelRequest] = deque(maxlen=_KEPT_REQUESTS)
        """What was asked last, for the tests that play the script."""

    async def models(self) -> tuple[ModelInfo, ...]:
        return self.script.models

    @asynccontextmanager
    async def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[AsyncIterator[ModelEvent], None]:
        self.requests.append(request)
        reading = self._readings.setdefault(request.cache_key, _Reading())
        if (problem := reading.problem(request.messages)) is not None:
            raise ProviderError(f"malformed conversation: {problem}", retryable=False)
        answer = self._next(request)
        if answer.expect is not None and answer.expect not in _results(request.messages):
            raise ProviderError(
                f"the script expects {answer.expect!r} in the results of the last tool calls",
                retryable=False,
                kind="request",
            )
        async with aclosing(self._played(answer, request)) as events:
            yield events

    async def aclose(self) -> None:
        self._used.clear()

    def _next(self, request: ModelRequest) -> ScriptedAnswer:
        used = self._used.get(request.cache_key)
        if used is None:
            used = self._used[request.cache_key] = self._played_before(request.messages)
        prompt = _prompt(request.messages)
        found = self._fitting(prompt, used)
        if found is None:
            raise ProviderError(
                f"the script has no answer left for the prompt {prompt[:80]!r}",
                retryable=False,
                kind="request",
            )
        return self.script.answers[found]

    def _fitting(self, prompt: str, used: set[int], *, whole: bool = False) -> int | None:
        """The next answer to a prompt, which is used then; `whole`: one that did not fail."""
        for index, answer in enumerate(self.script.answers):
            if index in used or answer.when not in prompt:
                continue
            if not answer.repeat:
                used.add(index)
            if not (whole and answer.fault):
                return index
        return None

    def _played_before(self, messages: tuple[Message, ...]) -> set[int]:
        """What an earlier process has played of this conversation."""
        used: set[int] = set()
        for position, message in enumerate(messages):
            if isinstance(message, AgentMessage):
                self._fitting(_prompt(messages[:position]), used, whole=True)
        return used

    async def _played(
        self, answer: ScriptedAnswer, request: ModelRequest
    ) -> AsyncGenerator[ModelEvent, None]:
        calls = tuple(_calls(answer, request.messages))
        events: list[ModelEvent] = [
            *(ThoughtDelta(piece) for piece in _pieces(answer.thought)),
            *(TextDelta(piece) for piece in _pieces(answer.text)),
            *(CallBegun(call.id, call.name) for call in calls),
        ]
        for index, event in enumerate(events):
            await self._pause(answer, index)
            yield event
        # What is to happen after more pieces than there are happens at the end.
        for index in range(len(events), _last_place(answer, len(events)) + 1):
            await self._pause(answer, index)
        cause = answer.cause or ("tool_calls" if calls else "end")
        yield Answer(_message(answer, calls), cause, answer.usage)

    async def _pause(self, answer: ScriptedAnswer, index: int) -> None:
        """What the script wants before the piece with this number."""
        wait, fault = answer.wait, answer.fault
        if wait is not None and wait.after == index:
            folder = Path(self.script.folder)
            if wait.mark is not None:
                (folder / wait.mark).touch()
            while not (folder / wait.file).exists():  # noqa: ASYNC110
                await asyncio.sleep(_LOOK_AGAIN)
        if fault is not None and fault.after == index:
            raise ProviderError(
                fault.text,
                retryable=fault.retryable,
                retry_after=fault.retry_after,
                kind=fault.kind,
            )


def malformation(messages: tuple[Message, ...]) -> str | None:
    """What a strict model API would refuse in a conversation, or `None`."""
    return _Reading().problem(messages)


class _Reading:
    """Reads a conversation as it grows, so that a long one is not read anew for each request."""

    def __init__(self) -> None:
        self._forget()

    def problem(self, messages: tuple[Message, ...]) -> str | None:
        if not messages or not isinstance(messages[0], UserMessage):
            return "it does not begin with the user"
        if isinstance(messages[-1], AgentMessage):
            return "it ends with the model"
        if messages[: len(self._messages)] != self._messages:
            self._forget()
        for message in messages[len(self._messages) :]:
            if (problem := self._problem_of(message)) is not None:
                self._forget()
                return problem
        self._messages = messages
        return None

    def _forget(self) -> None:
        self._messages: tuple[Message, ...] = ()
        self._ids: set[str] = set()
        self._expected: tuple[CallPart, ...] = ()

    def _problem_of(self, message: Message) -> str | None:
        expected = self._expected
        self._expected = message.calls if isinstance(message, AgentMessage) else ()
        if isinstance(message, ToolMessage):
            if [result.call_id for result in message.results] != [call.id for call in expected]:
                return "the results are not those of the calls before them"
            if not expected:
                return "there are results of no calls"
        elif expected:
            return "there are calls without results"
        elif not message.content:
            return "a message is empty"
        for call in self._expected:
            if call.id in self._ids:
                return f"the id {call.id!r} is used twice"
            self._ids.add(call.id)
        return None


def _prompt(messages: tuple[Message, ...]) -> str:
    for message in reversed(messages):
        if isinstance(message, UserMessage):
            return "\n".join(part.text for part in message.content if isinstance(part, TextPart))
    return ""


def _results(messages: tuple[Message, ...]) -> str:
    last = messages[-1]
    if not isinstance(last, ToolMessage):
        return ""
    return "\n".join(result.text for result in last.results)


def _pieces(text: str | list[str]) -> list[str]:
    given = [text] if isinstance(text, str) else text
    return [piece for piece in given if piece]


def _last_place(answer: ScriptedAnswer, pieces: int) -> int:
    places = [each.after for each in (answer.wait, answer.fault) if each is not None]
    return max(places, default=pieces)


def _calls(answer: ScriptedAnswer, messages: tuple[Message, ...]) -> Iterator[CallPart]:
    before = sum(len(each.calls) for each in messages if isinstance(each, AgentMessage))
    for number, call in enumerate(answer.calls, start=before + 1):
        yield CallPart(call.id or f"call_{number}", call.name, call.arguments, call.malformed)


def _message(answer: ScriptedAnswer, calls: tuple[CallPart, ...]) -> AgentMessage:
    thought, text = "".join(_pieces(answer.thought)), "".join(_pieces(answer.text))
    return AgentMessage(
        (
            *((ThinkingPart(thought, SCRIPTED),) if thought else ()),
            *((TextPart(text),) if text else ()),
            *calls,
        )
    )
