"""What the echo agent of the benchmark answers in version 2, where a turn ends with an update."""

import itertools
from collections.abc import Iterable

from parley.errors import MethodNotFound
from parley.rpc.connection import Connection
from parley.rpc.message import Payload
from parley.rpc.peer import Call
from parley.schema import v2
from parley.schema.codec import decoder, encode

_sessions = itertools.count(1)
_messages = itertools.count(1)
_prompt = decoder(v2.PromptRequest)


async def answer(connection: Connection, call: Call) -> Payload:
    match call.method:
        case "initialize":
            info = v2.Implementation(name="echo", version="1")
            return encode(v2.InitializeResponse(protocol_version=2, info=info))
        case "session/new":
            return encode(v2.NewSessionResponse(session_id=f"s{next(_sessions)}"))
        case "session/prompt":
            message = f"m{next(_messages)}"
            asked = _prompt(call.params)
            call.after_response(lambda: _turn(connection, asked, message))
            return encode(v2.PromptResponse(message_id=message))
        case _:
            raise MethodNotFound


async def _turn(connection: Connection, asked: v2.PromptRequest, message: str) -> None:
    async def tell(update: v2.SessionUpdate) -> None:
        notification = v2.UpdateSessionNotification(session_id=asked.session_id, update=update)
        await connection.notify(notification.METHOD, encode(notification))

    await tell(v2.UserMessage(message_id=message, content=asked.prompt))
    await tell(v2.SessionStateUpdate(state="running"))
    for text in _chunks(asked):
        chunk = v2.TextContent(text=text)
        await tell(v2.AgentMessageChunk(message_id=f"{message}-answer", content=chunk))
    await tell(v2.SessionStateUpdate(state="idle", stop_reason="end_turn"))


def _chunks(asked: v2.PromptRequest) -> Iterable[str]:
    first = asked.prompt[0]
    word, _, rest = (first.text if isinstance(first, v2.TextContent) else "").partition(" ")
    if word == "echo":
        return [rest]
    if word != "stream":
        return []
    count, _, size = rest.partition(" ")
    return ("x" * int(size or 40) for _ in range(int(count)))
