"""Logins, extension methods, and the resources of a session."""

from typing import Any

import parley
from parley.errors import AuthRequired

agent = parley.Agent("extending", image=True)
logged_in: set[str] = set()
turns: dict[str, int] = {}


@agent.login("key", "API key", "The key in the environment of the agent")
async def log_in() -> None:
    logged_in.add("key")


@agent.logout
async def log_out() -> None:
    logged_in.clear()


@agent.new_session
async def begin(session: parley.Session) -> None:
    if not logged_in:
        raise AuthRequired
    turns[session.id] = 0


@agent.close_session
async def close(session: parley.Session) -> None:
    """Runs when the client closes the session, and when the client is gone."""
    del turns[session.id]


@agent.method("_example.org/turns")
async def count_turns(params: dict[str, Any]) -> dict[str, int]:
    return {"turns": turns[params["sessionId"]]}


@agent.prompt
async def answer(turn: parley.Turn) -> None:
    turns[turn.session.id] += 1
    files = turn.client.files
    if files is not None and files.can_read:
        # The client's view of the file, with what is not saved yet. Version 1 only.
        await turn.say(await files.read(turn.session.id, f"{turn.cwd}/README.md", limit=1))
    else:
        await turn.say("This client shows me no files.")


if __name__ == "__main__":
    agent.run()
