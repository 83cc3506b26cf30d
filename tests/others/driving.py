"""Drives one agent with a real process of `parley run` and says what was seen.

Each run has a home folder and a project of its own, and an environment that names nothing of this
machine but the search path. A mark in that environment finds processes that outlive the run.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from tests.coder.providers.fakes.server import FakeServer
from tests.others.model import serve
from tests.others.strangers import Stranger

Json = dict[str, Any]

TEXT = "written by a stranger\n"
_MARK = "PARLEY_OTHERS_RUN"
_PARLEY = Path(sys.executable).with_name("parley")
_SECONDS = 120.0
"""For a whole run. The first start of an agent may take a fifth of it."""
Manner = Literal["allow", "again", "refuse", "interrupt"]
"""`again` goes on where the run that allows has ended."""
_ANSWERS: Mapping[Manner, str] = {
    "allow": "--yes",
    "again": "--yes",
    "refuse": "--no",
    "interrupt": "--no",
}
_BEGUN = ("chunk_added", "tool_call_changed")
_LEAVING_SECONDS = 2.0
"""How long children of an agent may take to notice that it is gone."""


@dataclass(frozen=True)
class Seen:
    """What one run of `parley run` showed."""

    status: int
    events: tuple[Json, ...]
    stderr: str
    seconds: float
    written: str | None
    """What the file holds that the model wanted to write."""
    left_behind: tuple[str, ...] = ()
    """Programs of the run that were still there."""
    frames: tuple[Json, ...] = field(default=(), repr=False)

    def of(self, event: str) -> list[Json]:
        return [each for each in self.events if each["event"] == event]

    @property
    def opened(self) -> Json | None:
        return next(iter(self.of("session_opened")), None)

    @property
    def session_id(self) -> str | None:
        return None if self.opened is None else self.opened["sessionId"]

    @property
    def initialized(self) -> bool:
        return any("protocolVersion" in _result(frame) for frame in self.frames)

    @property
    def protocol(self) -> int | None:
        """The version the two agreed on, which is that of the last answer to `initialize`."""
        versions = [_result(frame).get("protocolVersion") for frame in self.frames]
        return next((each for each in reversed(versions) if each is not None), None)

    @property
    def stop_reason(self) -> str | None:
        return next((each.get("stopReason") for each in self.of("turn_ended")), None)

    @property
    def tool_statuses(self) -> set[str]:
        return {str(each["status"]) for each in self.of("tool_call_changed") if "status" in each}

    @property
    def answers(self) -> list[bool]:
        """The permissions that were asked for, in order: allowed or not."""
        return [bool(each["allowed"]) for each in self.of("permission_answered")]

    @property
    def trouble(self) -> str:
        """Why it went wrong, in one line."""
        failures = [each["failure"] for each in self.of("turn_ended") if each.get("failure")]
        told = [each["message"] for each in (*self.of("failed"), *failures)]
        lines = " ".join(told).splitlines() or self.stderr.strip().splitlines()[-1:]
        return lines[0] if lines else f"exit status {self.status}"


def drive(
    stranger: Stranger, folder: Path, scratch: Path, manner: Manner, before: Seen | None = None
) -> Seen:
    """One run of an installed agent, in a new folder `scratch`, or in the one of `before`."""
    project, home = scratch / "project", scratch / "home"
    for each in (project, home):
        each.mkdir(parents=True, exist_ok=before is not None)
    (project / "notes.txt").write_text("one\ntwo\n")
    for name, text in stranger.home.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    target, record = project / "written.txt", scratch / f"{manner}.frames.jsonl"
    stderr = scratch / f"{manner}.stderr.txt"
    mark = uuid.uuid4().hex
    model: AbstractContextManager[FakeServer | None] = nullcontext()
    if stranger.model is not None:
        model = serve(stranger.model, target, TEXT, stalls=manner == "interrupt")
    prompt = (stranger.waits if manner == "interrupt" else None) or stranger.prompt
    began = time.monotonic()
    with model as server:
        env = _environment(home, folder, mark)
        env |= stranger.environment(server.url if server else "")
        status, events = _run(
            [
                *(str(_PARLEY), "run", prompt, "--output", "json", "--no-stdin", "--verbose"),
                *("--cwd", str(project), "--record", str(record), "--timeout", str(_SECONDS)),
                *(_ANSWERS[manner], *_session(stranger, before), *stranger.options, "--"),
                *stranger.command(folder),
            ],
            env,
            stderr,
            interrupt=manner == "interrupt",
        )
        seconds = time.monotonic() - began
        left = left_behind(mark)
    return Seen(
        status,
        tuple(events),
        stderr.read_text(),
        seconds,
        target.read_text() if target.exists() else None,
        left,
        tuple(_frames(record)),
    )


def _session(stranger: Stranger, before: Seen | None) -> tuple[str, ...]:
    if before is None or before.session_id is None:
        return ()
    return ("--continue",) if stranger.again == "latest" else ("--session", before.session_id)


def _environment(home: Path, folder: Path, mark: str) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "TMPDIR": str(home.parent),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "PYTHONPATH": str(folder / "packages"),
        "NO_COLOR": "1",
        _MARK: mark,
    }


def _run(
    command: list[str], env: Mapping[str, str], stderr: Path, *, interrupt: bool
) -> tuple[int, list[Json]]:
    """The exit status and the events. An interrupted run gets a Ctrl-C once the agent has begun."""
    events: list[Json] = []
    with (
        stderr.open("w") as errors,
        subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        # It ends in time by itself; this is for the case that it does not.
        guard = threading.Timer(_SECONDS + 30, process.kill)
        guard.start()
        assert process.stdout is not None
        for line in process.stdout:
            events.append(json.loads(line))
            if interrupt and events[-1]["event"] in _BEGUN:
                interrupt = False
                process.send_signal(signal.SIGINT)
        status = process.wait()
        guard.cancel()
    return status, events


def _frames(record: Path) -> Iterator[Json]:
    """What the agent sent."""
    for line in record.read_text().splitlines() if record.exists() else ():
        frame = json.loads(line)
        if frame["direction"] == "agent-to-editor" and isinstance(frame.get("payload"), dict):
            yield frame["payload"]


def _result(frame: Json) -> Json:
    found: Any = frame.get("result")
    return cast("Json", found) if isinstance(found, dict) else {}


def left_behind(mark: str) -> tuple[str, ...]:
    """The programs that carry the mark, once they had time to leave."""
    end = time.monotonic() + _LEAVING_SECONDS
    while (found := _marked(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def _marked(mark: str) -> tuple[str, ...]:
    sign = f"{_MARK}={mark}".encode()
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if sign in (process / "environ").read_bytes():
                found.append((process / "comm").read_text().strip())
        except OSError:
            continue  # It has just ended, or is not ours.
    return tuple(found)
