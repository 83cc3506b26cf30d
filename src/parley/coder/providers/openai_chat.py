"""Models behind chat completions: OpenAI, the many vendors that speak the same, local servers.

This file sends and receives; `openai_chat_request` and `openai_chat_stream` know the format.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from urllib.parse import urlsplit

from parley.coder.errors import ProviderError
from parley.coder.providers.answering import answered
from parley.coder.providers.catalogue import described, ordered
from parley.coder.providers.failure import Place
from parley.coder.providers.growing import Growing
from parley.coder.providers.http import Http, Timeouts
from parley.coder.providers.openai_chat_request import (
    Dialect,
    dialect_of,
    request_body,
)
from parley.coder.providers.openai_chat_stream import ChatReader
from parley.coder.providers.openai_models import free, models_from
from parley.coder.providers.provider import ModelEvent, ModelInfo, ModelRequest

MODELS_WITHIN = 2.0
"""Seconds that the list of models may take; a person waits for it."""
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


class OpenAIChat:
    """A provider of models over chat completions."""

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
        dialect: Dialect | None = None,
    ) -> None:
        """`base_url` ends before `/chat/completions`; a local server needs no key."""
        self.name = name
        place = Place(name, base_url, key_hint, (key,) if key else ())
        self._http = Http(place, timeouts=timeouts)
        self._headers = {**bearer(key), **(headers or {})}
        self._configured = models
        self._dialect = dialect or dialect_of(host_of(base_url))
        self._growing = Growing()

    async def models(self) -> tuple[ModelInfo, ...]:
        return await offered(self._http, self._headers, self._configured)

    @asynccontextmanager
    async def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[AsyncIterator[ModelEvent], None]:
        body = request_body(
            request, provider=self.name, dialect=self._dialect, growing=self._growing
        )
        reader = ChatReader(request, self._http.place, raw_text=self._dialect.raw_text)
        async with (
            self._http.open_stream("/chat/completions", self._headers, body) as stream,
            aclosing(answered(stream, reader, self._http.place)) as events,
        ):
            yield events

    async def aclose(self) -> None:
        await self._http.aclose()


def bearer(key: str) -> dict[str, str]:
    """The header that carries a key, if there is one."""
    return {"authorization": f"Bearer {key}"} if key else {}


def host_of(base_url: str) -> str:
    try:
        return urlsplit(base_url).hostname or ""
    except ValueError:
        return ""


async def offered(
    http: Http, headers: Mapping[str, str], configured: tuple[ModelInfo, ...]
) -> tuple[ModelInfo, ...]:
    """The models of a server: as it lists them, or as far as they are known."""
    provider = http.place.name
    try:
        document = await http.get_json("/models", headers, within=MODELS_WITHIN)
    except ProviderError:
        document = None
    models = ordered(
        described(configured, provider=provider),
        models_from(document, provider=provider),
        provider=provider,
    )
    return free(models) if host_of(http.place.base_url) in LOCAL_HOSTS else models
