"""How local servers are found, and that providers are made when they are used."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parley.coder.config import Config, ProviderConfig, load
from parley.coder.errors import ProviderError
from parley.coder.message import TextPart, UserMessage
from parley.coder.providers.choice import choose
from parley.coder.providers.making import LazyProvider, find_local, providers_of
from parley.coder.providers.offline import Offline
from parley.coder.providers.provider import Answer, ModelEvent, ModelInfo, ModelRequest, Provider
from parley.coder.vendors import LocalServer

BOUND = 5
OPENAI = {"OPENAI_API_KEY": "k"}
ANTHROPIC = {"ANTHROPIC_API_KEY": "k"}


def made(config: Config) -> dict[str, Provider]:
    return providers_of(config, choose(config))


def test_all_configured_providers_are_offered_the_chosen_one_first(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), **OPENAI, **ANTHROPIC, "PARLEY_MODEL": "gpt-x"}
    assert list(made(load(environ))) == ["openai", "anthropic"]
    assert list(made(load({"HOME": str(tmp_path)}))) == ["offline"]


def test_a_script_is_played_when_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps([{"text": "hi"}]))
    environ = {"HOME": str(tmp_path), "PARLEY_PROVIDER": "scripted"}
    config = load(environ, {"script": str(tmp_path / "s.json")})
    scripted = made(config)["scripted"]
    request = ModelRequest(ModelInfo("m"), "", (UserMessage((TextPart("x"),)),))

    async def scenario() -> None:
        *_, last = await heard(scripted, request)
        assert isinstance(last, Answer)
        assert last.message.text == "hi"

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", ["openai", "responses", "anthropic", "gemini"])
def test_a_provider_is_made_with_its_key_when_it_is_used_first(tmp_path: Path, kind: str) -> None:
    text = f"[providers.mine]\ntype='{kind}'\nbase_url='http://127.0.0.1:9'\nkey='canary'\n"
    (tmp_path / "c.toml").write_text(text + "models=['m']\n")
    (tmp_path / "c.toml").chmod(0o600)
    provider = made(load({"HOME": str(tmp_path)}, {"config": str(tmp_path / "c.toml")}))["mine"]
    request = ModelRequest(ModelInfo("m"), "", (UserMessage((TextPart("x"),)),))

    async def scenario() -> None:
        async with asyncio.timeout(BOUND):
            # Nothing listens there, so it knows what the configuration says and no more.
            assert (await provider.models())[0].id == "m"
            with pytest.raises(ProviderError) as caught:
                await heard(provider, request)
            assert caught.value.kind == "network"
            assert "canary" not in str(caught.value)
            await provider.aclose()

    asyncio.run(scenario())


async def heard(provider: Provider, request: ModelRequest) -> list[ModelEvent]:
    async with provider.stream(request) as events:
        return [event async for event in events]


def test_a_provider_that_cannot_be_made_says_so_when_it_is_asked() -> None:
    def fail() -> Provider:
        raise ProviderError("no key", retryable=False, kind="auth")

    provider = LazyProvider("x", fail)

    async def scenario() -> None:
        assert await provider.models() == ()
        with pytest.raises(ProviderError, match="no key"):
            await heard(provider, ModelRequest(ModelInfo("m"), "", ()))
        await provider.aclose()

    asyncio.run(scenario())


def test_a_provider_is_made_once() -> None:
    count: list[int] = []

    def make() -> Provider:
        count.append(1)
        return Offline()

    async def scenario() -> None:
        provider = LazyProvider("x", make)
        await asyncio.gather(provider.models(), provider.models())
        await provider.aclose()

    asyncio.run(scenario())
    assert count == [1]


@asynccontextmanager
async def server(answer: bytes | None) -> AsyncGenerator[LocalServer, None]:
    """Something that listens on a port of its own and answers everything in the same way."""
    done = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if answer is None:
            await done.wait()
        else:
            writer.write(answer)
        writer.close()

    listening = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with listening:
        yield LocalServer("local", "Local", listening.sockets[0].getsockname()[1])
        done.set()


def listing(*models: object) -> bytes:
    return b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n" + json.dumps({"data": models}).encode()


def found(answer: bytes | None) -> tuple[ProviderConfig, ...]:
    async def scenario() -> tuple[ProviderConfig, ...]:
        async with asyncio.timeout(BOUND), server(answer) as local:
            return await find_local((local,), within=0.1 if answer is None else BOUND)

    return asyncio.run(scenario())


def test_a_local_server_is_found_with_its_models() -> None:
    models = ({"id": "text-embed"}, {"id": "llama3"}, {"no": "id"}, 3)
    (provider,) = found(listing(*models))
    assert (provider.name, provider.type, provider.key) == ("local", "openai", None)
    assert provider.models == ("llama3",)
    assert provider.base_url.startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        b"",
        b"HTTP/1.1 404 Not Found\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n<html>",
        b"HTTP/1.1 200 OK\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n{}",
        listing(),
        listing({"id": "embedder"}),
    ],
)
def test_what_is_no_model_server_is_not_taken_for_one(answer: bytes | None) -> None:
    assert found(answer) == ()


def test_a_server_that_does_not_hang_up_says_how_long_its_answer_is() -> None:
    body = json.dumps({"data": [{"id": "m"}]}).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert found(head + body + b"more")[0].models == ("m",)


def test_nobody_on_the_port_is_no_server() -> None:
    async def scenario() -> tuple[ProviderConfig, ...]:
        async with server(b"") as local:
            pass
        return await find_local((local,))

    assert asyncio.run(scenario()) == ()
