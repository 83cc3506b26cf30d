"""The same client here, for the comparison in `docs/moving-over.md`."""

import asyncio
import sys

import parley


async def main(*command: str) -> None:
    async with parley.connect(command) as agent:
        session = await agent.new_session("/")
        print(await session.ask("Hello"))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
