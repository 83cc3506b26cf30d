"""`parley sessions`: what was said and done before, in our own agent or in any other."""

import argparse
import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Protocol

from parley.cli.private_file import private
from parley.cli.session_arguments import add_session_arguments
from parley.cli.stored_sessions import stored_sessions
from parley.cli.usage import complaint
from parley.coder.config import load
from parley.errors import AcpError, ConfigError
from parley.frontend.headless.json_output import plain
from parley.frontend.session_list import older, session_named, short_names, table
from parley.frontend.story import story_of, texts_of
from parley.frontend.transcript_html import html
from parley.frontend.transcript_markdown import markdown
from parley.frontend.transcript_text import EVERYTHING, Line, text_lines
from parley.frontend.visible import one_line
from parley.session.event import Event
from parley.session.role import SessionInfo

TAKES_AGENT = True
"""What follows `--` is the command of an agent."""

_COLOURS = {
    "strong": "\x1b[1m",
    "dim": "\x1b[2m",
    "good": "\x1b[32m",
    "bad": "\x1b[31m",
    "warning": "\x1b[33m",
}
_EXCERPT = 100
_MOST_EXCERPTS = 3


class SessionSource(Protocol):
    """Where sessions are: our own store, or another agent behind the protocol."""

    async def listed(self, cwd: str | None) -> list[SessionInfo]:
        """All of them, or those of a folder."""
        ...

    async def find(self, session_id: str) -> SessionInfo | None:
        """The session with exactly this id, where that can be told without listing all."""
        ...

    async def events(self, session: SessionInfo) -> list[Event]: ...

    async def fork(self, session: SessionInfo) -> str:
        """Make a copy; returns its id."""
        ...

    async def delete(self, session: SessionInfo) -> None: ...


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_session_arguments(parser)


def run(options: argparse.Namespace) -> int:
    return asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> int:
    async with _opened(options) as source:
        return await _ACTIONS[options.action or "list"](source, options)


@asynccontextmanager
async def _opened(options: argparse.Namespace) -> AsyncGenerator[SessionSource]:
    if options.agent_command or options.agent:
        # Our own sessions need neither the protocol nor a process.
        from parley.cli.remote_sessions import remote_sessions  # noqa: PLC0415

        async with remote_sessions(options) as remote:
            yield remote
    else:
        folders = load(os.environ, {"data_dir": options.data_dir}).folders
        async with stored_sessions(folders.data) as stored:
            yield stored


async def _list(source: SessionSource, options: argparse.Namespace) -> int:
    folder = None if options.all else _folder(options.cwd or os.getcwd())
    found = await source.listed(folder)
    if options.json:
        print(_json([plain(each) for each in found]))
        return 0
    if not found:
        where = (
            "" if folder is None else f" in {one_line(folder)}; --all lists those of all folders"
        )
        print(f"no sessions{where}", file=sys.stderr)
        return 0
    everything = found if folder is None else await source.listed(None)
    names = short_names(everything)
    lines = table(found, _now(), names=names, folders=folder is None, width=_width())
    print("\n".join(lines))
    return 0


async def _show(source: SessionSource, options: argparse.Namespace) -> int:
    session = await _session(source, options.id)
    story = story_of(session, await source.events(session))
    _print(text_lines(story, _width(), EVERYTHING if options.full else None))
    return 0


async def _search(source: SessionSource, options: argparse.Namespace) -> int:
    folder = None if options.cwd is None else _folder(options.cwd)
    sessions = await source.listed(folder)
    names = short_names(sessions if folder is None else await source.listed(None))
    wanted = options.text.casefold()
    hits = 0
    for session in sessions:
        story = story_of(session, await source.events(session))
        lines = [line for text in texts_of(story) for line in text.split("\n")]
        found = [line for line in lines if wanted in line.casefold()]
        if found:
            hits += 1
            _print(_hit(session, story.title, names, found, wanted))
    if not hits:
        print(f"`{one_line(options.text)}` is in no session", file=sys.stderr)
    return int(not hits)


