"""An agent that keeps notes: modes, commands, a plan, a diff, permissions, stored sessions.

It writes what it is told to NOTES.txt in the directory of the session. Its conversations are
stored beside it, so that they can be listed and loaded again.
"""

import json
from pathlib import Path

import parley
from parley.errors import ResourceNotFound
from parley.session.option import Choice, Command, PlanEntry, Select
from parley.session.role import SessionInfo

MODE = Select(
    "mode",
    "Mode",
    "ask",
    (Choice("ask", "Ask before writing"), Choice("write", "Write without asking")),
    category="mode",
)
agent = parley.Agent(
    "notes", "1.0", title="Notes", options=[MODE], commands=[Command("forget", "Empty the notes")]
)


@agent.new_session
async def begin(session: parley.Session) -> None:
    session.data["said"] = []


@agent.load_session
async def load(session: parley.Session) -> None:
    session.data["said"] = said = stored(session.cwd, session.id)
    for speaker, text in said:
        await (session.replay_user(text) if speaker == "user" else session.say(text))


@agent.list_sessions
async def list_sessions(*, cwd: str | None, cursor: str | None) -> list[SessionInfo]:
    return [] if cwd is None else [SessionInfo(id, cwd) for id in stored_ids(cwd)]


@agent.prompt
async def note(turn: parley.Turn) -> None:
    await turn.plan(["Read the notes", "Write them"])
    old = notes(turn.cwd)
    new = "" if turn.text == "/forget" else f"{old or ''}{turn.text}\n"
    await turn.plan([PlanEntry("Read the notes", status="completed"), "Write them"])
    async with turn.tool("Write NOTES.txt", kind="edit", locations=["NOTES.txt"]) as tool:
        await tool.diff("NOTES.txt", old, new)
        allowed = turn.session.option("mode") == "write"
        if not allowed:
            decision = await tool.ask()
            allowed = decision.allowed
            if decision.allowed and decision.always:
                await turn.session.set_option("mode", "write")
        if allowed:
            write(Path(turn.cwd, "NOTES.txt"), new)
    answer = "Noted." if allowed else "I left the notes as they were."
    await turn.say(answer)
    turn.session.data["said"] += [["user", turn.text], ["agent", answer]]
    write(conversation(turn.cwd, turn.session.id), json.dumps(turn.session.data["said"]))


def notes(cwd: str) -> str | None:
    path = Path(cwd, "NOTES.txt")
    return path.read_text(encoding="utf-8") if path.exists() else None


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def conversation(cwd: str, session_id: str) -> Path:
    # The id comes from the client, so it must not be able to name another place.
    if not session_id.isalnum():
        raise ResourceNotFound
    return Path(cwd, ".notes", f"{session_id}.json")


def stored(cwd: str, session_id: str) -> list[list[str]]:
    path = conversation(cwd, session_id)
    if not path.exists():
        raise ResourceNotFound
    return json.loads(path.read_text(encoding="utf-8"))


def stored_ids(cwd: str) -> list[str]:
    return sorted(path.stem for path in Path(cwd, ".notes").glob("*.json"))


if __name__ == "__main__":
    agent.run()
