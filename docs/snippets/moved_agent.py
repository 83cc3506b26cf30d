"""The same agent here, for the comparison in `docs/moving-over.md`."""

import parley

agent = parley.Agent("echo")


@agent.prompt
async def echo(turn: parley.Turn) -> None:
    for block in turn.prompt:
        await turn.say(block)


if __name__ == "__main__":
    agent.run()
