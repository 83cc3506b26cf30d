"""What every model provider offers: a stream of what the model says, and the same errors.

One request, one answer. Retries, tools and the conversation are the loop's business; a provider
translates a `ModelRequest` into its wire format and what comes back into these events.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, Protocol

from msgspec import Struct

from parley.coder.message import AgentMessage, Message

ThoughtLevel = Literal["off", "low", "medium", "high"]


class ToolSpec(Struct, frozen=True):
    """A tool as the model is told about it; `schema` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]


class ModelInfo(Struct, frozen=True, omit_defaults=True):
    """What is known of a model. Prices are in US dollars per million tokens; `None` is unknown."""

    id: str
    name: str = ""
    context_window: int = 128_000
    max_output: int = 8_192
    images: bool = False
    thinking: bool = False
    price_input: float | None = None
    price_output: float | None = None
    price_cached: float | None = None
    """Of input that was read from a cache."""
    price_cache_write: float | None = None


class ModelRequest(Struct, frozen=True):
    model: ModelInfo
    system: str
    messages: tuple[Message, ...]
    """Well formed: see `parley.coder.message`."""
    tools: tuple[ToolSpec, ...] = ()
    thought_level: ThoughtLevel = "off"
    cache_key: str = ""
    """The same for all requests of one session, for APIs that route by it."""


class TextDelta(Struct, frozen=True):
    text: str


class ThoughtDelta(Struct, frozen=True):
    text: str


class CallBegun(Struct, frozen=True):
    """The model has begun to write a tool call; its arguments come with `Answer`."""

    id: str
    name: str


class ModelUsage(Struct, frozen=True, omit_defaults=True):
    """Tokens of one request. `input` counts all input, what came from a cache included."""

    input: int = 0
    output: int = 0
    """All output, reasoning included."""
    thought: int = 0
    cached_read: int = 0
    cached_write: int = 0


StopCause = Literal["end", "tool_calls", "max_tokens", "refusal"]


class Answer(Struct, frozen=True):
    """The last event of every stream that did not fail: the whole answer."""

    message: AgentMessage
    cause: StopCause
    usage: ModelUsage


ModelEvent = TextDelta | ThoughtDelta | CallBegun | Answer


class Provider(Protocol):
    """A source of models. Any number of streams may be open at once."""

    name: str
    """As in the configuration and before the slash in `anthropic/claude-...`."""

    async def models(self) -> tuple[ModelInfo, ...]:
        """The models to offer, the preferred one first; never fails, at worst it knows few."""
        ...

    def stream(
        self, request: ModelRequest
    ) -> AbstractAsyncContextManager[AsyncIterator[ModelEvent]]:
        """Send a request. Leaving the context ends the stream and frees its connection.

        Raises:
            ProviderError: at any point; everything else is a defect of the provider.
        """
        ...

    async def aclose(self) -> None: ...
