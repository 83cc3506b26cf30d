"""What is known of the files of one session, and taking changes back. Everything here blocks.

A call that says which files it writes has those looked at before and after. Every other call may
change anything, so the whole workspace is looked at: by the times and sizes of files, and only
those that look different are read.
"""

import os
import threading
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from parley.coder.undo.contents import AtHand, Kept
from parley.coder.undo.journal import Journal, Made, Undone
from parley.coder.undo.look import Seen, Survey, TooLarge, located, state_at, survey
from parley.coder.undo.restore import restore
from parley.coder.undo.state import Change, File, Gone, State, merged

UNWATCHED = "the workspace has too many files to watch all of them"


class Result(Struct, frozen=True):
    """What became of taking something back."""

    turns: int = 0
    """How many turns were taken back; none if there was nothing to take back."""
    again: bool = False
    """Whether an undo was taken back instead, so that the turns hold again."""
    changed: tuple[bytes, ...] = ()
    """Paths that are as before now."""
    conflicts: tuple[bytes, ...] = ()
    """Paths that somebody else has changed since; if there are any, nothing was done."""
    failed: tuple[bytes, ...] = ()
    """Paths that could not be changed, or whose old content could not be kept."""
    unseen: str = ""
    """Why commands may have changed more than is known; empty if they have not."""


