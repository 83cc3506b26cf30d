"""What the echo agent of the benchmark answers in version 1."""

import itertools
from collections.abc import Iterable

from echo_turns import Turns
from echo_words import chunks
from parley.protocol.endpoint import Endpoint, NoteRoute, Route, Routes
from parley.rpc.peer import Call
from parley.schema import v1
from parley.schema.codec import encode


def routes(endpoint: Endpoint) -> Routes:
    sessions = itertools.count(1)
    turns = Turns()

    async def initialize(params: v1.InitializeRequest, call: Call) -> v1.InitializeResponse:
        return v1.InitializeResponse(protocol_version=1)

    async def new_session(params: v1.NewSessionRequest, call: Call) -> v1.NewSessionResponse:
        return v1.NewSessionResponse(session_id=f"s{next(sessions)}")

    async def prompt(params: v1.PromptRequest, call: Call) -> v1.PromptResponse:
        first = params.prompt[0] if params.prompt else None
        texts = chunks(first.text if isinstance(first, v1.TextContent) else "")
        ended = await turns.run(params.session_id, stream(params.session_id, texts))
        return v1.PromptResponse(stop_reason=ended)

    async def stream(session: str, texts: Iterable[str]) -> None:
        notify = endpoint.connection.notify
        for text in texts:
            chunk = v1.AgentMessageChunk(content=v1.TextContent(text=text))
            update = v1.SessionNotification(session_id=session, update=chunk)
            await notify(update.METHOD, encode(update))

    def cancel(params: v1.CancelNotification) -> None:
        turns.cancel(params.session_id)

    return Routes(
        {
            "initialize": Route(v1.InitializeRequest, initialize),
            "session/new": Route(v1.NewSessionRequest, new_session),
            "session/prompt": Route(v1.PromptRequest, prompt),
        },
        {"session/cancel": NoteRoute(v1.CancelNotification, cancel)},
    )
