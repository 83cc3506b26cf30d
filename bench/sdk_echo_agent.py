"""The echo agent of the benchmark on the SDK. It speaks the version that its client asks for."""

import parley
from echo_words import chunks

agent = parley.Agent("echo", "1")


@agent.prompt
async def echo(turn: parley.Turn) -> None:
    for text in chunks(turn.text):
        await turn.say(text)


if __name__ == "__main__":
    agent.run()
