"""An agent that opens sessions after a login in a terminal, and notes each of its starts."""

import json
import os
import sys
from pathlib import Path

import parley
from parley.errors import AuthRequired
from parley.session.profile import TerminalLogin

NOTES = Path(os.environ["NOTES"])
LOGGED_IN = NOTES.with_suffix(".key")

agent = parley.Agent("careful")
agent.registry.logins.append(
    TerminalLogin("tty", "Terminal", args=("--login", "a b"), env={"MODE": "login", "KEY": "1"})
)


@agent.new_session
async def begin(session: parley.Session) -> None:
    if not LOGGED_IN.exists():
        raise AuthRequired


@agent.prompt
async def answer(turn: parley.Turn) -> None:
    await turn.say("Welcome")


def note() -> None:
    env = {name: os.environ.get(name) for name in ("MODE", "KEY", "BASE")}
    start = {"args": sys.argv[1:], "cwd": os.getcwd(), "env": env}
    with NOTES.open("a", encoding="utf-8") as notes:
        notes.write(json.dumps(start) + "\n")


if __name__ == "__main__":
    note()
    if "--login" not in sys.argv:
        agent.run()
    # The person types the password, which is right or wrong.
    if sys.stdin.readline() != "sesame\n":
        sys.exit(2)
    sys.stdout.write("Logged in\n")
    LOGGED_IN.touch()
