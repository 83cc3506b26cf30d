"""Questions that are about no tool call: a command, and a form."""

import parley

agent = parley.Agent("asking")
NAME = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Your name"}},
    "required": ["name"],
}


@agent.prompt
async def greet(turn: parley.Turn) -> None:
    values = await turn.form("Whom shall I greet?", NAME)
    if values is None:
        await turn.say("Hello, stranger.")
    elif await turn.ask_command(f"say {values['name']}"):
        await turn.say(f"Hello, {values['name']}.")


if __name__ == "__main__":
    agent.run()
