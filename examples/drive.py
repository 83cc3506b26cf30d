"""Drive any agent from the command line: one prompt, everything that happens, your decisions.

Usage: .venv/bin/python examples/drive.py "List the files" -- some-agent --acp

Questions are answered with a number on stdin. Ctrl-C cancels the turn.
"""

import argparse
import asyncio
import sys
import threading
from contextlib import suppress

import parley
from parley.session.content import Text
from parley.session.event import ChunkAdded, Event, PlanChanged, ToolCallChanged
from parley.session.option import PlanItems
from parley.session.question import PermissionOption, PermissionQuestion

client = parley.Client("drive", "1.0")


@client.permission
async def decide(
    session: parley.RemoteSession, question: PermissionQuestion
) -> PermissionOption | None:
    """Let the person choose; no answer, or one that is no number, is a refusal."""
    print(f"\n{question.title}")
    for number, option in enumerate(question.options, 1):
        print(f"  {number} {option.name}")
    with suppress(ValueError, IndexError):
        number = int(await typed_line())
        if number > 0:
            return question.options[number - 1]
    return None


async def typed_line() -> str:
    """A line from stdin. The thread is a daemon, so that a cancelled question holds up nobody."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def read() -> None:
        text = sys.stdin.readline()
        with suppress(RuntimeError):  # The loop may be gone.
            loop.call_soon_threadsafe(lambda: line.done() or line.set_result(text))

    threading.Thread(target=read, daemon=True).start()
    return await line


def show(session: parley.RemoteSession, event: Event) -> None:
    """Print one event as it comes."""
    match event:
        case ChunkAdded(speaker="agent", content=Text(text=text)):
            print(text, end="", flush=True)
        case ToolCallChanged(id=id, status=str(status)):
            print(f"\n[{session.state.tool_calls[id].title}: {status}]")
        case PlanChanged(plan=PlanItems(entries=entries)):
            print("\n" + "\n".join(f"  - {entry.content} ({entry.status})" for entry in entries))
        case _:
            pass


async def drive(options: argparse.Namespace) -> str:
    settings = parley.Settings(versions=tuple(options.version or (1, 2)))
    async with client.connect(options.agent, settings=settings) as agent:
        print(f"{agent.profile.info.label}, version {agent.profile.version} of the protocol")
        session = await agent.new_session(options.cwd)
        turn = session.prompt(options.prompt)
        async for event in turn:
            show(session, event)
        return turn.result().stop_reason


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Drive any agent from the command line.")
    parser.add_argument("prompt", help="what to say")
    parser.add_argument("agent", nargs="+", help="the command line of the agent, behind --")
    parser.add_argument("--version", type=int, choices=(1, 2), action="append")
    parser.add_argument("--cwd", default=".", help="where the agent works")
    try:
        print(f"\n(the turn ended: {asyncio.run(drive(parser.parse_args()))})")
    except parley.AcpError as error:
        sys.exit(f"drive: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
