"""The way to a model's API: one POST, a stream of server-sent events back, one kind of error.

It knows nothing of any API's format. `httpx2` is imported when the first request needs it, in a
worker thread, since an editor waits for the answer to `initialize` meanwhile.
"""

import asyncio
import ssl
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from parley.coder.errors import ProviderError
from parley.coder.providers.failure import (
    Place,
    dropped,
    failure_of_status,
    unreachable,
    unreadable,
)
from parley.coder.providers.sse import EVENT_LIMIT, EventParser, EventTooLarge, ServerEvent

if TYPE_CHECKING:
    import httpx2

ERROR_BODY_LIMIT = 64 * 1024
"""Bytes read of an error's body."""
JSON_LIMIT = 8 * 1024 * 1024
"""Bytes read of a plain JSON answer."""


class Timeouts(msgspec.Struct, frozen=True):
    """Seconds."""

    connect: float = 10.0
    first_byte: float = 120.0
    """A local server may read a long prompt before it says anything."""
    between: float = 60.0
    error_body: float = 5.0


async def warm() -> None:
    """Load what the first request needs, without holding up the event loop; it never fails."""
    try:
        await asyncio.to_thread(certificates)
    except ProviderError:
        # Nobody asked for a model yet; who does gets the error.
        return


@cache
def package() -> Any:
    """The package, which is an extra: the SDK works without it."""
    try:
        import httpx2  # noqa: PLC0415 # It takes a tenth of a second, more than all else at start.
    except ImportError:
        raise ProviderError(
            "models over HTTP need the package `httpx2`\nhint: pip install 'parley-acp[agent]'",
            retryable=False,
            kind="request",
        ) from None
    return httpx2


@cache
def certificates() -> ssl.SSLContext:
    """The certificates of this machine, read once: it takes longer than a request."""
    return package().create_ssl_context()


class EventStream:
    """The events of one answer, until the server ends the stream.

    Whether the answer is complete then is for the format to say. Iterating raises `ProviderError`
    when the stream breaks, stalls, or sends an event that is too large.
    """

    def __init__(self, response: "httpx2.Response", place: Place, timeouts: Timeouts) -> None:
        self._place = place
        self._timeouts = timeouts
        self._patience = timeouts.first_byte
        self._chunks = response.aiter_bytes()
        self._parser = EventParser()
        # Some servers answer with one JSON text, an error above all, and call it no stream.
        self._whole = response.headers.get("content-type", "").startswith("application/json")
        self._body = bytearray()
        self._ready: deque[ServerEvent] = deque()
        self._end: Exception | None = None

    def __aiter__(self) -> AsyncIterator[ServerEvent]:
        return self

    async def __anext__(self) -> ServerEvent:
        while not self._ready:
            if self._end is not None:
                raise self._end
            await self._read()
        return self._ready.popleft()

    async def drain(self, *, within: float = 0.5) -> None:
        """Throw away what is left; a server that does not end its stream now is not waited for."""
        try:
            async with asyncio.timeout(within):
                while self._end is None:
                    await self._chunk()
        except (TimeoutError, ProviderError):
            return

    async def _read(self) -> None:
        chunk = await self._chunk()
        try:
            self._ready.extend(self._events(chunk))
        except EventTooLarge as error:
            text = f"{self._place.name} ({self._place.host}): {error}"
            self._end = ProviderError(text, retryable=False, kind="server")

    def _events(self, chunk: bytes | None) -> Iterator[ServerEvent]:
        if not self._whole:
            return self._parser.end() if chunk is None else self._parser.feed(chunk)
        self._body += chunk or b""
        if len(self._body) > EVENT_LIMIT:
            raise EventTooLarge(f"the answer is larger than {EVENT_LIMIT} bytes")
        if chunk is not None or not self._body.strip():
            return iter(())
        return iter([ServerEvent("message", self._body.decode(errors="replace"))])

    async def _chunk(self) -> bytes | None:
        """The next bytes; `None` is the end."""
        httpx2 = package()
        try:
            async with asyncio.timeout(self._patience):
                chunk = await anext(self._chunks, None)
        except TimeoutError:
            raise dropped(self._place, f"nothing came for {self._patience:g} seconds") from None
        except (httpx2.HTTPError, httpx2.StreamError, OSError):
            raise dropped(self._place) from None
        if chunk is None:
            self._end = StopAsyncIteration()
        self._patience = self._timeouts.between
        return chunk


