"""Stands in where no model is configured: plain commands become tool calls of the real loop.

It is no model and says so. It keeps nothing between requests: which step comes next follows from
the conversation alone, so a session can be loaded and continued like any other.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from msgspec import Struct

from parley.coder.message import (
    AgentMessage,
    CallPart,
    Message,
    TextPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from parley.coder.providers.offline_language import (
    Command,
    CreateFile,
    Help,
    ListFiles,
    NotUnderstood,
    ReadFile,
    ReplaceText,
    RunCommand,
    SearchText,
    commands_in,
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
from parley.coder.vendors import OFFLINE, OFFLINE_MODEL

MODEL = ModelInfo(
    OFFLINE_MODEL.partition("/")[2], name="Offline commands (no model)", context_window=1_000_000
)

HOW_TO_CONFIGURE = """\
To use a model, set one of ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY \
in your environment, or run `parley acp --login`. A local server (Ollama, LM Studio, llama.cpp, \
vLLM) is found by itself. `parley doctor` shows what was found."""

NO_MODEL = """\
No model is configured, so I understand plain commands only. `help` shows them, and how to use a \
model."""

ABILITIES = """\
These plain commands work without a model:

- `list src`
- `read src/app.py`
- `search "some text" in src`
- `replace "old text" with "new text" in src/app.py`
- `create notes.txt with "some text"`
- `run pytest -q`

Several are joined by `then`, `;` or line breaks. Text with blanks goes into quotes."""

_SHOWN = 4_000
"""Characters of a result that are repeated in the answer; the whole is in the tool call."""


class _Step(Struct, frozen=True):
    """One tool call, and what is said before it."""

    said: str
    tool: str
    arguments: dict[str, Any]


class Offline:
    """A provider without a model."""

    name = OFFLINE

    async def models(self) -> tuple[ModelInfo, ...]:
        return (MODEL,)

    @asynccontextmanager
    async def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[AsyncIterator[ModelEvent], None]:
        yield _events(_answer(request))

    async def aclose(self) -> None:
        pass


async def _events(message: AgentMessage) -> AsyncIterator[ModelEvent]:
    if message.text:
        yield TextDelta(message.text)
    for call in message.calls:
        yield CallBegun(call.id, call.name)
    yield Answer(message, "tool_calls" if message.calls else "end", ModelUsage())


def _answer(request: ModelRequest) -> AgentMessage:
    """What comes next in the conversation."""
    prompt, results = _since_the_prompt(request.messages)
    commands = _understood(prompt)
    if isinstance(commands, NotUnderstood):
        return _said(_not_understood(commands))
    if Help() in commands:
        return _said(f"{ABILITIES}\n\n{HOW_TO_CONFIGURE}")
    steps = _all_steps(commands)
    done = len(results)
    if results and results[-1].is_error:
        return _said(_failed(results[-1], len(steps) - done))
    if done >= len(steps):
        return _said(_finished(results))
    step = steps[done]
    if step.tool not in {tool.name for tool in request.tools}:
        return _said(f"The tool `{step.tool}` is not available here, so I stop.")
    number = sum(len(each.calls) for each in request.messages if isinstance(each, AgentMessage))
    return AgentMessage(
        (TextPart(step.said), CallPart(f"offline_{number + 1}", step.tool, step.arguments))
    )


def _said(text: str) -> AgentMessage:
    return AgentMessage((TextPart(text),))


def _since_the_prompt(messages: tuple[Message, ...]) -> tuple[UserMessage, list[ToolResult]]:
    """The last prompt, and the results of the calls that were made for it."""
    results: list[ToolResult] = []
    for message in reversed(messages):
        if isinstance(message, UserMessage):
            return message, results[::-1]
        if isinstance(message, ToolMessage):
            results.extend(reversed(message.results))
    return UserMessage(()), results


def _understood(prompt: UserMessage) -> tuple[Command, ...] | NotUnderstood:
    """The commands of a prompt. An editor adds files and selections as parts of their own."""
    texts = [part.text for part in prompt.content if isinstance(part, TextPart)]
    readings = [commands_in(text) for text in texts if text.strip()]
    for reading in readings:
        if not isinstance(reading, NotUnderstood):
            return reading
    first = readings[0] if readings else None
    return first if isinstance(first, NotUnderstood) else NotUnderstood("")


def _all_steps(commands: tuple[Command, ...]) -> list[_Step]:
    steps: list[_Step] = []
    for command in commands:
        for step in _steps(command):
            # What was read a step before need not be read once more before it is changed.
            if not (isinstance(command, ReplaceText) and step in steps[-1:]):
                steps.append(step)
    return steps


def _steps(command: Command) -> tuple[_Step, ...]:
    match command:
        case ListFiles(path):
            return (_Step(f"Listing `{path}`.", "list_files", {"path": path}),)
        case ReadFile(path):
            return (_read(path),)
        case SearchText(text, path):
            arguments = {"pattern": _literal(text)} | ({"path": path} if path else {})
            return (_Step(f"Searching for `{text}`.", "grep", arguments),)
        case ReplaceText(old, new, path, everywhere):
            edit = {"old_text": old, "new_text": new} | (
                {"replace_all": True} if everywhere else {}
            )
            change = _Step(
                f"Replacing text in `{path}`.", "edit_file", {"path": path, "edits": [edit]}
            )
            return (_read(path), change)
        case CreateFile(path, content):
            arguments = {"path": path, "content": content}
            return (_Step(f"Writing `{path}`.", "write_file", arguments),)
        case RunCommand(line):
            return (_Step(f"Running `{line}`.", "bash", {"command": line}),)
        case Help():
            return ()


def _read(path: str) -> _Step:
    return _Step(f"Reading `{path}`.", "read_file", {"path": path})


def _literal(text: str) -> str:
    """A regular expression that matches the text itself, in every dialect."""
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text)


def _not_understood(piece: NotUnderstood) -> str:
    text = " ".join(piece.text.split())
    shown = text if len(text) <= 80 else f"{text[:79]}…"
    opening = f"I do not understand “{shown}”. " if shown else ""
    return f"{opening}{ABILITIES}\n\n{HOW_TO_CONFIGURE}"


def _failed(result: ToolResult, left: int) -> str:
    rest = {0: "", 1: " One step is left undone."}.get(left, f" {left} steps are left undone.")
    return f"`{result.name}` failed, so I stop.{rest}\n\n{_fenced(result.text)}"


def _finished(results: list[ToolResult]) -> str:
    last = results[-1]
    count = "One step" if len(results) == 1 else f"All {len(results)} steps"
    return f"{count} done. The result of `{last.name}`:\n\n{_fenced(last.text)}"


def _fenced(text: str) -> str:
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}\n… ({len(text) - _SHOWN} more characters)"
    # A fence must be longer than any in the text.
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"
