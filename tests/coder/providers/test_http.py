"""Everything that can happen on the way to a model becomes events or one `ProviderError`."""

import asyncio
import socket
import sys
from typing import Any

import pytest

from parley.coder.errors import ProviderError
from parley.coder.providers import http
from parley.coder.providers.failure import Place
from parley.coder.providers.http import Http, Timeouts, warm
from parley.coder.providers.sse import EVENT_LIMIT, ServerEvent
from tests.coder.providers.fakes.echo import Echo
from tests.coder.providers.fakes.reply import (
    Cut,
    Inject,
    Script,
    Silent,
    Slow,
    Stall,
    Status,
    huge_event,
    says,
)
from tests.coder.providers.fakes.server import WAIT, FakeServer

KEY = "sk-very-secret-key"
QUICK = Timeouts(connect=1, first_byte=0.2, between=0.2, error_body=0.2)
PATIENT = Timeouts()
ONE_TWO = says("one", "two")


def place(url: str) -> Place:
    return Place("echo", url, "ECHO_API_KEY", (KEY,))


async def collected(door: Http, into: list[ServerEvent]) -> None:
    async with asyncio.timeout(WAIT):
        headers = {"authorization": f"Bearer {KEY}"}
        async with door.open_stream("/talk", headers, {"n": 1}) as stream:
            async for event in stream:
                into.append(event)


def talk(script: Script, timeouts: Timeouts = PATIENT) -> tuple[list[str], ProviderError | None]:
    """What came, and how it failed, if it did."""
    events: list[ServerEvent] = []

    async def scenario(url: str) -> None:
        door = Http(place(url), timeouts=timeouts)
        try:
            await collected(door, events)
        finally:
            await door.aclose()

    failure = None
    with FakeServer(Echo(), script) as server:
        try:
            asyncio.run(scenario(server.url))
        except ProviderError as error:
            failure = error
    if failure is not None:
        # A traceback on stderr shows causes and contexts too.
        assert KEY not in str(failure)
        assert failure.__suppress_context__ or failure.__context__ is None
    return [event.data for event in events], failure


def failed(script: Script, timeouts: Timeouts = PATIENT) -> ProviderError:
    failure = talk(script, timeouts)[1]
    assert failure is not None
    return failure


def test_events_come_as_the_server_sends_them() -> None:
    assert talk([ONE_TWO]) == (["one", "two"], None)


def test_the_request_carries_headers_and_body_below_the_base_url() -> None:
    async def scenario(url: str) -> None:
        door = Http(place(url + "/"))
        await collected(door, [])
        await door.aclose()

    with FakeServer(Echo(), [ONE_TWO]) as server:
        asyncio.run(scenario(server.url))
    (request,) = server.requests
    assert (request.path, request.body) == ("/v1/talk", {"n": 1})
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"


def test_a_connection_is_used_again_and_many_streams_are_open_at_once() -> None:
    async def scenario(url: str) -> None:
        door = Http(place(url))
        await collected(door, [])
        await collected(door, [])
        async with asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(collected(door, []))
        await door.aclose()

    with FakeServer(Echo(), lambda request: Slow(ONE_TWO, 0.05)) as server:
        asyncio.run(scenario(server.url))
    assert len(server.requests) == 10
    assert server.connections == 8


def test_leaving_the_context_hangs_up() -> None:
    async def scenario(server: FakeServer) -> None:
        door = Http(place(server.url))
        async with door.open_stream("/talk", {}, {}) as stream:
            assert (await anext(aiter(stream))).data == "one"
        await asyncio.to_thread(server.wait, lambda: server.hung_up == 1)
        await door.aclose()

    with FakeServer(Echo(), [Stall(ONE_TWO, after=1)]) as server:
        asyncio.run(scenario(server))


def test_cancelling_hangs_up_before_the_first_byte_too() -> None:
    async def scenario(server: FakeServer) -> None:
        door = Http(place(server.url))
        async with asyncio.TaskGroup() as group:
            task = group.create_task(collected(door, []))
            await asyncio.to_thread(server.wait, lambda: len(server.requests) == 1)
            task.cancel()
        await asyncio.to_thread(server.wait, lambda: server.hung_up == 1)
        await door.aclose()

    with FakeServer(Echo(), [Silent()]) as server:
        asyncio.run(scenario(server))


