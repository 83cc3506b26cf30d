"""Start the tiny agent, say one thing to it, and print the conversation.

Usage: .venv/bin/python examples/talk.py "Hello"
"""

import asyncio
import sys
from pathlib import Path

import parley

AGENT = [sys.executable, str(Path(__file__).parent / "tiny_agent.py")]


async def talk(text: str) -> None:
    async with parley.connect(AGENT, permission="allow") as agent:
        session = await agent.new_session(".")
        print(f"you: {text}")
        print(f"agent: {await session.ask(text)}")
        for call in session.state.tool_calls.values():
            print(f"tool: {call.title} ({call.status})")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit('usage: examples/talk.py "what to say"')
    try:
        asyncio.run(talk(sys.argv[1]))
    except parley.AcpError as error:
        sys.exit(f"talk: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
