"""An agent in ten lines: it streams words, asks before it acts, and can be cancelled."""

import parley

agent = parley.Agent("tiny")


@agent.prompt
async def answer(turn: parley.Turn) -> None:
    for word in turn.text.split():
        await turn.say(f"{word} ")
    async with turn.tool("Remember the words", kind="think") as tool:
        if await tool.ask():
            await tool.text("I will not forget them.")


agent.run()
