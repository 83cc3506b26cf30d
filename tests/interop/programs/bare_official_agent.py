"""The shortest agent on the official Python SDK: it echoes the version and what it is told.

With `--lists` it advertises `session/list`, which it does not have.
"""

import asyncio
import sys
from typing import Any

import acp
from acp import schema


class BareAgent(acp.Agent):
    client: Any

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **rest: Any) -> Any:
        sessions = schema.SessionCapabilities(list=schema.SessionListCapabilities())
        return acp.InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=schema.AgentCapabilities(session_capabilities=sessions)
            if "--lists" in sys.argv
            else None,
        )

    async def new_session(self, cwd: str, **rest: Any) -> Any:
        return acp.NewSessionResponse(session_id="s1")

    async def prompt(self, session_id: str, prompt: list[Any], **rest: Any) -> Any:
        for block in prompt:
            await self.client.session_update(session_id, acp.update_agent_message(block))
        return acp.PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    asyncio.run(acp.run_agent(BareAgent()))
