"""A client on the official TypeScript SDK, played from Python: it starts our agent itself."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from tests.interop.bounds import program
from tests.interop.node import script

LONGEST_LINE = 1 << 24
V1_CAPABILITIES = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
    "elicitation": {"form": {}, "url": {}},
}
V2_CAPABILITIES = {"elicitation": {"form": {}, "url": {}}}
INFO = {"name": "interop", "version": "2.4.0"}


class Refused(Exception):
    """The promise that the SDK gave was rejected."""

    def __init__(self, code: int | None, message: str, data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class TypescriptClient:
    """Everything that reaches the application behind the SDK, and everything it may do."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout
        self._ids = 0
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._changed = asyncio.Event()
        self.notified: list[tuple[str, Any]] = []
        self.asked: list[tuple[str, Any]] = []
        """What the agent asked: the method and its params, in order."""
        self.withdrawn: list[int] = []
        self.answers: dict[str, Any] = {}
        """What is answered at once, by method."""
        self.exited: int | None = None

    def start(self, method: str, params: Any = None) -> "asyncio.Future[Any]":
        """Call the agent without waiting."""
        return self._begin({"request": method, "params": params})

    async def request(self, method: str, params: Any = None) -> Any:
        return await self.start(method, params)

    async def converse(self, cwd: str, text: str) -> Any:
        """A turn in a new session, through the session object of the SDK."""
        return await self._begin({"converse": [cwd, text]})

    def notify(self, method: str, params: Any = None) -> None:
        self._write({"notify": method, "params": params})

    def abort(self) -> None:
        """Give up the latest request."""
        self._write({"abort": self._ids})

    def answer(self, number: int, result: Any) -> None:
        """Answer a question that has no answer yet; they count from 1."""
        self._write({"answer": number, "result": result})

    async def initialize(self, version: int = 1) -> Any:
        if version == 1:
            members = {"clientInfo": INFO, "clientCapabilities": V1_CAPABILITIES}
        else:
            members = {"info": INFO, "capabilities": V2_CAPABILITIES}
        return await self.request("initialize", {"protocolVersion": version, **members})

    async def new_session(self, cwd: str = "/project") -> str:
        answer = await self.request("session/new", {"cwd": cwd, "mcpServers": []})
        session_id: str = answer["sessionId"]
        return session_id

    def prompt(self, session: str, text: str) -> "asyncio.Future[Any]":
        blocks = [{"type": "text", "text": text}]
        return self.start("session/prompt", {"sessionId": session, "prompt": blocks})

    async def turn(self, session: str, text: str) -> list[dict[str, Any]]:
        """A turn of version 2: prompt, wait until the session is idle, return the updates."""
        before = len(self.updates)
        await self.prompt(session, text)
        await self.idle(before)
        return self.updates[before:]

    async def idle(self, before: int = 0) -> dict[str, Any]:
        """Wait until a session is idle, and return the update that says so."""
        await self.until(lambda: any(_is_idle(update) for update in self.updates[before:]))
        return self.updates[-1]

    @property
    def updates(self) -> list[dict[str, Any]]:
        return [params["update"] for name, params in self.notified if name == "session/update"]

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [update for update in self.updates if update["sessionUpdate"] == kind]

    def said(self) -> str:
        """The text of the agent's messages."""
        chunks = self.of_kind("agent_message_chunk")
        return "".join(chunk["content"].get("text", "") for chunk in chunks)

    async def until(self, condition: Any) -> None:
        """Wait until something that arrives makes the condition hold."""
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    async def read(self) -> None:
        """Take what the program says, until it ends."""
        while line := await self._output.readline():
            self._take(json.loads(line))
            self._changed.set()

    def _take(self, line: dict[str, Any]) -> None:
        match line:
            case {"id": id_, "error": error}:
                refusal = Refused(error["code"], error["message"], error.get("data"))
                self._open.pop(id_).set_exception(refusal)
            case {"id": id_, "result": result}:
                self._open.pop(id_).set_result(result)
            case {"notified": method, "params": params}:
                self.notified.append((method, params))
            case {"asked": number, "method": method, "params": params}:
                self.asked.append((method, params))
                if method in self.answers:
                    self.answer(number, self.answers[method])
            case {"withdrawn": number}:
                self.withdrawn.append(number)
            case {"exited": code}:
                self.exited = code
            case _:
                raise AssertionError(f"the program said {line}")

    def _begin(self, line: dict[str, Any]) -> "asyncio.Future[Any]":
        self._ids += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[self._ids] = answer
        self._write({"id": self._ids, **line})
        return answer

    def _write(self, line: dict[str, Any]) -> None:
        self._input.write(json.dumps(line).encode() + b"\n")


@asynccontextmanager
async def typescript(entry: str, *flags: str) -> AsyncGenerator[TypescriptClient]:
    """Start a client of this entry point with our agent behind it."""
    process = await asyncio.create_subprocess_exec(
        *script("client.mjs", entry, *program("parley_agent.py", *flags)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=LONGEST_LINE,
    )
    client = TypescriptClient(process)
    reading = asyncio.ensure_future(client.read())
    try:
        yield client
    finally:
        # The program ends with its stdin, and ends our agent in the same way.
        assert process.stdin is not None
        process.stdin.close()
        await reading
        await process.wait()
    assert (process.returncode, client.exited) == (0, 0)


@asynccontextmanager
async def typescript_session(
    entry: str, *flags: str
) -> AsyncGenerator[tuple[TypescriptClient, str]]:
    """The same, with a session open."""
    async with typescript(entry, *flags) as client:
        await client.initialize(int(entry[1]))
        yield client, await client.new_session()


def _is_idle(update: dict[str, Any]) -> bool:
    return update["sessionUpdate"] == "state_update" and update["state"] == "idle"
