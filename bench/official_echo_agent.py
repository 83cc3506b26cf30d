"""The echo agent of the benchmark on the official Python SDK, version 1."""

import asyncio
import itertools
from typing import Any, cast

from acp import (
    Agent,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    run_agent,
    update_agent_message_text,
)
from acp.interfaces import Client


class Echo:
    """Answers the three methods of the convention, and none of the others the SDK would allow."""

    def __init__(self) -> None:
        self._sessions = itertools.count(1)

    def on_connect(self, conn: Client) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **rest: Any) -> InitializeResponse:
        return InitializeResponse(protocol_version=1)

    async def new_session(self, cwd: str, **rest: Any) -> NewSessionResponse:
        return NewSessionResponse(session_id=f"s{next(self._sessions)}")

    async def prompt(self, prompt: list[Any], session_id: str, **rest: Any) -> PromptResponse:
        word, _, text = prompt[0].text.partition(" ")
        if word == "echo":
            await self._client.session_update(session_id, update_agent_message_text(text))
        elif word == "stream":
            count, _, size = text.partition(" ")
            for _ in range(int(count)):
                chunk = update_agent_message_text("x" * int(size or 40))
                await self._client.session_update(session_id, chunk)
        return PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    asyncio.run(run_agent(cast("Agent", Echo())))
