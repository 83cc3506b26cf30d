"""An agent that says back what it is told, version 1, on stdin and stdout."""

import sys

from parley.errors import MethodNotFound
from parley.rpc.connection import Connection
from parley.rpc.message import Payload
from parley.rpc.peer import Call
from parley.rpc.transport import Transport
from parley.schema import v1
from parley.schema.codec import decode, encode
from parley.transport.stdio import run_stdio


async def serve(transport: Transport) -> None:
    async def answer(call: Call) -> Payload:
        match call.method:
            case "initialize":
                return encode(v1.InitializeResponse(protocol_version=1))
            case "session/new":
                return encode(v1.NewSessionResponse(session_id="s1"))
            case "session/prompt":
                asked = decode(v1.PromptRequest, call.params)
                for block in asked.prompt:
                    chunk = v1.AgentMessageChunk(content=block)
                    update = v1.SessionNotification(session_id=asked.session_id, update=chunk)
                    await connection.notify(update.METHOD, encode(update))
                return encode(v1.PromptResponse(stop_reason="end_turn"))
            case _:
                raise MethodNotFound

    connection = Connection(transport, on_call=answer, on_notification=lambda _: None)
    await connection.run()


if __name__ == "__main__":
    sys.exit(run_stdio(serve))
