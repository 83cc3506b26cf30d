"""Work that can be cancelled: in a coroutine, and in a thread."""

import asyncio
import time

import parley

agent = parley.Agent("cancelling")


def count(turn: parley.Turn) -> int:
    """Runs in a thread, which nobody can interrupt, so it looks by itself."""
    number = 0
    while not turn.cancelled:
        number += 1
        time.sleep(0.001)
    return number


@agent.prompt
async def answer(turn: parley.Turn) -> None:
    async with turn.tool("Count"):
        counting = asyncio.create_task(asyncio.to_thread(count, turn))
        try:
            await asyncio.shield(counting)
        finally:
            # The turn is not over yet, so there is time for a last word.
            await turn.say(f"I got to {await counting}.")


if __name__ == "__main__":
    agent.run()
