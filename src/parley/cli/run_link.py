"""The agent of a run as a child process: started, watched and recorded."""

import json
import shlex
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TextIO

import msgspec

from parley.cli.private_file import private
from parley.errors import ConfigError
from parley.protocol.settings import Settings
from parley.rpc.transport import Handing, Incoming, Oversize, Transport
from parley.sdk.client import Client
from parley.sdk.conversation import AgentConnection
from parley.transport.process import ProcessTransport, spawn
from parley.transport.tap import TappedFrame, TapTransport

_GIVING_UP, _HEAD = b'"$/cancel_request"', 64
_DIRECTIONS = {"out": "editor-to-agent", "in": "agent-to-editor"}


class ProcessLink:
    """Implements `AgentLink` of the headless front end."""

    def __init__(
        self,
        command: Sequence[str],
        settings: Settings,
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        record: TextIO | None = None,
        on_stderr: Callable[[str], None] | None = None,
    ) -> None:
        self.command = shlex.join(command)
        self._words = command
        self._settings = settings
        self._env = env
        self._cwd = cwd
        self._record = record
        self._on_stderr = on_stderr
        self._process: ProcessTransport | None = None
        self._watched: Watched | None = None

    @asynccontextmanager
    async def connect(self, client: Client) -> AsyncGenerator[AgentConnection]:
        """Start the agent and introduce the client."""
        self._process = await spawn(
            self._words, env=self._env, cwd=self._cwd, on_stderr=self._on_stderr
        )
        transport: Transport
        transport = self._watched = Watched(self._process)
        if self._record is not None:
            transport = TapTransport(transport, Recorder(self._record).add)
        async with client.connect(transport, settings=self._settings) as agent:
            yield agent

    @property
    def stderr(self) -> tuple[str, ...]:
        return tuple(self._process.stderr_tail.splitlines()) if self._process else ()

    @property
    def last_frame(self) -> str | None:
        return self._watched.last_frame if self._watched else None


class Watched:
    """A transport that remembers the last frame, at no price per frame."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self._last: tuple[str, Incoming] | None = None

    @property
    def last_frame(self) -> str | None:
        """Who said it, what it was and how long; nothing of what it contained."""
        if self._last is None:
            return None
        whose, frame = self._last
        if isinstance(frame, Oversize):
            return f"{whose}: {frame.size} bytes, which is over the limit"
        return f"{whose}: {_what(frame)}, {len(frame)} bytes"

    async def receive(self) -> Sequence[Incoming]:
        """Wait for frames; see `Transport`."""
        frames = await self._inner.receive()
        if frames:
            self._last = ("from the agent", frames[-1])
        return frames

    def hand_to(self, take: Callable[[list[Incoming]], Sequence[Incoming]] | None) -> None:
        """Let `take` have frames at once; see `Handing`."""
        if not isinstance(self._inner, Handing):
            return
        if take is None:
            self._inner.hand_to(None)
            return

        def noted(frames: list[Incoming]) -> Sequence[Incoming]:
            self._last = ("from the agent", frames[-1])
            return take(frames)

        self._inner.hand_to(noted)

    def send(self, frame: bytes) -> None:
        """Put a frame in the outbox; see `Transport`."""
        self._inner.send(frame)
        # That an answer is not waited for any more says nothing of what went wrong before.
        if _GIVING_UP not in frame[:_HEAD]:
            self._last = ("to the agent", frame)

    @property
    def blocked(self) -> bool:
        return self._inner.blocked

    async def drain(self) -> None:
        await self._inner.drain()

    async def aclose(self) -> None:
        await self._inner.aclose()


class Recorder:
    """Writes frames down as lines of JSON, in the words of recordings."""

    def __init__(self, file: TextIO) -> None:
        self._file: TextIO | None = file

    def add(self, tapped: TappedFrame) -> None:
        line: dict[str, Any] = {"time": tapped.time, "direction": _DIRECTIONS[tapped.direction]}
        frame = tapped.frame
        if isinstance(frame, Oversize):
            line["oversize"] = frame.size
        else:
            try:
                line["payload"] = msgspec.json.decode(frame)
            except msgspec.DecodeError:
                line["raw"] = frame.decode("utf-8", "replace")
        if self._file is not None:
            try:
                self._file.write(json.dumps(line) + "\n")
            except OSError:
                # A full disk is no reason to end a run.
                self._file = None


def opened_record(path: str) -> TextIO:
    """A file for frames that only its owner reads, since frames may hold secrets.

    Raises:
        ConfigError: it cannot be written.
    """
    try:
        return open(path, "w", encoding="utf-8", buffering=1, opener=private)
    except OSError as problem:
        why = f"cannot be written: {problem.strerror}"
        raise ConfigError(path, "--record", why, "name another file") from None


def _what(frame: bytes) -> str:
    try:
        message: Any = msgspec.json.decode(frame)
    except msgspec.DecodeError:
        return "something that is not JSON"
    match message:
        case {"method": str(method), "id": _}:
            return f"the request `{method[:80]}`"
        case {"method": str(method), "params": {"update": {"sessionUpdate": str(kind)}}}:
            return f"`{method[:80]}` with `{kind[:40]}`"
        case {"method": str(method)}:
            return f"the notification `{method[:80]}`"
        case {"error": _}:
            return "an error as answer"
        case {"result": _}:
            return "an answer"
        case _:
            return "something that is no message"
