"""What `parley doctor` says of the stored sessions, and what it does with `--repair`."""

import argparse
import json
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from parley.cli.finding import Finding, is_bad, lines
from parley.coder.store.check import Checked, Fault, Progress, check, nobody
from parley.coder.store.database import FILE_NAME
from parley.coder.store.failure import StoreFailed
from parley.coder.store.leftovers import (
    Remain,
    exposed,
    misplaced,
    misplaced_logs,
    remains,
    size_of,
)
from parley.coder.store.rebuild import report_on
from parley.coder.store.repair import repair
from parley.coder.store.using import is_used, users

REPAIR = "parley doctor --repair"
SECONDS = 20.0
"""How long a look at the sessions may take. A repair takes the time that it needs."""

_MOST = 10
_REPORT_SECONDS = 2.0
_KILO = 1000
_REMAINS = {
    "lock": "locks of processes that are gone",
    "temporary": "temporary files of processes that were interrupted",
    "undo": "folders with undo data of sessions that are gone",
}


def store_findings(
    folder: Path, *, within: float = SECONDS, progress: Progress = nobody, fix: str = REPAIR
) -> Iterator[Finding]:
    """How the store is. Nothing is changed."""
    used = is_used(folder)
    # A session is made before its data, so what is there now belongs to no session made later.
    early = {each.path for each in remains(folder, frozenset())}
    checked = check(folder / FILE_NAME, within=within, progress=progress)
    yield from _contents(folder, checked, within, fix)
    yield from _around(folder, fix)
    for user in users(folder) if used else ():
        yield Finding("store", "ok", user.text)
    left = _remains(folder, checked, used=used)
    yield from _left([each for each in left if each.kind != "undo" or each.path in early], fix)
    if not used:
        yield from _waiting(folder)


def run_repair(folder: Path, options: argparse.Namespace) -> int:
    """Repair the store, tell what was done, and how it is now."""
    found: list[Finding] = []

    def tell(finding: Finding) -> None:
        found.append(finding)
        if not options.json:
            print("\n".join(lines(finding)), flush=True)

    def say(text: str) -> None:
        tell(Finding("repaired", "ok", text))

    def mourn(text: str) -> None:
        tell(Finding("repaired", "problem", text))

    try:
        checked = repair(folder, say, reported(), mourn=mourn)
        if not found and not checked.faults:
            say("nothing, since nothing needs it")
    except StoreFailed as error:
        text, _, hint = error.message.partition("\nhint: ")
        tell(Finding("repair", "problem", text, hint.partition(" [")[0]))
    for finding in store_findings(folder, progress=reported(), fix=""):
        tell(finding)
    if options.json:
        print(json.dumps([msgspec.to_builtins(each) for each in found], indent=2))
    return int(is_bad(found))


def repair_command(data_dir: str | None) -> str:
    """What a person types to have the store repaired that is looked at."""
    return REPAIR if data_dir is None else f"{REPAIR} --data-dir {shlex.quote(data_dir)}"


