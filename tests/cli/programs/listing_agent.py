"""An agent with two sessions, which can as much as its arguments say."""

import os
import sys

import parley
from parley.errors import InvalidRequest, MethodNotFound
from parley.session.role import SessionInfo, SessionPage

CAN = set(sys.argv[1:])
TEXT = os.environ.get("LISTING_TEXT", "The first")
SESSIONS = (
    SessionInfo("one-of-them", "/here", TEXT, "2026-01-01T00:00:00Z"),
    SessionInfo("another-one", "/there", "The second", "2026-02-01T00:00:00Z"),
)

agent = parley.Agent("listing", title=TEXT)


@agent.prompt
async def answer(turn: parley.Turn) -> None:
    await turn.say("hello")


if "list" in CAN:

    @agent.list_sessions
    async def page(*, cwd: str | None, cursor: str | None) -> SessionPage:
        at = int(cursor or 0)
        following = "1" if at == 0 else "1" if "loop" in CAN else None
        return SessionPage((SESSIONS[at],), following)


if "load" in CAN:

    @agent.load_session
    async def load(session: parley.Session) -> None:
        await session.replay_user(f"the story of {session.id}")
        await session.say(TEXT)


if "fork" in CAN:

    @agent.fork_session
    async def fork(session: parley.Session, source: str) -> None:
        pass


if "delete" in CAN:

    @agent.delete_session
    async def delete(session_id: str) -> None:
        if "liar" in CAN:
            raise MethodNotFound
        if session_id != "one-of-them":
            raise InvalidRequest(f"{TEXT}: not this one")


if __name__ == "__main__":
    if "die" in CAN:
        sys.exit(f"dying: {TEXT}")
    versions = (1,) if "old" in CAN else (1, 2)
    agent.run(parley.Settings(unstable=True, versions=versions))
