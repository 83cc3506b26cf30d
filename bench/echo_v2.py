"""What the echo agent of the benchmark answers in version 2, where a turn ends with an update."""

import itertools
from collections.abc import Iterable

from echo_turns import Turns
from echo_words import chunks
from parley.protocol.endpoint import Endpoint, NoteRoute, Route, Routes
from parley.rpc.peer import Call
from parley.schema import v2
from parley.schema.codec import encode


def routes(endpoint: Endpoint) -> Routes:
    sessions = itertools.count(1)
    messages = itertools.count(1)
    turns = Turns()

    async def initialize(params: v2.InitializeRequest, call: Call) -> v2.InitializeResponse:
        info = v2.Implementation(name="echo", version="1")
        return v2.InitializeResponse(protocol_version=2, info=info)

    async def new_session(params: v2.NewSessionRequest, call: Call) -> v2.NewSessionResponse:
        return v2.NewSessionResponse(session_id=f"s{next(sessions)}")

    async def prompt(params: v2.PromptRequest, call: Call) -> v2.PromptResponse:
        message = f"m{next(messages)}"
        first = params.prompt[0]
        texts = chunks(first.text if isinstance(first, v2.TextContent) else "")
        call.after_response(lambda: turn(params, message, texts))
        return v2.PromptResponse(message_id=message)

    async def turn(asked: v2.PromptRequest, message: str, texts: Iterable[str]) -> None:
        await tell(asked.session_id, v2.UserMessage(message_id=message, content=asked.prompt))
        await tell(asked.session_id, v2.SessionStateUpdate(state="running"))
        ended = await turns.run(asked.session_id, stream(asked.session_id, message, texts))
        await tell(asked.session_id, v2.SessionStateUpdate(state="idle", stop_reason=ended))

    async def stream(session: str, message: str, texts: Iterable[str]) -> None:
        for text in texts:
            chunk = v2.TextContent(text=text)
            await tell(session, v2.AgentMessageChunk(message_id=f"{message}-a", content=chunk))

    async def tell(session: str, update: v2.SessionUpdate) -> None:
        notification = v2.UpdateSessionNotification(session_id=session, update=update)
        await endpoint.connection.notify(notification.METHOD, encode(notification))

    def cancel(params: v2.CancelSessionNotification) -> None:
        turns.cancel(params.session_id)

    return Routes(
        {
            "initialize": Route(v2.InitializeRequest, initialize),
            "session/new": Route(v2.NewSessionRequest, new_session),
            "session/prompt": Route(v2.PromptRequest, prompt),
        },
        {"session/cancel": NoteRoute(v2.CancelSessionNotification, cancel)},
    )
