"""Servers that have an address."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parley.coder.mcp import address
from parley.session.role import HttpServer
from tests.coder.mcp.peers import BOUND, SLOW, free_port, honest, standing
from tests.coder.mcp.test_conversation import called

Answer = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


@asynccontextmanager
async def answering(answer: Answer) -> AsyncGenerator[str]:
    """A web server that answers in its own way; its address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            await answer(head, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.close()


async def problem(folder: Path, server: HttpServer, seconds: float = BOUND) -> str:
    async with standing(folder, server, start=seconds) as stand:
        return await stand.notice()


def test_a_server_of_the_official_package_works_over_http(tmp_path: Path) -> None:
    port = free_port()
    run = f'server.run("streamable-http", host="127.0.0.1", port={port})'
    program = honest(tmp_path, run=run)

    async def scenario() -> None:
        await _listening(port)
        server = HttpServer("far", f"http://127.0.0.1:{port}/mcp", (("X-Mine", "1"),))
        async with standing(tmp_path, server, start=SLOW, call=SLOW) as stand:
            await stand.ready(SLOW)
            found = await called(stand, "far__add", tmp_path, {"a": 2, "b": 3})
            assert found.text == "5"
            assert stand.notices == []

    process = subprocess.Popen(
        (sys.executable, program.args[-1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        asyncio.run(scenario())
    finally:
        process.kill()
        process.wait()


async def _listening(port: int) -> None:
    async with asyncio.timeout(SLOW):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return


@pytest.mark.parametrize(
    ("server", "said"),
    [
        (HttpServer("x", "file:///etc/passwd"), "its address is not one of http or https"),
        (HttpServer("x", "http:///x"), "its address is not one of http or https"),
        (HttpServer("x", "http://x.org/", sse=True), "server-sent events alone"),
        (HttpServer("x", "http://127.0.0.1/", (("a", "ü\ud800"),)), "headers is not valid"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused(
    tmp_path: Path, server: HttpServer, said: str
) -> None:
    assert said in asyncio.run(problem(tmp_path, server))


def test_nobody_at_the_address_is_a_notice(tmp_path: Path) -> None:
    said = asyncio.run(problem(tmp_path, HttpServer("x", f"http://127.0.0.1:{free_port()}/")))
    assert said.startswith("The MCP server `x` could not be started: ")


def test_an_answer_without_end_is_not_read(tmp_path: Path) -> None:
    written = 0

    async def endless(head: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(JSON + b"\r\n[")
        while True:
            writer.write(b"1," * 50_000)
            written += 100_000
            await writer.drain()

    async def scenario() -> None:
        async with answering(endless) as url:
            assert "could not be started" in await problem(tmp_path, HttpServer("x", url))

    asyncio.run(scenario())
    assert 4_000_000 < written < 40_000_000


def test_a_compressed_answer_is_refused(tmp_path: Path) -> None:
    asked: list[bytes] = []

    async def compressed(head: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(head)
        writer.write(JSON + b"Content-Encoding: gzip\r\n\r\n")
        await writer.drain()

    async def scenario() -> None:
        async with answering(compressed) as url:
            server = HttpServer("x", url, (("Authorization", "Bearer t"),))
            assert "could not be started" in await problem(tmp_path, server)

    asyncio.run(scenario())
    assert b"accept-encoding: identity\r\n" in asked[0].lower()
    assert b"Authorization: Bearer t\r\n" in asked[0]


def test_a_server_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    async def silent(head: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async def scenario() -> None:
        async with answering(silent) as url:
            said = await problem(tmp_path, HttpServer("x", url), 0.3)
            assert "it did not answer within 0.3 seconds" in said

    asyncio.run(scenario())


def test_a_flood_of_events_is_read_at_a_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(address, "_BURST", 10_000)
    sent = 0

    async def flood(head: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(EVENTS)
        log = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n'
        while True:
            writer.write(log * 100)
            sent += 100
            await writer.drain()

    async def scenario() -> None:
        async with answering(flood) as url:
            said = await problem(tmp_path, HttpServer("x", url), 0.5)
            assert "it did not answer within 0.5 seconds" in said

    asyncio.run(scenario())
    # Half a second at 10 kB in 50 ms, and what the pipes between the two hold.
    assert sent < 200_000
