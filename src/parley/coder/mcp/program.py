"""A server that is a program: one line of JSON per message, on its stdin and stdout.

The program leads a process group of its own and ends with us, however we end. It runs in the
user's home folder: in the folder of a project, interpreters and package runners would load what
lies there. It learns of the project by the protocol.
"""

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter

from parley.coder.mcp.inflow import Inflow, Misbehaved
from parley.coder.mcp.last_words import LastWords
from parley.coder.mcp.link import Link, ServerFailed
from parley.process.command import Command, signal_name, start
from parley.process.descriptor import Descriptor, owned
from parley.process.life import environment
from parley.session.role import StdioServer

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

GRACE = 0.5
"""Seconds that a server has for its end, after its stdin was closed and it was told."""
# A server that talks without end leaves the event loop to the others this often.
_BURST = 100
_REST = 0.01


@asynccontextmanager
async def opened_program(server: StdioServer) -> AsyncGenerator[Link]:
    """Start a program, and end it with everything it started when the block ends.

    Raises:
        ServerFailed: it cannot be started.
    """
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    link = Link(read, write)
    with incoming, read, write, outgoing:
        talk = _Talk(server, link)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = (
                    group.create_task(talk.read_on(incoming)),
                    group.create_task(talk.write_on(outgoing)),
                    group.create_task(talk.watch()),
                )
                try:
                    yield link
                finally:
                    for task in tasks:
                        task.cancel()
        finally:
            await talk.aclose()


class _Talk:
    """A program that runs, and the lines on their way."""

    def __init__(self, server: StdioServer, link: Link) -> None:
        self._link = link
        self._inflow = Inflow()
        self._lines: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._over = False
        self._loop = asyncio.get_running_loop()
        self._command, self._stdin, self._words = self._started(server)

    def _started(self, server: StdioServer) -> tuple[Command, Descriptor, LastWords]:
        stdin, to_stdin = os.pipe()
        from_stderr, stderr = os.pipe()
        try:
            command = start(
                (server.command, *server.args),
                cwd=_home(),
                env=_environment(server.env),
                on_output=self._feed,
                stdin=stdin,
                stderr=stderr,
            )
        except OSError as error:
            os.close(to_stdin)
            os.close(from_stderr)
            raise ServerFailed(f"it cannot be started: {error.strerror}") from None
        finally:
            os.close(stdin)
            os.close(stderr)
        return command, owned(to_stdin), LastWords(owned(from_stderr))

    async def read_on(self, incoming: "MemoryObjectSendStream[SessionMessage | Exception]") -> None:
        """Hand on what the program says, as fast as it is taken."""
        sent = 0
        try:
            while self._lines or not self._over:
                if not self._lines:
                    self._command.resume()
                    await self._news.wait()
                    self._news.clear()
                    continue
                await incoming.send(_message(self._lines.popleft()))
                sent += 1
                if sent % _BURST == 0:
                    await asyncio.sleep(_REST)
        except anyio.BrokenResourceError:
            return  # The session has ended, and so will the program.
        incoming.close()

    async def write_on(self, outgoing: "MemoryObjectReceiveStream[SessionMessage]") -> None:
        """Write what the session says; a program that is gone ends by itself."""
        async for message in outgoing:
            body = message.message
            match body:
                case JSONRPCRequest(id=id):
                    self._inflow.asked(id)
                case JSONRPCResponse(id=id) | JSONRPCError(id=int() | str() as id):
                    self._inflow.answered(id)
                case _:
                    pass
            text = body.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await self._write(text.encode() + b"\n")
            except OSError:
                # It reads nothing any more; what it still says, and its end, are heard.
                outgoing.close()
                return

    async def watch(self) -> None:
        status = await self._command.wait()
        self._words.read()
        self._finish(f"it ended with {_status(status)}{self._words.text}")

    async def aclose(self) -> None:
        self._stdin.close()
        self._inflow.close()
        try:
            await self._command.stop(GRACE)
        finally:
            self._command.close()
            self._words.close()

    def _feed(self, data: bytes) -> None:
        if self._over:
            return
        try:
            self._lines.extend(self._inflow.feed(data))
        except Misbehaved as problem:
            self._command.pause()
            self._finish(str(problem))
        if self._lines:
            # What follows waits in the pipe until this has been taken.
            self._command.pause()
            self._news.set()

    def _finish(self, reason: str) -> None:
        self._over = True
        self._link.end(reason)
        self._news.set()

    async def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            try:
                left = left[self._stdin.write(left) :]
            except BlockingIOError:
                await self._writable()

    async def _writable(self) -> None:
        ready = asyncio.Event()
        self._loop.add_writer(self._stdin.fd, ready.set)
        try:
            await ready.wait()
        finally:
            self._loop.remove_writer(self._stdin.fd)


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


def _status(status: int) -> str:
    return f"status {status}" if status >= 0 else signal_name(-status)


def _environment(env: Mapping[str, str]) -> dict[str, str]:
    """What the configuration gives, and harmless basics; keys of ours are not among them."""
    found = environment(env, clean=True)
    if "PATH" not in env:
        # What is not absolute means another folder wherever a program happens to look.
        folders = found.get("PATH", os.defpath).split(os.pathsep)
        found["PATH"] = os.pathsep.join(filter(os.path.isabs, folders))
    return found


def _home() -> str:
    home = os.path.expanduser("~")
    return home if os.path.isdir(home) else os.sep
