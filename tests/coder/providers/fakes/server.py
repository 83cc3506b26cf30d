"""A real HTTP server on loopback that plays a scripted model API and refuses bad requests.

It runs in a thread of its own, so that tests, event loops and other processes can use it alike:

    with FakeServer(OpenAIChatFake(), [says("Hello")]) as server:
        ...  # `server.url` is the base URL
    assert server.violations == []
"""

import asyncio
import json
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol

from tests.coder.providers.fakes.reply import (
    Cut,
    Inject,
    Raw,
    Received,
    Reply,
    Script,
    Scripted,
    Silent,
    Slow,
    Stall,
    Status,
)

WAIT = 5.0


@dataclass(frozen=True)
class Refusal:
    """Why the real API would refuse a request."""

    status: int
    message: str
    code: str | None = None


class FakeApi(Protocol):
    """One wire format. A request that `judge` refuses with 400 counts as a violation."""

    prefix: str
    """What follows the host in the base URL, for instance `/v1`."""

    def judge(self, request: Received) -> Refusal | None:
        """What the real API would say against a POST."""
        ...

    def frames(self, request: Received, reply: Reply) -> list[bytes]:
        """The stream of an answer, event by event."""
        ...

    def error(self, status: int, message: str, code: str | None) -> Any:
        """The JSON body of an error."""
        ...

    def document(self, request: Received) -> Any:
        """The JSON answer to a GET, for instance the list of models; `None` is 404."""
        ...


class FakeServer:
    """Serves one API until the `with` block ends."""

    def __init__(self, api: FakeApi, script: Script) -> None:
        self.api = api
        self.requests: list[Received] = []
        """Every POST, refused or not."""
        self.violations: list[str] = []
        self.hung_up = 0
        """How often a client left before its answer was complete."""
        self.connections = 0
        self.port = 0
        self._next = script if callable(script) else _player(iter(script))
        self._changed = threading.Condition()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="fake model API", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.api.prefix}"

    def __enter__(self) -> "FakeServer":
        self._thread.start()
        self.wait(lambda: self.port > 0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(WAIT)
        assert not self._thread.is_alive(), "the fake server did not stop"

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition on this server holds, for instance the number of requests."""
        with self._changed:
            assert self._changed.wait_for(condition, WAIT), "the fake server waited in vain"

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        talks: set[asyncio.Task[None]] = set()

        async def accepted(reader: StreamReader, writer: StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            talks.add(task)
            with self._changed:
                self.connections += 1
            # A client that goes away is a normal end, and so is the end of the test.
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._answer_one(reader, writer):
                    pass
            writer.transport.abort()
            talks.discard(task)

        server = await asyncio.start_server(accepted, "127.0.0.1", 0, limit=1 << 26)
        with self._changed:
            self.port = server.sockets[0].getsockname()[1]
            self._changed.notify_all()
        await self._stop.wait()
        server.close()
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    async def _answer_one(self, reader: StreamReader, writer: StreamWriter) -> bool:
        """Whether the connection can be used again."""
        request = await _received(reader)
        if request.method != "POST":
            document = self.api.document(request)
            error = self.api.error(404, "no such document", None)
            return await _send_json(
                writer, 404 if document is None else 200, error if document is None else document
            )
        return await self._play(request, reader, writer)

    async def _play(self, request: Received, reader: StreamReader, writer: StreamWriter) -> bool:
        refusal = self.api.judge(request)
        step: Scripted | None = None
        if refusal is None:
            try:
                step = self._next(request)
            except StopIteration:
                refusal = Refusal(400, "the script has no reply to this request")
        with self._changed:
            self.requests.append(request)
            if refusal is not None and refusal.status not in (401, 403):
                self.violations.append(refusal.message)
            self._changed.notify_all()
        if refusal is not None:
            return await _send_json(
                writer,
                refusal.status,
                self.api.error(refusal.status, refusal.message, refusal.code),
            )
        assert step is not None
        if isinstance(step, Status):
            error = self.api.error(step.code, step.message, step.error_code)
            body = json.dumps(error).encode() if step.body is None else step.body
            return await _send(writer, step.code, step.headers, body)
        return await self._stream(request, step, reader, writer)

    async def _stream(
        self, request: Received, step: Scripted, reader: StreamReader, writer: StreamWriter
    ) -> bool:
        if isinstance(step, Silent):
            await self._hold(reader)
            return False
        frames, gap = self._frames(request, step)
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
            b"transfer-encoding: chunked\r\n\r\n"
        )
        try:
            for frame in frames:
                if gap:
                    await asyncio.sleep(gap)
                writer.write(b"%x\r\n%s\r\n" % (len(frame), frame))
                await writer.drain()
        except OSError:
            self._left()
            raise
        if isinstance(step, Stall):
            await self._hold(reader)
            return False
        if isinstance(step, Cut) and not step.cleanly:
            # A reset may overtake what was sent; closing in the middle of a chunk may not.
            writer.close()
            await writer.wait_closed()
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    def _frames(self, request: Received, step: Scripted) -> tuple[list[bytes], float]:
        match step:
            case Raw(frames):
                return list(frames), 0.0
            case Cut(reply, after) | Stall(reply, after):
                return self.api.frames(request, reply)[:after], 0.0
            case Inject(reply, at, raw):
                frames = self.api.frames(request, reply)
                return [*frames[:at], raw, *frames[at:]], 0.0
            case Slow(reply, gap):
                return self.api.frames(request, reply), gap
            case Reply():
                return self.api.frames(request, step), 0.0
            case _:
                raise TypeError(f"{step!r} is no stream")

    async def _hold(self, reader: StreamReader) -> None:
        """Wait until the client hangs up."""
        with suppress(OSError):
            while await reader.read(1024):
                pass
        self._left()

    def _left(self) -> None:
        with self._changed:
            self.hung_up += 1
            self._changed.notify_all()


def _player(script: Iterator[Scripted]) -> Callable[[Received], Scripted]:
    return lambda request: next(script)


async def _received(reader: StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    method, target, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    path, _, query = target.partition("?")
    try:
        body = json.loads(raw) if raw else None
    except ValueError:
        body = None
    return Received(method, path, query, headers, body)


async def _send_json(writer: StreamWriter, status: int, document: Any) -> bool:
    return await _send(writer, status, {}, json.dumps(document).encode())


async def _send(writer: StreamWriter, status: int, headers: dict[str, str], body: bytes) -> bool:
    given = {"content-type": "application/json", "content-length": str(len(body)), **headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    writer.write(f"HTTP/1.1 {status} Scripted\r\n{lines}\r\n".encode() + body)
    await writer.drain()
    return True
