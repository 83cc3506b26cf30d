"""A web site on this machine, for tests: pages by path, and what was asked for."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


def page(
    body: bytes | str, content_type: str = "text/plain", status: str = "200 OK", **headers: str
) -> bytes:
    """A whole HTTP answer; underscores in the names of headers stand for hyphens."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(data)}", "Connection: close"]
    if content_type:
        lines.append(f"Content-Type: {content_type}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + data


def moved(location: str, status: str = "302 Found") -> bytes:
    return page("", status=status, Location=location)


class Website:
    """Answers every request for a path with what is written down for it."""

    def __init__(self, pages: dict[str, Answer]) -> None:
        self.pages = pages
        self.requests: list[str] = []
        """The head of each request."""
        self.port = 0

    def allows(self, address: str, port: int) -> bool:
        """The allowance that makes this site, and nothing else here, reachable."""
        return (address, port) == ("127.0.0.1", self.port)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.requests.append(head)
            answer = self.pages.get(head.split()[1], page("", status="404 Not Found"))
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(pages: dict[str, Answer]) -> AsyncGenerator[Website]:
    site = Website(pages)
    server = await asyncio.start_server(site.answer, "127.0.0.1", 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        # From Python 3.12 on, waiting for the end would wait for pages that never end.
        server.close()
