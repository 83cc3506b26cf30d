"""Models behind the Gemini API.

This file sends and receives; `gemini_request` and `gemini_stream` know the format. The key
travels in a header: addresses end up in logs.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from urllib.parse import quote

import msgspec
from msgspec import Struct

from parley.coder.errors import ProviderError
from parley.coder.providers.call_id import random_id
from parley.coder.providers.failure import Place
from parley.coder.providers.gemini_request import request_body
from parley.coder.providers.gemini_stream import GeminiStream
from parley.coder.providers.http import EventStream, Http, Timeouts
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


class _Models(Struct):
    models: list[_Model]


class Gemini:
    """A provider of Gemini models."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        name: str = "gemini",
        key_hint: str = "GEMINI_API_KEY",
        models: tuple[ModelInfo, ...] = (),
        describe: Callable[[str], ModelInfo] = ModelInfo,
        timeouts: Timeouts | None = None,
        new_id: Callable[[], str] = random_id,
    ) -> None:
        """`models` are offered where the API lists none; `describe` says what is known of one."""
        self.name = name
        base_url = base_url.rstrip("/").removesuffix("/v1beta")
        self._http = Http(Place(name, base_url, key_hint, (key,)), timeouts=timeouts)
        self._headers = {"x-goog-api-key": key} if key else {}
        self._models = models
        self._describe = describe
        self._new_id = new_id

    async def models(self) -> tuple[ModelInfo, ...]:
        try:
            found = await self._http.get_json(
                "/v1beta/models?pageSize=1000", self._headers, within=MODELS_WITHIN
            )
            listed = msgspec.convert(found, _Models).models
        except (ProviderError, msgspec.ValidationError):
            return self._models
        talking = (
            model
            for model in listed
            if "generateContent" in (model.supported_generation_methods or ())
        )
        return tuple(self._info(model) for model in talking) or self._models

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[ModelEvent]]:
        model = quote(request.model.id.removeprefix("models/"), safe="")
        path = f"/v1beta/models/{model}:streamGenerateContent?alt=sse"
        body = request_body(request, self.name)
        async with (
            self._http.open_stream(path, self._headers, body) as answer,
            aclosing(self._events(request, answer)) as events,
        ):
            yield events

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _events(
        self, request: ModelRequest, answer: EventStream
    ) -> AsyncGenerator[ModelEvent]:
        reader = GeminiStream(request, self._http.place, self._new_id)
        async for received in answer:
            for event in reader.feed(received.data):
                yield event
        yield reader.answer()

    def _info(self, model: _Model) -> ModelInfo:
        known = self._describe(model.name.removeprefix("models/"))
        return msgspec.structs.replace(
            known,
            name=model.display_name or known.name,
            context_window=model.input_token_limit or known.context_window,
            max_output=model.output_token_limit or known.max_output,
            thinking=known.thinking if model.thinking is None else model.thinking,
        )
