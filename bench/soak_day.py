"""A working day in two editors, compressed: which session has the next turn, and what else happens.

One editor speaks version 1, the other version 2, and both keep their sessions in one store. A few
sessions are open at a time; the oldest gives way to a new one again and again, so that the day
looks the same at every hour once the first of them have gone.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench import soak_turns
from bench.mcp_servers import server
from bench.soak_client import SoakClient
from bench.soak_model import orders
from bench.soak_turns import KINDS, SERVER, Session, WentWrong, project

OPEN = 8
"""Sessions that are open at a time."""
_SERVED = 2
"""So many of those that are open at a time have an MCP server."""
_MOST_PROBLEMS = 20


@dataclass
class Done:
    """What the day had."""

    turns: int = 0
    sessions: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    texts: list[tuple[int, float]] = field(default_factory=list)
    """The number of every turn of plain text, and its seconds."""


class Day:
    def __init__(
        self, folder: Path, clients: Sequence[SoakClient], turns: int, sessions: int, seed: int
    ) -> None:
        self._folder = folder
        self._clients = clients
        self._random = Random(seed)
        self._open: deque[Session] = deque()
        self._closed: list[Session] = []
        self._between = max(turns // max(sessions - OPEN, 1), 1)
        self._sessions = sessions
        self.done = Done()

    @property
    def failed(self) -> bool:
        return len(self.done.problems) >= _MOST_PROBLEMS

    def begin(self) -> None:
        for _ in range(min(OPEN, self._sessions)):
            self._new()

    def step(self) -> None:
        """One turn, or a few at once, and what comes with it."""
        before = self.done.turns
        if self._random.random() < 0.02:
            self._try(self._together)
        else:
            session = self._random.choice(self._open)
            [kind] = self._random.choices(list(KINDS), list(KINDS.values()))
            self._try(lambda: self._play(kind, session))
        for rate, aside in (
            (0.05, self._list),
            (0.04, self._reload),
            (0.01, self._swap),
            (0.01, self._fork),
            (0.02, self._look_back),
        ):
            if self._random.random() < rate:
                self._try(aside)
        due = before // self._between != self.done.turns // self._between
        if due and self.done.sessions < self._sessions:
            self._try(self._replace)

    def rest(self, look: Callable[[], None]) -> None:
        """Close everything, let somebody look, and open it again."""
        for session in self._open:
            session.client.call("session/close", sessionId=session.id)
        # What a session leaves to the background ends in a moment.
        time.sleep(0.5)
        look()
        for session in self._open:
            self._load(session)

    def _try(self, action: Callable[[], None]) -> None:
        try:
            action()
        except (WentWrong, AssertionError) as error:
            self.done.problems.append(f"turn {self.done.turns}: {error}")

    def _play(self, kind: Callable[[Session, int], None], session: Session) -> None:
        self.done.turns += 1
        name, version = kind.__name__, session.client.version
        self.done.counts[name] += 1
        began = time.perf_counter()
        try:
            kind(session, self.done.turns)
        except WentWrong as error:
            raise WentWrong(f"{name}, version {version}: {error}") from None
        finally:
            session.client.questions.pop(session.id, None)
        if kind is soak_turns.text:
            self.done.texts.append((self.done.turns, time.perf_counter() - began))
        elif kind is soak_turns.undo:
            # The command is a turn as well.
            self.done.turns += 1

    def _together(self) -> None:
        """Turns of several sessions at once."""
        chosen = self._random.sample(list(self._open), min(4, len(self._open)))
        begun: list[tuple[Session, int]] = []
        for session in chosen:
            self.done.turns += 1
            text = orders(self.done.turns, pieces=["At ", "once."])
            begun.append((session, session.client.start_turn(session.id, text)))
        for session, number in begun:
            soak_turns.expect("ending", session.client.ending(session.id, number), "end_turn")
        self.done.counts["at once"] += len(chosen)

    def _new(self) -> None:
        number = self.done.sessions
        self.done.sessions += 1
        client = min(self._clients, key=self._open_in)
        folder = project(self._folder / f"project{number}")
        served = number % OPEN < _SERVED
        session = Session("", folder, client, served)
        session.id = client.call("session/new", cwd=str(folder), mcpServers=_servers(session))[
            "sessionId"
        ]
        self._open.append(session)

    def _open_in(self, client: SoakClient) -> int:
        return sum(each.client is client for each in self._open)

    def _replace(self) -> None:
        """The oldest session is over; every other one is deleted for good."""
        session = self._open.popleft()
        session.client.call("session/close", sessionId=session.id)
        if self.done.sessions % 2:
            session.client.call("session/delete", sessionId=session.id)
            self.done.counts["deleted"] += 1
        else:
            self._closed.append(session)
        self._new()

    def _list(self) -> None:
        found = self._random.choice(self._clients).call("session/list")["sessions"]
        ids = {each["sessionId"] for each in found}
        if missing := [each.id for each in self._open if each.id not in ids]:
            raise WentWrong(f"sessions that are not listed: {missing}")
        self.done.counts["listed"] += 1

    def _reload(self) -> None:
        session = self._random.choice(self._open)
        session.client.call("session/close", sessionId=session.id)
        self._load(session)
        self.done.counts["loaded"] += 1

    def _swap(self) -> None:
        """Two sessions go on in the other editor."""
        first, second = (
            next((each for each in self._open if each.client is client), None)
            for client in self._clients[:2]
        )
        if first is None or second is None:
            return
        for session in (first, second):
            session.client.call("session/close", sessionId=session.id)
        first.client, second.client = second.client, first.client
        for session in (first, second):
            self._load(session)
        self.done.counts["handed over"] += 2

    def _fork(self) -> None:
        session = self._random.choice(self._open)
        if session.client.version != 1:
            # The stable part of version 2 has no forks.
            return
        params = {"sessionId": session.id, "cwd": str(session.folder)}
        made = session.client.call("session/fork", **params, mcpServers=[])["sessionId"]
        session.client.call("session/delete", sessionId=made)
        self.done.counts["forked"] += 1

    def _look_back(self) -> None:
        """A session of the morning is read again."""
        if self._closed:
            session = self._random.choice(self._closed)
            session.client = self._random.choice(self._clients)
            self._load(session)
            session.client.call("session/close", sessionId=session.id)
            self.done.counts["looked back"] += 1

    def _load(self, session: Session) -> None:
        client = session.client
        params = {
            "sessionId": session.id,
            "cwd": str(session.folder),
            "mcpServers": _servers(session),
        }
        if client.version == 1:
            client.call("session/load", **params)
        else:
            client.call("session/resume", **params, replayFrom={"type": "start"})


def _servers(session: Session) -> list[dict[str, object]]:
    return [server("honest", SERVER)] if session.served else []
