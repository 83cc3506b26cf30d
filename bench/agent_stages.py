"""What is measured of the coding agent. A stage runs once and returns its figures by name."""

import asyncio
import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from agent_client import Agent, AgentFailed
from model_server import ModelServer
from parley.coder.store.entry import TurnBegun
from parley.coder.store.store import Store

Figures = dict[str, float]
ROUNDS = 300
EDGE = 50
"""Rounds at the beginning and the end that are compared."""
TURNS = 100
EVENTS = 10_000
SESSIONS = 10_000
AT_ONCE = 8
_DELAY = 0.02
_PIECES_PER_ROUND = 5
_EVENTS_PER_ROUND = 9
_FILE = "notes.txt"


@dataclass(frozen=True)
class Place:
    """Where the agents work, and what is beside them."""

    folder: Path
    model: ModelServer
    loaded: str
    """The session of many events."""
    peer: Sequence[str] = ()

    def home(self, name: str) -> Path:
        return _made(self.folder / name)


Stage = Callable[[Place], Figures]


def start(place: Place) -> Figures:
    """Spawn to the answer to `initialize`, and the peer beside it."""
    with Agent(place.home("start")) as agent:
        wall = agent.begin()
        figures = {
            "initialize, ms": wall * 1000,
            "initialize, cpu ms": agent.cpu() * 1000,
            "initialize, MB": agent.memory(),
        }
    if place.peer:
        figures |= _peer_start(place)
        figures["initialize, cpu to peer's"] = (
            figures["initialize, cpu ms"] / figures["peer initialize, cpu ms"]
        )
    return figures


def _peer_start(place: Place) -> Figures:
    with Agent(place.home("peer"), command=place.peer) as agent:
        wall = agent.begin()
        return {
            "peer initialize, ms": wall * 1000,
            "peer initialize, cpu ms": agent.cpu() * 1000,
            "peer initialize, MB": agent.memory(),
        }


def opening(place: Place) -> Figures:
    """The first session of a process, which waits for most of the agent to load, and others."""
    home = place.home("opening")
    with Agent(home, place.model.environment(1)) as agent:
        agent.begin()
        first = _timed(lambda: agent.open(home))
        whole = time.perf_counter() - agent.began
        cpu = agent.cpu()
        later = [_timed(lambda: agent.open(home)) for _ in range(20)]
    return {
        "first session/new, ms": first * 1000,
        "spawn to first session, ms": whole * 1000,
        "spawn to first session, cpu ms": cpu * 1000,
        "later session/new, ms": statistics.median(later) * 1000,
    }


def text_turns(place: Place) -> Figures:
    """Turns that end after one answer; what the model takes is subtracted."""
    home = place.home("turns")
    with Agent(home, place.model.environment(10)) as agent:
        session = _warm(place, agent, home)
        place.model.plan(agent.pid)
        cpu = agent.cpu()
        walls = [_timed(lambda: agent.prompt(session)) for _ in range(TURNS)]
        cpu = agent.cpu() - cpu
        asked = place.model.requests()
    own = [wall - (each.left - each.came) for wall, each in zip(walls, asked, strict=True)]
    return {
        "text turn, ms": statistics.median(own) * 1000,
        "text turn, cpu ms": cpu / TURNS * 1000,
    }


def read_rounds(place: Place) -> Figures:
    """One turn of many rounds: from an answer that calls `read_file` to the next request."""
    home = place.home("rounds")
    (home / _FILE).write_text("a line of text as it stands in a file\n" * 20)
    with Agent(home, place.model.environment(ROUNDS + 10)) as agent:
        session = _warm(place, agent, home)
        before = agent.memory()
        place.model.plan(agent.pid, calls=ROUNDS, path=_FILE)
        agent.prompt(session)
        asked = place.model.requests()
        after = agent.memory()
    own = [following.came - each.left for each, following in pairwise(asked)]
    cpu = [following.cpu - each.cpu for each, following in pairwise(asked)]
    assert len(own) == ROUNDS, f"{len(own)} rounds were made"
    return {
        "read_file round, ms": statistics.median(own) * 1000,
        "read_file round, cpu ms": statistics.mean(cpu) * 1000,
        "rounds, last to first": _growth(own),
        "rounds, last to first, cpu": _growth(cpu),
        "memory before rounds, MB": before,
        "memory after rounds, MB": after,
    }


