"""A server that has an address: the protocol's messages over HTTP, by the official package.

Bodies are bounded here, since the package reads an answer whole: the length of one that is JSON,
and the pace of one that is a stream of events.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2
from mcp.client.streamable_http import streamable_http_client

from parley.coder.mcp.inflow import LONGEST_LINE
from parley.coder.mcp.link import Link, ServerFailed
from parley.session.role import HttpServer

if TYPE_CHECKING:
    import ssl

_CONNECT_SECONDS = 10.0
# A call may take long, and so may the silence of a stream.
_READ_SECONDS = 300.0
_BURST = 1024 * 1024
_REST = 0.05


@asynccontextmanager
async def opened_address(server: HttpServer) -> AsyncGenerator[Link]:
    """Talk to a server at an address.

    Raises:
        ServerFailed: it cannot be one.
    """
    if server.sse:
        raise ServerFailed("it uses server-sent events alone, which is not supported")
    parts = urlsplit(server.url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ServerFailed("its address is not one of http or https")
    trust = await asyncio.to_thread(httpx2.create_ssl_context)
    try:
        client = _client(server, trust)
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise ServerFailed("its address or one of its headers is not valid") from None
    async with (
        client,
        streamable_http_client(server.url, http_client=client, max_sse_event_size=LONGEST_LINE) as (
            read,
            write,
        ),
    ):
        yield Link(read, write)


def _client(server: HttpServer, trust: "ssl.SSLContext") -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        # Compressed bodies have no length that anybody could check.
        headers=[*server.headers, ("Accept-Encoding", "identity")],
        timeout=httpx2.Timeout(_CONNECT_SECONDS, read=_READ_SECONDS),
        transport=_Bounded(httpx2.AsyncHTTPTransport(verify=trust, trust_env=False)),
        trust_env=False,
        follow_redirects=False,
    )


class _Bounded(httpx2.AsyncBaseTransport):
    def __init__(self, inner: httpx2.AsyncHTTPTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.DecodingError("the answer is compressed", request=request)
        stream = response.stream
        assert isinstance(stream, httpx2.AsyncByteStream)
        endless = response.headers.get("content-type", "").startswith("text/event-stream")
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Body(stream, None if endless else LONGEST_LINE),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Body(httpx2.AsyncByteStream):
    """A body of at most so many bytes, or an endless one that comes at a bounded pace."""

    def __init__(self, inner: httpx2.AsyncByteStream, most: int | None) -> None:
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = burst = 0
        async for data in self._inner:
            size += len(data)
            if self._most is not None and size > self._most:
                raise httpx2.ReadError(f"the answer has more than {self._most:,} bytes")
            yield data
            burst += len(data)
            if burst >= _BURST:
                burst = 0
                await asyncio.sleep(_REST)

    async def aclose(self) -> None:
        await self._inner.aclose()
