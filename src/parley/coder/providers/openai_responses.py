"""Models behind OpenAI's Responses API, at OpenAI or wherever else it is spoken.

This file sends and receives; `openai_responses_request` and `openai_responses_stream` know the
format.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager

from parley.coder.errors import ProviderError
from parley.coder.providers.answering import answered
from parley.coder.providers.failure import Place
from parley.coder.providers.growing import Growing
from parley.coder.providers.http import EventStream, Http, Timeouts
from parley.coder.providers.openai_chat import bearer, offered
from parley.coder.providers.openai_responses_request import request_body
from parley.coder.providers.openai_responses_stream import ResponsesReader
from parley.coder.providers.provider import ModelEvent, ModelInfo, ModelRequest


class OpenAIResponses:
    """A provider of models over the Responses API."""

    def __init__(
        self,
        base_url: str,
        key: str = "",
        *,
        name: str = "openai",
        key_hint: str = "OPENAI_API_KEY",
        models: tuple[ModelInfo, ...] = (),
        headers: Mapping[str, str] | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        """`base_url` ends before `/responses`; a local server needs no key."""
        self.name = name
        place = Place(name, base_url, key_hint, (key,) if key else ())
        self._http = Http(place, timeouts=timeouts)
        self._headers = {**bearer(key), **(headers or {})}
        self._configured = models
        self._growing = Growing()
        self._summaries = True

    async def models(self) -> tuple[ModelInfo, ...]:
        return await offered(self._http, self._headers, self._configured)

    @asynccontextmanager
    async def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[AsyncIterator[ModelEvent], None]:
        async with AsyncExitStack() as stack:
            stream = await self._opened(stack, request)
            reader = ResponsesReader(request, self._http.place)
            yield await stack.enter_async_context(
                aclosing(answered(stream, reader, self._http.place))
            )

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _opened(self, stack: AsyncExitStack, request: ModelRequest) -> EventStream:
        try:
            return await self._post(stack, request)
        except ProviderError as error:
            # Readable reasoning is for verified organisations only. The others get their answer.
            if not self._summaries or error.kind != "request" or "summar" not in str(error):
                raise
            self._summaries = False
        return await self._post(stack, request)

    async def _post(self, stack: AsyncExitStack, request: ModelRequest) -> EventStream:
        body = request_body(
            request, provider=self.name, summaries=self._summaries, growing=self._growing
        )
        return await stack.enter_async_context(
            self._http.open_stream("/responses", self._headers, body)
        )