class Http:
    """Requests to one API. Any number may be open at once; connections are kept and used again."""

    def __init__(self, place: Place, *, timeouts: Timeouts | None = None) -> None:
        self.place = place
        self._timeouts = timeouts or Timeouts()
        self._client: httpx2.AsyncClient | None = None

    @asynccontextmanager
    async def open_stream(
        self, path: str, headers: Mapping[str, str], body: Any
    ) -> AsyncGenerator[EventStream]:
        """POST `body` as JSON to `path` below the base URL; leaving the context ends the stream.

        Raises:
            ProviderError: the request failed or was refused.
        """
        response = await self._send("POST", path, headers, body, self._timeouts.first_byte)
        try:
            if response.status_code != 200:
                raise await self._refusal(response)
            yield EventStream(response, self.place, self._timeouts)
        finally:
            await self._close(response)

    async def get_json(self, path: str, headers: Mapping[str, str], *, within: float) -> Any:
        """GET a JSON document, in `within` seconds altogether.

        Raises:
            ProviderError: there is none.
        """
        try:
            async with asyncio.timeout(within):
                response = await self._send("GET", path, headers, None, within)
                try:
                    if response.status_code != 200:
                        raise await self._refusal(response)
                    body = await self._read(response, JSON_LIMIT)
                finally:
                    await self._close(response)
        except TimeoutError:
            raise dropped(self.place, f"no answer within {within:g} seconds") from None
        try:
            return msgspec.json.decode(body)
        except msgspec.DecodeError as error:
            raise unreadable(self.place, str(error)) from None

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _send(
        self, method: str, path: str, headers: Mapping[str, str], body: Any, patience: float
    ) -> "httpx2.Response":
        _refuse_broken(self.place, headers)
        # At once: parts of the body may be used again, and grow, for the next request.
        content = None if body is None else msgspec.json.encode(body)
        client = await self._opened()
        httpx2 = package()
        try:
            request = client.build_request(
                method,
                self.place.base_url.rstrip("/") + path,
                headers={"content-type": "application/json", **headers},
                content=content,
            )
            async with asyncio.timeout(patience):
                return await client.send(request, stream=True)
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpx2.LocalProtocolError):
            # The library's own words may quote a header, and so the key.
            raise _no_address(self.place) from None
        except httpx2.ConnectTimeout:
            raise unreachable(self.place, "it did not answer in time") from None
        except httpx2.ConnectError as error:
            raise unreachable(self.place, str(error)) from None
        except TimeoutError:
            raise dropped(self.place, f"no answer within {patience:g} seconds") from None
        except (httpx2.HTTPError, OSError):
            raise dropped(self.place, "the connection broke before an answer came") from None

    async def _opened(self) -> "httpx2.AsyncClient":
        if self._client is None:
            client = await asyncio.to_thread(_client, self.place, self._timeouts)
            # Two requests may have come here at once; an unused client holds nothing open.
            self._client = self._client or client
        return self._client

    async def _refusal(self, response: "httpx2.Response") -> ProviderError:
        try:
            async with asyncio.timeout(self._timeouts.error_body):
                body = await self._read(response, ERROR_BODY_LIMIT)
        except (TimeoutError, ProviderError):
            body = b""
        headers = {name.lower(): value for name, value in response.headers.items()}
        return failure_of_status(self.place, response.status_code, headers, body, now=time.time())

    async def _read(self, response: "httpx2.Response", limit: int) -> bytes:
        httpx2 = package()
        body = bytearray()
        try:
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) >= limit:
                    break
        except (httpx2.HTTPError, httpx2.StreamError, OSError):
            raise dropped(self.place) from None
        return bytes(body[:limit])

    async def _close(self, response: "httpx2.Response") -> None:
        httpx2 = package()
        try:
            await response.aclose()
        except (httpx2.HTTPError, OSError):
            # The connection is gone already, which is what was wanted.
            return


def _client(place: Place, timeouts: Timeouts) -> "httpx2.AsyncClient":
    httpx2 = package()
    parts = urlsplit(place.base_url)
    encrypted = parts.scheme == "https"
    try:
        return httpx2.AsyncClient(
            # Plain addresses need no certificates, and a context without any trusts nobody.
            verify=certificates() if encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            timeout=httpx2.Timeout(None, connect=timeouts.connect),
            # A tool may run for a while between two requests of one turn.
            limits=httpx2.Limits(
                max_connections=None, max_keepalive_connections=8, keepalive_expiry=30
            ),
            # The key is for the configured host alone.
            follow_redirects=False,
            # A proxy cannot reach what listens on this machine.
            trust_env=parts.hostname not in ("localhost", "127.0.0.1", "::1"),
        )
    except (ImportError, ValueError, httpx2.InvalidURL):
        raise ProviderError(
            "the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY cannot be used\n"
            "hint: set it to http://host:port or unset it",
            retryable=False,
            kind="request",
        ) from None


def _refuse_broken(place: Place, headers: Mapping[str, str]) -> None:
    try:
        parts = urlsplit(place.base_url)
    except ValueError:
        raise _no_address(place) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or " " in place.base_url:
        raise _no_address(place)
    if all(value.isascii() and value.isprintable() for value in headers.values()):
        return
    fix = f"set {place.key_hint} again" if place.key_hint else "set the key again"
    raise ProviderError(
        f"{place.name}: the key contains characters that no key has\nhint: {fix}",
        retryable=False,
        kind="auth",
    )


def _no_address(place: Place) -> ProviderError:
    return ProviderError(
        f"{place.name}: the base URL is not an address that can be asked\n"
        "hint: set the base URL to http(s)://host[:port][/path]",
        retryable=False,
        kind="request",
    )
