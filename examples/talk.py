"""Start the echo agent, say one thing to it, and print the conversation.

Usage: .venv/bin/python examples/talk.py "Hello"
"""

import asyncio
import sys
from pathlib import Path

from parley.errors import AcpError, MethodNotFound
from parley.rpc.connection import Connection
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call
from parley.schema import v1
from parley.schema.codec import decode, encode
from parley.transport.process import spawn

AGENT = [sys.executable, str(Path(__file__).parent / "echo_agent.py")]


async def refuse(call: Call) -> Payload:
    """This client offers the agent nothing."""
    raise MethodNotFound


def show(notification: Notification) -> None:
    if notification.method == v1.SessionNotification.METHOD:
        update = decode(v1.SessionNotification, notification.params).update
        match update:
            case v1.AgentMessageChunk(content=v1.TextContent(text=text)):
                print(f"agent: {text}")
            case _:
                print(f"agent sent {type(update).__name__}")


async def talk(text: str) -> None:
    transport = await spawn(AGENT)
    async with Connection(transport, on_call=refuse, on_notification=show) as agent:
        hello = v1.InitializeRequest(protocol_version=1)
        await agent.request(hello.METHOD, encode(hello), timeout=10)
        new = v1.NewSessionRequest(cwd=str(Path.cwd()), mcp_servers=[])
        answer = await agent.request(new.METHOD, encode(new), timeout=10)
        session = decode(v1.NewSessionResponse, answer).session_id
        print(f"you: {text}")
        prompt = v1.PromptRequest(session_id=session, prompt=[v1.TextContent(text=text)])
        answer = await agent.request(prompt.METHOD, encode(prompt), timeout=60)
        print(f"(the turn ended: {decode(v1.PromptResponse, answer).stop_reason})")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit('usage: examples/talk.py "what to say"')
    try:
        asyncio.run(talk(sys.argv[1]))
    except AcpError as error:
        sys.exit(f"talk: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
