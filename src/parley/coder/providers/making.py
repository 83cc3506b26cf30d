"""Makes the providers that were chosen, and finds those that run on this machine.

Nothing heavy is imported here. A provider is made when it is used first, in a worker thread: only
then are its libraries loaded and its key looked up.
"""

import asyncio
import importlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

from parley.coder.config import Config, ProviderConfig
from parley.coder.errors import ProviderError
from parley.coder.providers.catalogue import known
from parley.coder.providers.choice import Choice
from parley.coder.providers.offline import Offline
from parley.coder.providers.provider import ModelEvent, ModelInfo, ModelRequest, Provider
from parley.coder.providers.scripted import Scripted, read_script
from parley.coder.vendors import LOCAL_SERVERS, OFFLINE, SCRIPTED, LocalServer

PROBE_SECONDS = 0.3
"""A server on this machine that needs longer than this to list its models is not there."""
_ANSWER_LIMIT = 1024 * 1024
_MAKERS = {
    "openai": ("parley.coder.providers.openai_chat", "OpenAIChat"),
    "responses": ("parley.coder.providers.openai_responses", "OpenAIResponses"),
    "anthropic": ("parley.coder.providers.anthropic", "Anthropic"),
    "gemini": ("parley.coder.providers.gemini", "Gemini"),
}


def providers_of(config: Config, choice: Choice) -> dict[str, Provider]:
    """All providers that a session may choose from, the chosen one first.

    Raises:
        ConfigError: a script is wanted and cannot be read.
    """
    made: dict[str, Provider] = {}
    if choice.provider == SCRIPTED:
        made[SCRIPTED] = Scripted(read_script(Path(config.script or "")))
    elif choice.provider == OFFLINE:
        made[OFFLINE] = Offline()
    for entry in sorted(config.providers, key=lambda each: each.name != choice.provider):
        made[entry.name] = LazyProvider(entry.name, lambda entry=entry: _made(entry))
    return made


async def find_local(
    servers: tuple[LocalServer, ...] = LOCAL_SERVERS, *, within: float = PROBE_SECONDS
) -> tuple[ProviderConfig, ...]:
    """The model servers that answer on this machine, each with its models."""
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(_probed(server, within)) for server in servers]
    return tuple(found for task in asked if (found := task.result()) is not None)


class LazyProvider:
    """A provider that is made when it is needed first."""

    def __init__(self, name: str, make: Callable[[], Provider]) -> None:
        self.name = name
        self._make = make
        self._made: Provider | None = None
        self._making = asyncio.Lock()

    async def models(self) -> tuple[ModelInfo, ...]:
        try:
            provider = await self._provider()
        except ProviderError:
            # Who asks it for an answer is told what is wrong with it.
            return ()
        return await provider.models()

    @asynccontextmanager
    async def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[AsyncIterator[ModelEvent], None]:
        provider = await self._provider()
        async with provider.stream(request) as events:
            yield events

    async def aclose(self) -> None:
        if self._made is not None:
            await self._made.aclose()

    async def _provider(self) -> Provider:
        async with self._making:
            if self._made is None:
                self._made = await asyncio.to_thread(self._make)
            return self._made


def _made(entry: ProviderConfig) -> Provider:
    module, name = _MAKERS[entry.type]
    make = cast("Callable[..., Provider]", getattr(importlib.import_module(module), name))
    key = entry.key.reveal(entry.name) if entry.key else ""
    return make(
        entry.base_url,
        key,
        name=entry.name,
        key_hint=entry.key_hint,
        models=tuple(known(model, provider=entry.name) for model in entry.models),
    )


async def _probed(server: LocalServer, within: float) -> ProviderConfig | None:
    with suppress(OSError, EOFError, ValueError):
        async with asyncio.timeout(within):
            models = await _models_at(server.port)
        return ProviderConfig(
            server.name,
            server.title,
            "openai",
            f"http://127.0.0.1:{server.port}/v1",
            None,
            models,
            "",
            f"a server on port {server.port}",
        )
    return None


async def _models_at(port: int) -> tuple[str, ...]:
    """Ask for a list of models, by hand: a library for this takes longer to load than to answer.

    Raises:
        ValueError: what answers is no model server, or it has no models.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=_ANSWER_LIMIT)
    try:
        # Version 1.0 keeps servers from sending the answer in chunks.
        writer.write(b"GET /v1/models HTTP/1.0\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        if b" 200" not in await reader.readline():
            raise ValueError("it has no list of models")
        return _model_ids(json.loads(await _body(reader)))
    finally:
        writer.close()


async def _body(reader: asyncio.StreamReader) -> bytes:
    """What follows the headers: as long as they say, or until the server hangs up."""
    size = -1
    while header := (await reader.readline()).strip():
        name, _, value = header.partition(b":")
        if name.lower() == b"content-length":
            size = min(int(value), _ANSWER_LIMIT)
    if size >= 0:
        return await reader.readexactly(size)
    body = b""
    while len(body) < _ANSWER_LIMIT and (piece := await reader.read(_ANSWER_LIMIT)):
        body += piece
    return body


def _model_ids(document: Any) -> tuple[str, ...]:
    match document:
        case {"data": [*models]}:
            found = [each["id"] for each in models if _has_id(each)]
        case _:
            found = []
    # Servers list models for embeddings too, which cannot answer.
    able = [each for each in found if "embed" not in each.lower()]
    if not able:
        raise ValueError("it has no models")
    return tuple(able)


def _has_id(model: Any) -> bool:
    match model:
        case {"id": str()}:
            return True
        case _:
            return False