async def _export(source: SessionSource, options: argparse.Namespace) -> int:
    session = await _session(source, options.id)
    events = await source.events(session)
    match options.format:
        case "json":
            text = _json({"session": plain(session), "events": [plain(each) for each in events]})
            text += "\n"
        case "html":
            text = html(story_of(session, events))
        case _:
            text = markdown(story_of(session, events))
    if options.output is None:
        sys.stdout.write(text)
        return 0
    _write(options.output, text)
    print(f"written to {one_line(options.output)}", file=sys.stderr)
    return 0


async def _fork(source: SessionSource, options: argparse.Namespace) -> int:
    forked = await source.fork(await _session(source, options.id))
    print(one_line(forked))
    hint = f'go on with it: parley run --session={one_line(forked)} "..."'
    print(hint, file=sys.stderr)
    return 0


async def _delete(source: SessionSource, options: argparse.Namespace) -> int:
    # All of them are known before the first one is gone.
    sessions = [await _session(source, each) for each in options.id]
    return await _deleted(source, sessions)


async def _prune(source: SessionSource, options: argparse.Namespace) -> int:
    folder = None if options.cwd is None else _folder(options.cwd)
    sessions = older(await source.listed(folder), _now() - options.older_than)
    if not sessions:
        print("no session is that old", file=sys.stderr)
        return 0
    print(f"to be deleted: {len(sessions)}", file=sys.stderr)
    lines = table(sessions, _now(), names=short_names(sessions), folders=True, width=_width())
    print("\n".join(lines), flush=True)
    if not options.yes and not _agreed():
        print("nothing was deleted; --yes deletes them", file=sys.stderr)
        return 0
    return await _deleted(source, sessions)


Action = Callable[[SessionSource, argparse.Namespace], Coroutine[Any, Any, int]]
_ACTIONS: Mapping[str, Action] = {
    "list": _list,
    "show": _show,
    "search": _search,
    "export": _export,
    "fork": _fork,
    "delete": _delete,
    "prune": _prune,
}


async def _session(source: SessionSource, name: str) -> SessionInfo:
    found = await source.find(name)
    return session_named(await source.listed(None), name) if found is None else found


async def _deleted(source: SessionSource, sessions: Iterable[SessionInfo]) -> int:
    """Delete all that can be; one that is open elsewhere does not keep the others."""
    failed = 0
    for session in sessions:
        try:
            await source.delete(session)
        except AcpError as error:
            failed = 1
            print(complaint("parley sessions", error), end="", file=sys.stderr)
        else:
            title = one_line(session.title or "(no title)", 70)
            print(f"deleted {one_line(session.session_id)}  {title}", file=sys.stderr)
    return failed


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", opener=private) as file:
            file.write(text)
    except OSError as error:
        hint = "name a file that can be written"
        raise ConfigError(path, "--output", f"cannot be written: {error.strerror}", hint) from None


def _agreed() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print("delete these for good? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _hit(
    session: SessionInfo, title: str, names: Mapping[str, str], found: list[str], wanted: str
) -> Iterable[Line]:
    name = one_line(names[session.session_id], 40)
    yield f"{name}  {one_line(title or '(no title)', 70)}", "strong"
    for line in found[:_MOST_EXCERPTS]:
        start = max(line.casefold().find(wanted) - _EXCERPT // 3, 0)
        dots = "..." if start else ""
        yield f"    {dots}{one_line(line[start:], _EXCERPT)}", "plain"
    if len(found) > _MOST_EXCERPTS:
        yield f"    ... {len(found) - _MOST_EXCERPTS} more", "dim"


def _print(lines: Iterable[Line]) -> None:
    colours = (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") != "dumb"
    )
    for text, tone in lines:
        colour = _COLOURS.get(tone) if colours and text else None
        print(f"{colour}{text}\x1b[0m" if colour else text)


def _json(value: Any) -> str:
    # Every other character is written as an escape, which means nothing to a terminal.
    return json.dumps(value, indent=2).replace("\x7f", "\\u007f")


def _folder(path: str) -> str:
    return os.path.abspath(path)


def _width() -> int | None:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _now() -> datetime:
    return datetime.now(UTC)
