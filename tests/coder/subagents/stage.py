"""A stage on which several conversations go on at once: each has a part of its own to be played."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from parley.coder.message import CallPart, TextPart, ToolMessage, ToolResult, UserMessage
from parley.coder.providers.provider import ModelInfo, ModelRequest
from parley.coder.settings import CoderSettings
from parley.coder.tools.agent import Agent
from parley.coder.tools.tool import Tool
from parley.session.event import NoticeGiven, ToolCallChanged
from tests.coder.stage import Played, Stage, Step, Watcher

Part = Sequence[Sequence[Step]]
"""The answers of one conversation."""


class Cast(Played):
    """Plays a part for each conversation, found by a word of what it begins with."""

    def __init__(self, models: tuple[ModelInfo, ...] | None, parts: Mapping[str, Part]) -> None:
        super().__init__(models=models)
        self.parts = {name: list(part) for name, part in parts.items()}
        self._names: dict[str, str] = {}

    def next(self, request: ModelRequest) -> Sequence[Step]:
        return self.parts[self._name(request)].pop(0)

    def asked(self, name: str) -> list[ModelRequest]:
        """The requests of one conversation."""
        return [each for each in self.requests if self._name(each) == name]

    def results(self, name: str = "go") -> tuple[ToolResult, ...]:
        """What the model of a conversation was given last of its calls."""
        last = self.asked(name)[-1].messages[-1]
        assert isinstance(last, ToolMessage)
        return last.results

    def texts(self, name: str) -> list[str]:
        """The text of all results that the model of a conversation was given."""
        messages = self.asked(name)[-1].messages
        results = (each.results for each in messages if isinstance(each, ToolMessage))
        return [result.text for some in results for result in some]

    def _name(self, request: ModelRequest) -> str:
        # What it begins with may be a summary later.
        if request.cache_key not in self._names:
            first = request.messages[0]
            assert isinstance(first, UserMessage)
            text = "".join(part.text for part in first.content if isinstance(part, TextPart))
            found = next(name for name in self.parts if text.startswith(name))
            self._names[request.cache_key] = found
        return self._names[request.cache_key]


@asynccontextmanager
async def cast_stage(
    folder: Path,
    *tools: Tool,
    settings: CoderSettings | None = None,
    client: Watcher | None = None,
    models: tuple[ModelInfo, ...] | None = None,
    parts: Mapping[str, Part],
) -> AsyncGenerator[tuple[Stage, Cast]]:
    """A stage with the tool `agent` and a new session; the session itself plays the part `go`."""
    cast = Cast(models, parts)
    stage = Stage(folder, cast, (*tools, Agent()), settings or FREE, client)
    try:
        await stage.application.initialize(stage.client)
        await stage.runtime.catalogue.learn("played")
        await stage.new()
        yield stage, cast
    finally:
        await stage.aclose()


def played(**parts: Part) -> dict[str, Part]:
    return parts


FREE = CoderSettings(mode="full-access")


def agent(id: str, prompt: str, **arguments: Any) -> CallPart:
    """A call that starts a sub-agent, which is called as the first word of its prompt."""
    described = {"description": prompt.split()[0].capitalize(), "prompt": prompt}
    return CallPart(id, "agent", {**described, **arguments})


def call(id: str, name: str, **arguments: Any) -> CallPart:
    return CallPart(id, name, arguments)


def told(stage: Stage, id: str) -> dict[str, Any]:
    """The last word on a tool call."""
    known: dict[str, Any] = {}
    for event in stage.events:
        if isinstance(event, ToolCallChanged) and event.id == id:
            members = {name: getattr(event, name) for name in event.__struct_fields__}
            known |= {name: value for name, value in members.items() if value is not msgspec.UNSET}
    return known


def shown(stage: Stage) -> list[tuple[str, str]]:
    """Every tool call, as it was called last and how it ended."""
    ids = dict.fromkeys(e.id for e in stage.events if isinstance(e, ToolCallChanged))
    return [(told(stage, id)["title"], told(stage, id)["status"]) for id in ids]


def notices(stage: Stage) -> list[str]:
    return [e.title for e in stage.events if isinstance(e, NoticeGiven)]