def reported() -> Progress:
    """Tells how far a look has come, if it takes long."""
    last = time.monotonic()

    def progress(done: int, every: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _REPORT_SECONDS:
            last = time.monotonic()
            print(f"parley doctor: {done} of {every} sessions looked at", file=sys.stderr)

    return progress


def _contents(folder: Path, checked: Checked, within: float, fix: str) -> Iterator[Finding]:
    for fault in checked.faults[:_MOST]:
        yield _fault(folder, fault, fix)
    if len(checked.faults) > _MOST:
        yield Finding("store", "problem", f"{len(checked.faults) - _MOST} more like these", fix)
    if not checked.exists:
        if not checked.faults:
            yield Finding("store", "ok", "there are no sessions yet")
        return
    sessions = "1 session" if checked.sessions == 1 else f"{checked.sessions} sessions"
    sum_ = f"{sessions} with {checked.entries} records, {_bytes(size_of(folder))}"
    if not checked.complete:
        text = f"{sum_}; within {within:g} s {checked.seen} sessions could be looked at"
        yield Finding("store", "note", text, f"{fix or REPAIR} looks at all of them")
    elif not checked.faults:
        yield Finding("store", "ok", f"{sum_}; every record is as it was written")
    else:
        yield Finding("store", "note", sum_)
    if checked.set_aside:
        text = f"{checked.set_aside} damaged records were taken out of sessions; the file has them"
        yield Finding("store", "note", text)


def _fault(folder: Path, fault: Fault, fix: str) -> Finding:
    match fault.kind:
        case "session":
            text = f"session `{fault.session_id}`: {fault.text}"
            return Finding("store", "problem", text, fix)
        case "newer":
            other = "update parley, or name another folder with --data-dir"
            return Finding("store", "problem", f"{FILE_NAME} {fault.text}", other)
        case "failed":
            text, _, hint = fault.text.partition("\nhint: ")
            return Finding("store", "problem", text, hint.partition(" [")[0])
        case _:
            return Finding("store", "problem", f"{folder / FILE_NAME} {fault.text}", fix)


def _around(folder: Path, fix: str) -> Iterator[Finding]:
    """Modes, and things in the place of others."""
    # The folder itself has a finding of its own.
    open_ones = [each for each in exposed(folder) if each.path != folder]
    if open_ones:
        first, more = open_ones[0], len(open_ones) - 1
        name = first.path.relative_to(folder)
        text = f"{name} has the mode {first.mode:o} and should have {first.wanted:o}"
        yield Finding("store", "problem", text + (f", and {more} more" if more else ""), fix)
    for path in (*misplaced(folder), *misplaced_logs(folder)):
        text = f"{path.relative_to(folder)} is in the place of something else"
        yield Finding("store", "problem", text, fix)


def _remains(folder: Path, checked: Checked, *, used: bool) -> Iterator[Remain]:
    """What is left behind; where processes are at work, only what cannot be theirs."""
    sound = checked.exists and not checked.faults
    for remain in remains(folder, checked.ids if sound else None):
        if not used or remain.kind in ("damaged", "undo"):
            yield remain


def _left(left: list[Remain], fix: str) -> Iterator[Finding]:
    damaged = [each for each in left if each.kind == "damaged"]
    for remain in damaged:
        yield _damaged(remain)
    for kind, words in _REMAINS.items():
        some = [each for each in left if each.kind == kind]
        if not some:
            continue
        text, how = f"{len(some)} {words} ({_bytes(sum(each.size for each in some))})", fix
        if kind == "undo" and damaged:
            text, how = f"{text}; they stay while damaged files do, which may know them", ""
        yield Finding("store", "note", text, how)


def _damaged(remain: Remain) -> Finding:
    """Nobody is told to remove what may be all that is left of a session."""
    text = f"{remain.path} ({_bytes(remain.size)}) was damaged and is kept"
    if not remain.path.name.startswith(FILE_NAME):
        return Finding("store", "note", text, "remove it if you miss nothing")
    report = report_on(remain.path.with_name(remain.path.name.removesuffix("-wal")))
    if report is None:
        return Finding("store", "note", f"{text}; it may have sessions that the store has not")
    if not report.whole:
        return Finding("store", "note", f"{text}. When it was replaced, {report.text}")
    return Finding("store", "note", text, "remove it: the store got all sessions and records of it")


def _waiting(folder: Path) -> Iterator[Finding]:
    with suppress(OSError):
        size = (folder / f"{FILE_NAME}-wal").stat().st_size
        if size:
            text = f"the last process was killed; its changes ({_bytes(size)}) are in the log"
            yield Finding("store", "note", f"{text}, and part of the store at the next start")


def _bytes(size: int) -> str:
    amount, units = float(size), ["bytes", "KB", "MB", "GB", "TB"]
    while amount >= _KILO and len(units) > 1:
        amount /= _KILO
        units.pop(0)
    return f"{amount:.0f} bytes" if units[0] == "bytes" else f"{amount:.1f} {units[0]}"