class Books:
    def __init__(self, folder: Path, roots: tuple[str, ...]) -> None:
        for each in (folder.parent, folder):
            each.mkdir(parents=True, exist_ok=True)
            each.chmod(0o700)  # Whatever the mask of the process takes away or leaves.
        self._roots = roots
        self._journal = Journal(folder)
        self._kept = Kept(folder)
        self._kept.drop_all_but(self._journal.hashes())
        self._at_hand = AtHand(folder)
        self._folder = folder
        self._is_oversize = False
        # Whether the workspace alone has more content than can be at hand.
        self._survey: Survey | None = None
        self._is_unwatched = False
        # Whether the workspace is too large; it is not tried again, since that takes its time.
        self._lock = threading.Lock()
        # A call that is cancelled leaves its thread at work, and the next one must wait for it.

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names of folders that are not watched, as far as any were seen."""
        names = () if self._survey is None else self._survey.left_out
        return tuple(sorted(map(os.fsdecode, names)))

    def close(self) -> None:
        with self._lock:
            self._at_hand.close()
            self._survey = None

    def states(self, paths: Iterable[str]) -> dict[bytes, State]:
        """What lies at these paths and above them now."""
        with self._lock:
            every = {each for path in paths for each in _and_above(self._roots, path)}
            return {path: self._look(path) for path in sorted(every)}

    def wrote(self, turn: str, before: dict[bytes, State]) -> None:
        """A call of a turn has written some files."""
        with self._lock:
            after = {path: self._look(path) for path in before}
            self._made(turn, before, after)
            self._learn(after)

    def begin(self, turn: str, *, alone: bool) -> None:
        """A call that may change anything begins; `alone` says that no other one runs."""
        with self._lock:
            if alone and self._at_hand.full and not self._is_oversize:
                self._start_anew()
            before, now = self._survey, self._surveyed()
            if before is not None and now is not None and not alone:
                self._made(turn, _states(before), _states(now))
            self._survey = now

    def end(self, turn: str) -> None:
        """Such a call has ended."""
        with self._lock:
            before, now = self._survey, self._surveyed()
            if before is None or now is None:
                if not self._journal.is_unseen(turn):
                    self._journal.append(Made(turn, unseen=UNWATCHED))
            else:
                self._made(turn, _states(before), _states(now))
            self._survey = now

    def undo(self, count: int | None, *, force: bool = False) -> Result:
        """Take back the last turns; without a number the last one, or the last undo."""
        with self._lock:
            last = self._journal.last
            if count is None and last is not None:
                wanted = tuple(change.reversed for change in last.changes)
                return self._take_back(last.turns, wanted, force=force, again=True)
            turns = self._journal.turns()[-(count or 1) :]
            changes = merged(change for turn in turns for change in turn.changes)
            unseen = next((turn.unseen for turn in turns if turn.unseen), "")
            lost = tuple(change.path for change in changes if change.lost)
            wanted = tuple(change.reversed for change in changes if not change.lost)
            ids = tuple(turn.id for turn in turns)
            return self._take_back(ids, wanted, force=force, lost=lost, unseen=unseen)

    def _take_back(
        self,
        turns: tuple[str, ...],
        wanted: tuple[Change, ...],
        *,
        force: bool,
        again: bool = False,
        lost: tuple[bytes, ...] = (),
        unseen: str = "",
    ) -> Result:
        """Let files become what they were: of each change the `before` is expected now."""
        if not turns:
            return Result()
        now = {change.path: self._look(change.path, keep=True) for change in wanted}
        open_ones = [change for change in wanted if now[change.path] != change.after]
        conflicts = tuple(each.path for each in open_ones if now[each.path] != each.before)
        if conflicts and not force:
            return Result(len(turns), again, conflicts=conflicts)
        # What cannot be kept could not be brought back, so it stays, unless it is insisted on.
        kept = {each.path for each in open_ones if force or self._is_kept(now[each.path])}
        work = [Change(c.path, now[c.path], c.after) for c in open_ones if c.path in kept]
        restore(self._roots, work, self._kept.get)
        after = {path: self._look(path) for path in now}
        done = tuple(
            Change(path, now[path], state) for path, state in after.items() if state != now[path]
        )
        self._journal.append(Undone(turns, done, again))
        self._learn(after)
        failed = (*lost, *(each.path for each in open_ones if after[each.path] != each.after))
        changed = tuple(change.path for change in done)
        return Result(len(turns), again, changed, (), failed, unseen)

    def _made(self, turn: str, before: dict[bytes, State], after: dict[bytes, State]) -> None:
        changes: list[Change] = []
        for path in sorted({*before, *after}):
            old, new = before.get(path, Gone()), after.get(path, Gone())
            if old != new:
                changes.append(Change(path, old, new, lost=not self._keep(old)))
        if changes:
            self._journal.append(Made(turn, tuple(changes)))

    def _keep(self, state: State) -> bool:
        """Keep the content of a file for good; whether it could be kept."""
        if not isinstance(state, File) or self._is_kept(state):
            return True
        data = self._at_hand.get(state.hash)
        return data is not None and self._kept.put(state.hash, data)

    def _is_kept(self, state: State) -> bool:
        return not isinstance(state, File) or self._kept.has(state.hash)

    def _look(self, path: bytes, *, keep: bool = False) -> State:
        return state_at(self._roots, path, self._kept.put if keep else self._at_hand.put)

    def _surveyed(self) -> Survey | None:
        if self._is_unwatched:
            return None
        try:
            return survey(self._roots, self._survey, self._at_hand.put)
        except TooLarge:
            self._is_unwatched = True
            return None

    def _start_anew(self) -> None:
        """Give the room of contents that no file has any more to others."""
        self._at_hand.close()
        self._at_hand = AtHand(self._folder)
        self._survey = None
        self._survey = self._surveyed()
        self._is_oversize = self._at_hand.full

    def _learn(self, states: dict[bytes, State]) -> None:
        """Know these states without another look, so that they are not taken for news."""
        if self._survey is None:
            return
        for path, state in states.items():
            if isinstance(state, Gone):
                self._survey.seen.pop(path, None)
            else:
                self._survey.seen[path] = Seen(state)


def _states(found: Survey) -> dict[bytes, State]:
    return {path: seen.state for path, seen in found.seen.items()}


def _and_above(roots: tuple[str, ...], path: str) -> list[bytes]:
    """A path and the folders between it and its root, which may have to be made for it."""
    place = located(roots, os.fsencode(path))
    if place is None:
        return []
    root, steps = place
    return [os.fsencode(os.path.join(root, *steps[:depth])) for depth in range(1, len(steps) + 1)]
