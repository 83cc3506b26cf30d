"""The end of what a program writes to stderr."""

import asyncio
import os

from parley.coder.mcp.last_words import KEPT, LastWords
from parley.process.descriptor import owned
from tests.coder.mcp.peers import until


def test_the_last_line_is_what_counts_and_little_is_kept() -> None:
    async def scenario() -> None:
        ours, theirs = os.pipe()
        words = LastWords(owned(ours))
        assert words.text == ""
        words.read()
        for _ in range(3):
            os.write(theirs, b"x" * 30_000 + b"\n")
            await until(lambda: words.text != "")
        os.write(theirs, b"Error: \x1b[31mno\x1b[0m file\n\n")
        await until(lambda: words.text == ": Error: no file")
        os.write(theirs, b"y" * (KEPT + 1))
        await until(lambda: "y" in words.text)
        assert len(words.text) <= 302
        os.close(theirs)
        await until(lambda: not os.path.exists(f"/proc/self/fd/{ours}"))
        words.read()
        words.close()

    asyncio.run(scenario())


def test_it_can_be_closed_while_it_rests() -> None:
    async def scenario() -> None:
        ours, theirs = os.pipe()
        words = LastWords(owned(ours))
        os.write(theirs, b"sorry")
        await until(lambda: words.text == ": sorry")
        words.close()
        os.close(theirs)

    asyncio.run(scenario())
