"""Models behind the Gemini API.

This file sends and receives; `gemini_request` and `gemini_stream` know the format. The key
travels in a header: addresses end up in logs.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from urllib.parse import quote

import msgspec
from msgspec import Struct

from parley.coder.errors import ProviderError
from parley.coder.providers.answering import answered
from parley.coder.providers.catalogue import can_chat, described, known, ordered
from parley.coder.providers.failure import Place
from parley.coder.providers.gemini_request import request_body
from parley.coder.providers.gemini_stream import GeminiStream
from parley.coder.providers.growing import Growing
from parley.coder.providers.http import Http, Timeouts
from parley.coder.providers.provider import ModelEvent, ModelInfo, ModelRequest

MODELS_WITHIN = 2.0
"""Seconds that the list of models may take; a person waits for it."""


class _Model(Struct, rename="camel"):
    name: str
    display_name: str | None = None
    input_token_limit: int | None = None
    output_token_limit: int | None = None
    supported_generation_methods: list[str] | None = None
    thinking: bool | None = None

    @property
    def talks(self) -> bool:
        return "generateContent" in (self.supported_generation_methods or ())


class _Models(Struct):
    models: list[_Model]


class Gemini:
    """A provider of Gemini models."""

    def __init__(
        self,
        base_url: str,
        key: str = "",
        *,
        name: str = "gemini",
        key_hint: str = "GEMINI_API_KEY",
        models: tuple[ModelInfo, ...] = (),
        timeouts: Timeouts | None = None,
    ) -> None:
        """`models` are those that the user named."""
        self.name = name
        base_url = base_url.rstrip("/").removesuffix("/v1beta")
        self._http = Http(Place(name, base_url, key_hint, (key,)), timeouts=timeouts)
        self._headers = {"x-goog-api-key": key} if key else {}
        self._configured = models
        self._growing = Growing()

    async def models(self) -> tuple[ModelInfo, ...]:
        try:
            found = await self._http.get_json(
                "/v1beta/models?pageSize=1000", self._headers, within=MODELS_WITHIN
            )
            listed = msgspec.convert(found, _Models).models
        except (ProviderError, msgspec.ValidationError):
            listed = []
        talking = (model for model in listed if can_chat(model.name) and model.talks)
        return ordered(
            described(self._configured, provider=self.name),
            tuple(self._info(model) for model in talking),
            provider=self.name,
        )

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[ModelEvent]]:
        model = quote(request.model.id.removeprefix("models/"), safe="")
        path = f"/v1beta/models/{model}:streamGenerateContent?alt=sse"
        place, body = self._http.place, request_body(request, self.name, self._growing)
        async with (
            self._http.open_stream(path, self._headers, body) as received,
            aclosing(answered(received, GeminiStream(request, place), place)) as events,
        ):
            yield events

    async def aclose(self) -> None:
        await self._http.aclose()

    def _info(self, model: _Model) -> ModelInfo:
        info = known(model.name.removeprefix("models/"), provider=self.name)
        return msgspec.structs.replace(
            info,
            name=model.display_name or info.name,
            context_window=model.input_token_limit or info.context_window,
            max_output=model.output_token_limit or info.max_output,
            thinking=info.thinking if model.thinking is None else model.thinking,
        )