def test_a_status_becomes_an_error_with_the_words_of_the_api() -> None:
    error = failed([Status(429, {"retry-after": "7"}, "slow down")])
    assert (error.kind, error.retryable, error.retry_after) == ("limit", True, 7.0)
    assert "slow down" in str(error)


def test_the_key_is_taken_out_of_what_the_api_says() -> None:
    error = failed([Status(400, message=f"bad header Bearer {KEY}")])
    assert (error.kind, error.retryable) == ("request", False)
    assert "Bearer [key]" in str(error)


def test_an_error_body_that_never_ends_still_gives_its_status() -> None:
    error = failed([Status(500, {"content-length": "99"}, body=b"half")], Timeouts(error_body=0.2))
    assert (error.kind, error.retryable) == ("server", True)


def test_an_error_body_that_breaks_off_still_gives_its_status() -> None:
    error = failed([Status(503, {"content-encoding": "gzip"}, body=b"not gzip")])
    assert (error.kind, error.retryable) == ("server", True)


def test_only_the_beginning_of_a_large_error_body_is_read() -> None:
    assert "x" * 400 in str(failed([Status(422, body=b"x" * 500_000)]))


def test_a_redirect_is_not_followed() -> None:
    with FakeServer(Echo(), [ONE_TWO]) as other:
        error = failed([Status(307, {"location": other.url})])
        assert other.requests == []
    assert (error.kind, error.retryable) == ("request", False)
    assert "base URL" in str(error)


def test_a_stream_that_is_reset_keeps_what_came_and_is_a_network_failure() -> None:
    seen, error = talk([Cut(ONE_TWO, after=1)])
    assert seen == ["one"]
    assert error is not None
    assert (error.kind, error.retryable) == ("network", True)


@pytest.mark.parametrize("fault", [Silent(), Stall(ONE_TWO, 0), Stall(ONE_TWO, 1)])
def test_a_stream_that_stalls_is_a_network_failure(fault: Silent | Stall) -> None:
    error = failed([fault], QUICK)
    assert (error.kind, error.retryable) == ("network", True)
    assert "0.2 seconds" in str(error)


def test_a_slow_stream_is_waited_for() -> None:
    patience = Timeouts(first_byte=2, between=2)
    assert talk([Slow(says("a", "b", "c"), 0.02)], patience) == (["a", "b", "c"], None)


def test_a_huge_event_is_refused() -> None:
    seen, error = talk([Inject(ONE_TWO, 1, huge_event(EVENT_LIMIT))])
    assert seen == ["one"]
    assert error is not None
    assert (error.kind, error.retryable) == ("server", False)


def json_answer(body: bytes) -> Status:
    return Status(200, body=body)


def test_one_json_text_instead_of_a_stream_is_one_event() -> None:
    assert talk([json_answer(b'{"error": "no"}')]) == (['{"error": "no"}'], None)
    assert talk([json_answer(b" ")]) == ([], None)


def test_one_json_text_has_a_limit_too() -> None:
    error = failed([json_answer(b"x" * (EVENT_LIMIT + 1))])
    assert (error.kind, error.retryable) == ("server", False)


def test_a_server_that_accepts_and_does_not_speak_tls_is_not_waited_for() -> None:
    async def scenario(port: int) -> None:
        door = Http(place(f"https://127.0.0.1:{port}"), timeouts=Timeouts(connect=0.1))
        try:
            await collected(door, [])
        finally:
            await door.aclose()

    with (
        socket.create_server(("127.0.0.1", 0)) as held,
        pytest.raises(ProviderError, match="in time") as caught,
    ):
        asyncio.run(scenario(held.getsockname()[1]))
    assert (caught.value.kind, caught.value.retryable) == ("network", True)


def unused_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def outcome(url: str, headers: dict[str, str] | None = None) -> ProviderError:
    async def scenario() -> None:
        door = Http(place(url))
        try:
            async with door.open_stream("/talk", headers or {}, {}):
                pass
        finally:
            await door.aclose()

    with pytest.raises(ProviderError) as caught:
        asyncio.run(scenario())
    assert KEY not in str(caught.value)
    return caught.value


