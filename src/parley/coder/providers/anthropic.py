"""Models behind Anthropic's Messages API, at Anthropic or wherever else it is spoken.

This file sends and receives; `anthropic_request` and `anthropic_stream` know the format.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

import msgspec
from msgspec import Struct

from parley.coder.errors import ProviderError
from parley.coder.providers.anthropic_request import request_body
from parley.coder.providers.anthropic_stream import AnthropicStream
from parley.coder.providers.failure import Place, dropped
from parley.coder.providers.http import EventStream, Http, Timeouts
from parley.coder.providers.provider import Answer, ModelEvent, ModelInfo, ModelRequest

API_VERSION = "2023-06-01"
MODELS_WITHIN = 2.0
"""Seconds that the list of models may take; a person waits for it."""


class _Model(Struct):
    id: str
    display_name: str | None = None
    max_input_tokens: int | None = None
    max_tokens: int | None = None


class _Models(Struct):
    data: list[_Model]


class Anthropic:
    """A provider of models over the Messages API."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        name: str = "anthropic",
        key_hint: str = "ANTHROPIC_API_KEY",
        models: tuple[ModelInfo, ...] = (),
        describe: Callable[[str], ModelInfo] = ModelInfo,
        timeouts: Timeouts | None = None,
    ) -> None:
        """`models` are offered where the API lists none; `describe` says what is known of one."""
        self.name = name
        base_url = base_url.rstrip("/").removesuffix("/v1")
        self._http = Http(Place(name, base_url, key_hint, (key,)), timeouts=timeouts)
        # A local server that speaks this format may want no key.
        self._headers = {"anthropic-version": API_VERSION, **({"x-api-key": key} if key else {})}
        self._models = models
        self._describe = describe

    async def models(self) -> tuple[ModelInfo, ...]:
        try:
            found = await self._http.get_json(
                "/v1/models?limit=1000", self._headers, within=MODELS_WITHIN
            )
            listed = msgspec.convert(found, _Models).data
        except (ProviderError, msgspec.ValidationError):
            return self._models
        return tuple(self._info(model) for model in listed) or self._models

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[ModelEvent]]:
        body = request_body(request, self.name)
        async with (
            self._http.open_stream("/v1/messages", self._headers, body) as answer,
            aclosing(self._events(request, answer)) as events,
        ):
            yield events

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _events(
        self, request: ModelRequest, answer: EventStream
    ) -> AsyncGenerator[ModelEvent]:
        reader = AnthropicStream(request, self._http.place)
        async for received in answer:
            for event in reader.feed(received.data):
                yield event
                if isinstance(event, Answer):
                    return
        raise dropped(self._http.place)

    def _info(self, model: _Model) -> ModelInfo:
        known = self._describe(model.id)
        return msgspec.structs.replace(
            known,
            name=model.display_name or known.name,
            context_window=model.max_input_tokens or known.context_window,
            max_output=model.max_tokens or known.max_output,
        )