def loading(place: Place) -> Figures:
    """A long session, loaded by a process that has just started."""
    home = place.home("loading")
    with Agent(home) as agent:
        agent.begin()
        before = time.perf_counter()
        number = agent.send("session/load", sessionId=place.loaded, cwd=str(home), mcpServers=[])
        _, lines = agent.wait([number])
        spent = time.perf_counter() - before
    if len(lines) < EVENTS:
        raise AgentFailed(f"only {len(lines)} updates came")
    return {"load, ms": spent * 1000, "load, updates": len(lines)}


def listing(place: Place) -> Figures:
    """All pages of a store of many sessions."""
    home = place.home("listing")
    with Agent(home) as agent:
        agent.begin()
        first_ever = _timed(lambda: agent.call("session/list"))
        firsts = [_timed(lambda: agent.call("session/list", cwd=str(home))) for _ in range(10)]
        pages: list[float] = []
        found, cursor = 0, None
        while not pages or cursor:
            more = {"cursor": cursor} if cursor else {}
            before = time.perf_counter()
            page = agent.call("session/list", **more)
            pages.append(time.perf_counter() - before)
            found, cursor = found + len(page["sessions"]), page.get("nextCursor")
    if found != SESSIONS:
        raise AgentFailed(f"{found} of {SESSIONS} sessions were listed")
    return {
        "list right after the start, ms": first_ever * 1000,
        "list first page, ms": statistics.median(firsts) * 1000,
        "list next page, ms": statistics.median(pages[1:]) * 1000,
        "list slowest page, ms": max(pages) * 1000,
        "list all pages, ms": sum(pages) * 1000,
    }


def at_once(place: Place) -> Figures:
    """Turns of several sessions at once, beside the turns of one alone."""
    home, turns = place.home("at_once"), 10
    with Agent(home, place.model.environment(10)) as agent:
        first = _warm(place, agent, home)
        sessions = [first, *(agent.open(home) for _ in range(AT_ONCE - 1))]
        place.model.plan(agent.pid, delay=_DELAY)
        alone = _timed(lambda: [agent.prompt(sessions[0]) for _ in range(turns)])
        together = _timed(lambda: [agent.prompt(*sessions) for _ in range(turns)])
        place.model.plan(agent.pid)
        instant = _timed(lambda: [agent.prompt(*sessions) for _ in range(turns)])
    return {
        f"{AT_ONCE} sessions, time to one's": together / alone,
        f"{AT_ONCE} sessions, turns/s": AT_ONCE * turns / instant,
    }


STAGES: dict[str, Stage] = {
    "start": start,
    "opening": opening,
    "turns": text_turns,
    "rounds": read_rounds,
    "loading": loading,
    "listing": listing,
    "sessions": at_once,
}


def long_session(home: Path) -> str:
    """A stored session of many events, text and tool calls, as a scripted model makes them."""
    _made(home)
    (home / _FILE).write_text("a line of text\n" * 10)
    rounds = EVENTS // _EVENTS_PER_ROUND + 1
    call = {"name": "read_file", "arguments": {"path": _FILE}}
    answer = {"text": ["some words "] * _PIECES_PER_ROUND, "calls": [call]}
    script = home / "script.json"
    script.write_text(json.dumps([*[answer] * rounds, {"text": "Done."}]))
    env = {
        "PARLEY_PROVIDER": "scripted",
        "PARLEY_SCRIPT": str(script),
        "PARLEY_MAX_REQUESTS": str(rounds + 10),
    }
    with Agent(home, env) as agent:
        agent.begin()
        session = agent.open(home)
        agent.prompt(session)
        agent.call("session/close", sessionId=session)
    return session


def many_sessions(home: Path) -> None:
    """A store with many sessions in it, put there without an agent, which would take longer."""
    _made(home)

    async def fill() -> None:
        store = Store(home / ".local" / "share" / "parley")
        for number in range(SESSIONS):
            log = await store.create(f"session-{number:012d}", str(home))
            log.append(TurnBegun("first"))
            log.set_title(f"What session {number} is about")
            await log.close()
        await store.aclose()

    asyncio.run(fill())


def _warm(place: Place, agent: Agent, home: Path) -> str:
    """A session that has had a turn: the first of a process loads what requests need."""
    place.model.plan(agent.pid)
    agent.begin()
    session = agent.open(home)
    agent.prompt(session)
    return session


def _timed(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def _growth(values: Sequence[float]) -> float:
    return statistics.median(values[-EDGE:]) / statistics.median(values[:EDGE])


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
