"""An agent of ours that can do everything; the first word of a prompt says what it does.

Flags: `--unstable` speaks the unstable part, `--locked` wants a login before the first session,
`--version=N` speaks that version alone.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from parley.errors import AuthRequired, InvalidParams, ResourceNotFound
from parley.protocol.settings import Settings
from parley.sdk.agent import Agent
from parley.sdk.turn import Session, Turn
from parley.session.content import Location
from parley.session.event import CompactionChanged, CompactionSummaryAdded, OtherHappened, TurnUsage
from parley.session.option import Choice, Command, OptionValue, PlanEntry, Select, Toggle
from parley.session.question import Accepted, Decision, SessionScope, UrlQuestion
from parley.session.role import Ending, SessionInfo, SessionPage

MODE = Select(
    "mode", "Mode", "ask", (Choice("ask", "Ask"), Choice("code", "Code")), category="mode"
)
MODEL = Select(
    "model", "Model", "small", (Choice("small", "Small"), Choice("big", "Big")), category="model"
)
QUIET = Toggle("quiet", "Quiet", False)
OPTIONS = (MODE, MODEL, QUIET)
COMMANDS = (Command("greet", "Greets somebody", hint="whom"),)
STORED = "stored"

agent = Agent(
    "parley-interop",
    "1.2.3",
    title="Parley",
    options=OPTIONS,
    commands=COMMANDS,
    image=True,
    audio=True,
    embedded_context=True,
    mcp_http=True,
    additional_directories=True,
)
locked = "--locked" in sys.argv
heard: list[str] = []


@agent.login("key", "A key", "Takes the key from the environment")
async def log_in() -> None:
    global locked
    locked = False


@agent.logout
async def log_out() -> None:
    global locked
    locked = True


@agent.new_session
async def open_new(session: Session) -> None:
    if locked:
        raise AuthRequired
    session.data["mcp"] = [server.name for server in session.mcp_servers]


@agent.load_session
async def load(session: Session) -> None:
    check_stored(session.id)
    await session.replay_user("What was said")
    await session.think("long ago")
    await session.say("What was answered")


@agent.resume_session
async def resume(session: Session) -> None:
    check_stored(session.id)


@agent.fork_session
async def fork(session: Session, origin: str) -> None:
    session.data["origin"] = origin


@agent.list_sessions
async def list_page(*, cwd: str | None = None, cursor: str | None = None) -> SessionPage:
    if cursor is None:
        first = SessionInfo(STORED, cwd or "/stored", "A stored one", "2026-01-02T03:04:05Z")
        return SessionPage((first,), next_cursor="2")
    if cursor == "2":
        return SessionPage((SessionInfo("older", cwd or "/older"),))
    raise InvalidParams


@agent.close_session
async def close(session: Session) -> None:
    heard.append(f"closed {session.id}")


@agent.delete_session
async def delete(session_id: str) -> None:
    heard.append(f"deleted {session_id}")


@agent.option_changed
async def option_changed(session: Session, option_id: str, value: OptionValue) -> None:
    if option_id == "model" and value == "big" and session.option("quiet"):
        raise InvalidParams("Invalid params: the big model is not quiet")


@agent.method("_interop/echo")
async def echo_method(params: object) -> object:
    return {"echo": params}


@agent.method("_interop/heard")
async def heard_method(params: object) -> object:
    return {"heard": heard}


@agent.notification("_interop/note")
def note(params: object) -> None:
    heard.append(f"note {params}")


@agent.prompt
async def answer(turn: Turn) -> Ending | str | None:
    word, _, rest = turn.text.partition(" ")
    if word in ACTIONS:
        await ACTIONS[word](turn, rest)
    return ENDINGS.get(word)


async def blocks(turn: Turn, rest: str) -> None:
    """Say every block back, each as a message of its own."""
    for block in turn.prompt:
        turn.new_message()
        await turn.say(block)


async def everything(turn: Turn, rest: str) -> None:
    await turn.think("Hm")
    await turn.say("Hello ")
    await turn.say("world")
    async with turn.tool(
        "Edit a file",
        kind="edit",
        name="edit_file",
        id="call-1",
        input={"path": "/a"},
        locations=[Location("/a", 3)],
    ) as call:
        await call.start()
        await call.text("Working")
        await call.diff("/a", "old\n", "new\n")
        await call.end("completed", output={"ok": True})
    await turn.plan([PlanEntry("First", "high", "completed"), PlanEntry("Second")])
    await turn.session.set_commands((Command("bye", "Says goodbye"),))
    await turn.session.set_options((Select("mode", "Mode", "code", MODE.choices, None, "mode"),))
    await turn.title("A title")
    await turn.usage(10, 100, cost=(0.5, "USD"))
    await turn.notice("A notice", severity="warning", description="About nothing")
    await turn.emit(CompactionChanged("compaction-1", "in_progress"))
    await turn.emit(CompactionChanged("compaction-1", "completed"))


async def shown_terminal(turn: Turn, rest: str) -> None:
    screen = await turn.terminal("make", cwd="/src")
    async with turn.tool("Build", kind="execute", id="call-t") as call:
        await call.terminal(screen.id)
        await screen.write("größer\n".encode()[:3])
        await screen.write("größer\n".encode()[3:])
        await screen.exit(0)


async def summary(turn: Turn, rest: str) -> None:
    await turn.emit(CompactionChanged("compaction-2", "in_progress"))
    block = turn.prompt[0]
    await turn.emit(CompactionSummaryAdded("compaction-2", block))
    await turn.emit(CompactionChanged("compaction-2", "completed"))


async def strange(turn: Turn, rest: str) -> None:
    raw = {"sessionUpdate": "_made_up", "value": [1, None]}
    await turn.emit(OtherHappened("_made_up", raw))


async def permission(turn: Turn, rest: str) -> None:
    async with turn.tool("Write a file", kind="edit", id="call-p") as call:
        decision = await call.ask("May I write?")
    await turn.say(verdict(decision))


async def permission_for_command(turn: Turn, rest: str) -> None:
    await turn.say(verdict(await turn.ask_command("rm -r build")))


async def files(turn: Turn, path: str) -> None:
    access = turn.client.files
    assert access is not None
    text = await access.read(turn.session.id, path, line=2, limit=1)
    await access.write(turn.session.id, path, text.upper())
    await turn.say(text)


async def terminal(turn: Turn, mode: str) -> None:
    terminals = turn.client.terminals
    assert terminals is not None
    command = await terminals.create(
        turn.session.id, "echo", ("hi",), env={"A": "b"}, cwd="/", output_limit=100
    )
    async with turn.tool("Run", kind="execute", id="call-r") as call, command:
        await call.terminal(command.id)
        if mode == "kill":
            await command.kill()
        status = await command.wait()
        output = await command.output()
    await turn.say(f"{output.text}|{output.truncated}|{status.code}|{status.signal}")


async def wait(turn: Turn, rest: str) -> None:
    async with turn.tool("Wait", id="call-w") as call:
        await call.start()
        await turn.say("Waiting")
        await asyncio.get_running_loop().create_future()


async def fail(turn: Turn, rest: str) -> None:
    raise RuntimeError("a secret detail")


async def want_login(turn: Turn, rest: str) -> None:
    raise AuthRequired


async def extensions(turn: Turn, rest: str) -> None:
    turn.client.tell("_interop/told", {"n": 1})
    answered = await turn.client.call("_interop/ask", {"n": 2})
    await turn.say(str(answered))


async def form(turn: Turn, rest: str) -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "title": "Name"}},
        "required": ["name"],
    }
    await turn.say(str(await turn.form("Who are you?", schema)))


async def url(turn: Turn, rest: str) -> None:
    scope = SessionScope(turn.session.id)
    question = UrlQuestion("Log in there", "https://example.org/in", "e-1", scope)
    answered = await turn.client.elicit(question)
    turn.client.complete_elicitation("e-1")
    await turn.say("accepted" if isinstance(answered, Accepted) else "not accepted")


async def meta(turn: Turn, rest: str) -> None:
    await turn.say(f"{turn.session.id} {turn.meta}")


async def about(turn: Turn, rest: str) -> None:
    session = turn.session
    can = turn.client.profile.capabilities
    await turn.say(
        f"{session.cwd} {session.additional_directories} {session.data} "
        f"{[session.option(each.id) for each in OPTIONS]} "
        f"{turn.client.profile.info.name} form={can.elicitation_form}"
    )


def check_stored(session_id: str) -> None:
    if session_id != STORED:
        raise ResourceNotFound


def verdict(decision: Decision) -> str:
    if decision.dismissed:
        return "dismissed"
    word = "allowed" if decision else "refused"
    return f"{word} always" if decision.always else word


ENDINGS: dict[str, Ending | str] = {
    "refuse": "refusal",
    "long": "max_tokens",
    "many": "max_turn_requests",
    "strange": "_tired",
    "counted": Ending("end_turn", TurnUsage(30, 10, 20)),
}
ACTIONS: dict[str, Callable[[Turn, str], Awaitable[None]]] = {
    "blocks": blocks,
    "everything": everything,
    "shown_terminal": shown_terminal,
    "summary": summary,
    "strange": strange,
    "permission": permission,
    "command": permission_for_command,
    "files": files,
    "terminal": terminal,
    "wait": wait,
    "fail": fail,
    "login": want_login,
    "extensions": extensions,
    "form": form,
    "url": url,
    "meta": meta,
    "about": about,
}


def settings() -> Settings:
    versions = [int(flag[10:]) for flag in sys.argv if flag.startswith("--version=")]
    return Settings(versions=tuple(versions) or (1, 2), unstable="--unstable" in sys.argv)


if __name__ == "__main__":
    agent.run(settings())
