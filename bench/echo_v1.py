"""What the echo agent of the benchmark answers in version 1."""

import itertools

from parley.errors import MethodNotFound
from parley.rpc.connection import Connection
from parley.rpc.message import Payload
from parley.rpc.peer import Call
from parley.schema import v1
from parley.schema.codec import decoder, encode

_sessions = itertools.count(1)
_prompt = decoder(v1.PromptRequest)


async def answer(connection: Connection, call: Call) -> Payload:
    match call.method:
        case "initialize":
            return encode(v1.InitializeResponse(protocol_version=1))
        case "session/new":
            return encode(v1.NewSessionResponse(session_id=f"s{next(_sessions)}"))
        case "session/prompt":
            await _turn(connection, _prompt(call.params))
            return encode(v1.PromptResponse(stop_reason="end_turn"))
        case _:
            raise MethodNotFound


async def _turn(connection: Connection, asked: v1.PromptRequest) -> None:
    first = asked.prompt[0]
    word, _, rest = (first.text if isinstance(first, v1.TextContent) else "").partition(" ")
    if word == "echo":
        await _chunk(connection, asked.session_id, rest)
    elif word == "stream":
        count, _, size = rest.partition(" ")
        for _ in range(int(count)):
            await _chunk(connection, asked.session_id, "x" * int(size or 40))


async def _chunk(connection: Connection, session: str, text: str) -> None:
    update = v1.AgentMessageChunk(content=v1.TextContent(text=text))
    notification = v1.SessionNotification(session_id=session, update=update)
    await connection.notify(notification.METHOD, encode(notification))
