"""The echo agent of the benchmark with bare msgspec and asyncio, version 1 only."""

import asyncio
import itertools

import reference_messages as messages
from reference_pipe import Pipe


class Agent:
    """Answers each message; every prompt is a task of its own."""

    def __init__(self) -> None:
        self.pipe = Pipe(0, 1, self._arrived)
        self._sessions = itertools.count(1)
        self._turns: set[asyncio.Task[None]] = set()

    def _arrived(self, line: bytes) -> None:
        message = messages.incoming(line)
        match message.method:
            case "initialize":
                self._answer(message.id, {"protocolVersion": 1, "agentCapabilities": {}})
            case "session/new":
                self._answer(message.id, {"sessionId": f"s{next(self._sessions)}"})
            case "session/prompt":
                turn = asyncio.ensure_future(self._turn(message))
                self._turns.add(turn)
                turn.add_done_callback(self._turns.discard)
            case _:
                self._answer(message.id, {})

    async def _turn(self, message: messages.Incoming) -> None:
        asked = messages.prompt(message.params)
        first = asked.prompt[0]
        text = first.text if isinstance(first, messages.Text) else ""
        word, _, rest = text.partition(" ")
        if word == "echo":
            await self._chunk(asked.session_id, rest)
        elif word == "stream":
            count, _, size = rest.partition(" ")
            for _ in range(int(count)):
                await self._chunk(asked.session_id, "x" * int(size or 40))
        self._answer(message.id, {"stopReason": "end_turn"})

    async def _chunk(self, session: str, text: str) -> None:
        chunk = messages.AgentMessageChunk(messages.Text(text))
        update = messages.UpdateMessage(messages.Update(session, chunk))
        self.pipe.send(messages.encode(update) + b"\n")
        if self.pipe.full:
            await self.pipe.drain()

    def _answer(self, request: int | str | None, result: dict[str, object]) -> None:
        self.pipe.send(messages.encode(messages.Answer(request, result)) + b"\n")


async def main() -> None:
    await Agent().pipe.ended


if __name__ == "__main__":
    asyncio.run(main())
