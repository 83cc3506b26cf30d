"""A client on the official Python SDK, for the comparison in `docs/moving-over.md`."""

import asyncio
import sys
from typing import Any, cast

from acp import Client, spawn_agent_process, text_block


class Printer:
    def __init__(self) -> None:
        self.heard = asyncio.Event()

    def on_connect(self, conn: Any) -> None: ...

    async def session_update(self, session_id: str, update: Any, **rest: Any) -> None:
        if update.session_update == "agent_message_chunk":
            print(update.content.text)
            self.heard.set()

    async def request_permission(self, **rest: Any) -> Any:
        return {"outcome": {"outcome": "cancelled"}}


async def main(*command: str) -> None:
    printer = Printer()
    async with spawn_agent_process(cast("Client", printer), *command) as (agent, _):
        await agent.initialize(protocol_version=1)
        session = await agent.new_session(cwd="/", mcp_servers=[])
        await agent.prompt(session_id=session.session_id, prompt=[text_block("Hello")])
        await printer.heard.wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
