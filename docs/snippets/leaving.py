"""Leaving a turn before its end, and what happens when something goes wrong."""

import asyncio

import parley
from parley.errors import ConnectionLost, RpcError
from parley.session.event import ChunkAdded


async def first_words(session: parley.RemoteSession) -> str:
    """Leaving the block cancels the turn and waits until the agent has ended it."""
    async with session.prompt("Tell me a long story") as turn:
        async for event in turn:
            if isinstance(event, ChunkAdded) and event.speaker == "agent":
                break
    return turn.text


async def in_time(session: parley.RemoteSession, seconds: float) -> str:
    try:
        async with asyncio.timeout(seconds):
            return await session.ask("Tell me a long story")
    except TimeoutError:
        return "too slow"  # The turn was cancelled as well.
    except RpcError as error:
        return f"the agent refused: {error.message}"
    except ConnectionLost as error:
        return f"the agent is gone: {error}"
