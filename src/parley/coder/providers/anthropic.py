"""Models behind Anthropic's Messages API, at Anthropic or wherever else it is spoken.

This file sends and receives; `anthropic_request` and `anthropic_stream` know the format.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

import msgspec
from msgspec import Struct

from parley.coder.errors import ProviderError
from parley.coder.providers.answering import answered
from parley.coder.providers.anthropic_request import request_body
from parley.coder.providers.anthropic_stream import AnthropicStream
from parley.coder.providers.catalogue import described, known, ordered
from parley.coder.providers.failure import Place
from parley.coder.providers.growing import Growing
from parley.coder.providers.http import Http, Timeouts
from parley.coder.providers.provider import ModelEvent, ModelInfo, ModelRequest

API_VERSION = "2023-06-01"
MODELS_WITHIN = 2.0
"""Seconds that the list of models may take; a person waits for it."""


class _Ability(Struct, frozen=True):
    supported: bool | None = None


class _Abilities(Struct):
    image_input: _Ability = _Ability()
    thinking: _Ability = _Ability()


class _Model(Struct):
    id: str
    display_name: str | None = None
    max_input_tokens: int | None = None
    max_tokens: int | None = None
    capabilities: _Abilities | None = None


class _Models(Struct):
    data: list[_Model]


class Anthropic:
    """A provider of models over the Messages API."""

    def __init__(
        self,
        base_url: str,
        key: str = "",
        *,
        name: str = "anthropic",
        key_hint: str = "ANTHROPIC_API_KEY",
        models: tuple[ModelInfo, ...] = (),
        timeouts: Timeouts | None = None,
    ) -> None:
        """`models` are those that the user named; a local server may want no key."""
        self.name = name
        base_url = base_url.rstrip("/").removesuffix("/v1")
        self._http = Http(Place(name, base_url, key_hint, (key,)), timeouts=timeouts)
        self._headers = {"anthropic-version": API_VERSION, **({"x-api-key": key} if key else {})}
        self._configured = models
        self._growing = Growing()

    async def models(self) -> tuple[ModelInfo, ...]:
        try:
            found = await self._http.get_json(
                "/v1/models?limit=1000", self._headers, within=MODELS_WITHIN
            )
            listed = msgspec.convert(found, _Models).data
        except (ProviderError, msgspec.ValidationError):
            listed = []
        return ordered(
            described(self._configured, provider=self.name),
            tuple(self._info(model) for model in listed),
            provider=self.name,
        )

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[ModelEvent]]:
        place, body = self._http.place, request_body(request, self.name, self._growing)
        async with (
            self._http.open_stream("/v1/messages", self._headers, body) as received,
            aclosing(answered(received, AnthropicStream(request, place), place)) as events,
        ):
            yield events

    async def aclose(self) -> None:
        await self._http.aclose()

    def _info(self, model: _Model) -> ModelInfo:
        info = known(model.id, provider=self.name)
        abilities = model.capabilities or _Abilities()
        images, thinking = abilities.image_input.supported, abilities.thinking.supported
        return msgspec.structs.replace(
            info,
            name=model.display_name or info.name,
            context_window=model.max_input_tokens or info.context_window,
            max_output=model.max_tokens or info.max_output,
            images=info.images if images is None else images,
            thinking=info.thinking if thinking is None else thinking,
        )
