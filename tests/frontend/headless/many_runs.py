"""Many runs of `parley run`, several at once, each in a process of its own.

As a program it reads cases and prints what was seen of them. It has imported what a run needs, and
every case is a fork of it: a real process with its own descriptors, at a tenth of the price.
"""

import gc
import importlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from parley.cli.main import main as parley_main

AGENT = Path(__file__).with_name("hostile_agent.py")
SECONDS = 45.0
"""No run takes longer, on whatever machine."""
_AT_ONCE = 12
_MARK = "PARLEY_TEST_RUN"
_LEAVING_SECONDS = 2.0
# What a run imports, loaded once for all of them.
_LOADED = (
    *("parley.cli.run", "parley.protocol.v1.client_side", "parley.protocol.v2.client_side"),
    *("parley.frontend.headless.runner", "parley.frontend.headless.json_output"),
)


@dataclass(frozen=True)
class Case:
    """A run: the agent's habits, the options, and where the output goes."""

    habits: str
    options: tuple[str, ...] = ()
    stdout: str = "file"
    """`file`, `closed` (a pipe without a reader) or the path of a device."""
    command: tuple[str, ...] = ()
    """Another agent than the hostile one."""

    @property
    def name(self) -> str:
        return " ".join((self.habits, *self.options, *self.command[:1], self.stdout))

    @property
    def arguments(self) -> list[str]:
        agent = (sys.executable, "-I", "-S", str(AGENT), *self.habits.split())
        prompt = () if "--prompts" in self.options else ("hi",)
        return ["run", *self.options, *prompt, "--", *(self.command or agent)]


@dataclass(frozen=True)
class Seen:
    """What a run showed, and what it left behind."""

    code: int
    out: str
    err: str
    seconds: float
    left: int
    """Processes that it started and that live on."""
    peak_mb: float


def play(cases: Iterable[Case]) -> dict[str, Seen]:
    """Run them all; by name."""
    given = msgspec.json.encode(list(cases))
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            (sys.executable, __file__, folder), input=given, capture_output=True, env=env
        )
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout, type=dict[str, Seen])


def main(folder: str) -> None:
    waiting = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Case])
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    for name in _LOADED:
        importlib.import_module(name)
    gc.freeze()  # So that a collection in a fork does not copy everything.
    running: dict[int, _Running] = {}
    seen: dict[str, Seen] = {}
    while waiting or running:
        while waiting and len(running) < _AT_ONCE:
            one = _Running(waiting.pop(), Path(folder, str(len(waiting))))
            running[one.pid] = one
        signal.sigtimedwait([signal.SIGCHLD], 0.2)
        for pid, one in list(running.items()):
            if one.is_over():
                del running[pid]
                seen[one.case.name] = one.seen()
    sys.stdout.buffer.write(msgspec.json.encode(seen))


class _Running:
    """One run while it lasts."""

    def __init__(self, case: Case, folder: Path) -> None:
        folder.mkdir()
        self.case, self._folder = case, folder
        self._began = time.monotonic()
        self._status: int | None = None
        self._peak_mb = 0.0
        self.pid = os.fork()
        if self.pid == 0:
            # Through the end of the interpreter, as any command.
            sys.exit(self._become())

    def is_over(self) -> bool:
        pid, status, used = os.wait4(self.pid, os.WNOHANG)
        if pid:
            self._status, self._peak_mb = status, used.ru_maxrss / 1024
        elif time.monotonic() - self._began > SECONDS:
            os.kill(self.pid, signal.SIGKILL)
        return bool(pid)

    def seen(self) -> Seen:
        assert self._status is not None
        code = os.waitstatus_to_exitcode(self._status)
        out, err = (self._folder.joinpath(name) for name in ("out", "err"))
        seconds = time.monotonic() - self._began
        return Seen(code, _text(out), _text(err), seconds, _left(self._folder), self._peak_mb)

    def _become(self) -> int:
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.setsid()
        os.chdir(self._folder)
        os.environ[_MARK] = str(self._folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open("err", os.O_WRONLY | os.O_CREAT), 2)
        os.dup2(_opened(self.case.stdout), 1)
        return parley_main(self.case.arguments)


def _opened(stdout: str) -> int:
    if stdout == "closed":
        theirs, ours = os.pipe()
        os.close(theirs)
        return ours
    return os.open("out" if stdout == "file" else stdout, os.O_WRONLY | os.O_CREAT)


def _left(folder: Path) -> int:
    """How many processes of a run live on, once those that end have had time to."""
    mark = f"{_MARK}={folder}".encode()
    deadline = time.monotonic() + _LEAVING_SECONDS
    while left := sum(_is_marked(each, mark) for each in Path("/proc").iterdir()):
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    return left


def _is_marked(process: Path, mark: bytes) -> bool:
    if not process.name.isdigit():
        return False
    try:
        living = process.joinpath("stat").read_text().rpartition(")")[2].split()[0] != "Z"
        return living and mark in process.joinpath("environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8") if path.exists() else ""


if __name__ == "__main__":
    main(sys.argv[1])
