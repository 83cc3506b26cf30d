"""A home of its own with stored sessions in it, for the tests of `parley sessions`."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from parley.coder.store.entry import Entry, Said, Told, TurnBegun, TurnOver
from parley.coder.store.store import Store
from parley.session.event import Event, StateChanged
from parley.session.role import Ending
from tests.frontend.stories import one_turn

FIRST, SECOND = "First-session-0001", "Second-session-0002"


def enter(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder the home of everything, and a folder in it the one to work in."""
    work = home / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for name in [each for each in os.environ if each.startswith(("PARLEY_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    return home / ".local/share/parley"


def entries_of(events: Sequence[Event]) -> tuple[Entry, ...]:
    """The events of a turn as our agent stores them: states are not told, turns are."""
    told: list[Entry] = [Told(each) for each in events if not isinstance(each, StateChanged)]
    return (TurnBegun("t"), *told, TurnOver("t", Ending("end_turn")))


def store(
    folder: Path,
    session_id: str,
    cwd: Path | str,
    title: str = "Mend the mean",
    *,
    events: Sequence[Event] | None = None,
    time: float | None = None,
    more: Sequence[Entry | Said] = (),
) -> None:
    """Store one session, at a time of one's own if wanted."""

    async def work() -> None:
        clock = {} if time is None else {"clock": lambda: time}
        sessions = Store(folder, **clock)
        log = await sessions.create(session_id, str(cwd))
        log.append(*entries_of(one_turn() if events is None else events), *more)
        log.set_title(title)
        await sessions.aclose()

    asyncio.run(work())