def test_a_server_that_is_not_there_is_named_without_user_and_password() -> None:
    port = unused_port()
    error = outcome(f"http://me:{KEY}@127.0.0.1:{port}/v1")
    assert (error.kind, error.retryable) == ("network", True)
    assert f"http://127.0.0.1:{port}:" in str(error)
    assert "me" not in str(error).split("hint")[0].split()


@pytest.mark.parametrize("url", ["", "nowhere", "ftp://127.0.0.1/", "http://[::1", "http://a b/"])
def test_an_address_that_is_none_names_the_fix(url: str) -> None:
    error = outcome(url)
    assert (error.kind, error.retryable) == ("request", False)
    assert "base URL" in str(error)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\r\nx: y", f"ключ{KEY}", f"{KEY}\0"])
def test_a_key_that_cannot_be_sent_is_not_shown(key: str) -> None:
    error = outcome("http://127.0.0.1:9/", {"authorization": f"Bearer {key}"})
    assert (error.kind, error.retryable) == ("auth", False)
    assert "ECHO_API_KEY" in str(error)


def test_a_key_that_cannot_be_sent_names_no_variable_when_there_is_none() -> None:
    async def scenario() -> None:
        async with Http(Place("x", "http://127.0.0.1:9")).open_stream("/", {"a": "\n"}, {}):
            pass

    with pytest.raises(ProviderError, match="set the key again"):
        asyncio.run(scenario())


def get(api: Echo, within: float = WAIT) -> Any:
    async def scenario(url: str) -> Any:
        door = Http(place(url))
        try:
            return await door.get_json("/models", {}, within=within)
        finally:
            await door.aclose()

    with FakeServer(api, []) as server:
        return asyncio.run(scenario(server.url))


def test_a_document_is_read() -> None:
    assert get(Echo()) == ["model"]


def test_a_document_that_is_not_there_is_an_error() -> None:
    class Empty(Echo):
        documents = None

    with pytest.raises(ProviderError, match="no such document"):
        get(Empty())


def test_a_server_that_does_not_speak_http_is_a_network_failure() -> None:
    error = with_raw_server(b"SSH-2.0-nonsense\r\n")
    assert (error.kind, error.retryable) == ("network", True)


def test_a_document_that_is_no_json_is_unreadable() -> None:
    error = with_raw_server(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n<html")
    assert "cannot be read" in str(error)


def test_a_document_that_breaks_off_is_a_network_failure() -> None:
    error = with_raw_server(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n<html")
    assert (error.kind, error.retryable) == ("network", True)


def test_a_document_that_does_not_come_in_time_is_a_network_failure() -> None:
    error = with_raw_server(b"", hold=True)
    assert "0.2 seconds" in str(error)


def with_raw_server(answer: bytes, *, hold: bool = False) -> ProviderError:
    async def scenario() -> None:
        released = asyncio.Event()

        async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            if hold:
                await released.wait()
            writer.close()
            await writer.wait_closed()

        server = await asyncio.start_server(accepted, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        door = Http(place(f"http://127.0.0.1:{port}"))
        async with server:
            try:
                await door.get_json("/models", {}, within=0.2 if hold else WAIT)
            finally:
                released.set()
                await door.aclose()

    with pytest.raises(ProviderError) as caught:
        asyncio.run(scenario())
    return caught.value


@pytest.fixture
def no_httpx2(monkeypatch: pytest.MonkeyPatch) -> None:
    http.package.cache_clear()
    http.certificates.cache_clear()
    monkeypatch.setitem(sys.modules, "httpx2", None)


@pytest.mark.usefixtures("no_httpx2")
def test_a_missing_package_names_the_command_that_installs_it() -> None:
    error = outcome("http://127.0.0.1:9")
    assert "pip install 'parley-acp[agent]'" in str(error)
    assert not error.retryable


@pytest.mark.usefixtures("no_httpx2")
def test_warming_up_never_fails() -> None:
    asyncio.run(warm())


def test_warming_up_reads_the_certificates() -> None:
    asyncio.run(warm())
    assert http.certificates.cache_info().currsize == 1


def test_a_proxy_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks99://proxy")
    error = outcome("http://192.0.2.1")
    assert "ALL_PROXY" in str(error)


def test_what_listens_on_this_machine_is_reached_without_a_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{unused_port()}")
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{unused_port()}")
    assert talk([ONE_TWO]) == (["one", "two"], None)
