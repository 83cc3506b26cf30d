"""Tries every way out, with and without the sandbox, and prints the counts.

    python -m tests.coder.sandbox.escape_run [--bwrap FILE]

Everything happens in a folder made for it; the process that is attacked is one of its own.
"""

import argparse
import asyncio
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from parley.coder.sandbox import seccomp
from parley.coder.sandbox.box import Box, Launch
from parley.coder.sandbox.bubblewrap import BubblewrapBox
from parley.coder.sandbox.changes import changed, look
from parley.coder.sandbox.policy import Limits, protected_in
from parley.coder.sandbox.sandbox import Mechanism, Sandbox, available
from parley.process.command import start
from tests.coder.sandbox.escapes import AROUND, ATTEMPTS, PROTECTED, Attempt

SECRET = "a-secret-that-nobody-may-see"
_LEVELS = ("landlock", "landlock+seccomp", "mounts", "bubblewrap")
_SECONDS = 5.0
_AT_ONCE = 6
_DAEMON_SECONDS = 0.4
_OWN_FILES = (
    *(".config/parley/config.toml", ".config/parley/skills/mine/SKILL.md", ".config/gh/key"),
    ".local/share/parley/key",
)
_OWN_HIDDEN = (".config/parley/config.toml", ".config/gh", ".local/share/parley")
_VICTIM = (
    "import os,sys; os.dup2(os.open(sys.argv[1], os.O_RDONLY), 9); print(1, flush=True); input()"
)
Make = Callable[[Limits], Box]


class Bare:
    """Confines nothing, to see that an attempt is one."""

    def __init__(self, limits: Limits) -> None: ...

    @contextmanager
    def launch(self, command: tuple[str, ...], cwd: str) -> Generator[Launch]:
        yield Launch(command)


class Field:
    """A folder with everything that attempts aim at."""

    def __init__(self, folder: str, ends: ExitStack) -> None:
        self._base = Path(os.path.realpath(folder))
        self._count = 0
        self._ends = ends
        services = self._base / "services"
        services.mkdir()
        self._socket = str(services / "s")
        self._abstract = f"parley-{os.getpid()}"
        self._port = self._serve()

    def _serve(self) -> int:
        for path in (self._socket, f"\0{self._abstract}"):
            service = self._ends.enter_context(socket.socket(socket.AF_UNIX))
            service.bind(path)
            service.listen(64)
        datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._ends.enter_context(datagrams).bind(f"{self._socket}.d")
        server = self._ends.enter_context(socket.create_server(("127.0.0.1", 0), backlog=64))
        port: int = server.getsockname()[1]
        self._ends.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)).bind(
            ("127.0.0.1", port)
        )
        return port

    def _prepared(self) -> Path:
        """New folders; where one attempt came out does not help the next."""
        self._count += 1
        base = self._base / str(self._count)
        for name in ("project/.git/hooks", "project/.vscode", "temp", "home", "hidden"):
            (base / name).mkdir(parents=True)
        (base / "outside/folder").mkdir(parents=True)
        for name in ("outside/kept", "outside/folder/kept", "home/.bashrc"):
            (base / name).write_text("kept\n")
        for name in _OWN_FILES:
            (base / "project" / name).parent.mkdir(parents=True, exist_ok=True)
            (base / "project" / name).write_text(SECRET)
        (base / "project/mine").write_text("mine\n")
        for name in ("project/.git/config", "project/.git/hooks/sample"):
            (base / name).write_text("as it was\n")
        (base / "hidden/key").write_text(SECRET)
        (base / "hidden").chmod(0o700)
        return base

    @contextmanager
    def _attacked(
        self, base: Path, attempt: Attempt
    ) -> "Generator[subprocess.Popen[bytes] | None]":
        """A process outside that has the secret in its environment and in a descriptor."""
        if "PID" not in attempt.script:
            yield None
            return
        victim = subprocess.Popen(
            (sys.executable, "-I", "-S", "-c", _VICTIM, str(base / "hidden/key")),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=base / "outside",
            env={"KEY": SECRET},
        )
        assert victim.stdout is not None
        victim.stdout.readline()
        try:
            yield victim
        finally:
            victim.kill()
            victim.communicate()

    async def escaped(self, attempt: Attempt, make: Make) -> bool:
        """Whether an attempt comes out of what a mechanism makes of the limits."""
        base = self._prepared()
        project = str(base / "project")
        limits = _limits(base, attempt)
        before, seen, own = _tree(base), look((project,)), _own(base)
        with self._attacked(base, attempt) as victim:
            pid = victim.pid if victim else 0
            output = await self._run(attempt.script, base, pid, make(limits))
            if "daemon" in attempt.name:
                await asyncio.sleep(_DAEMON_SECONDS)
            ended = victim is not None and await _has_ended(victim)
        if attempt in PROTECTED:
            return bool(changed(seen, look((project,))))
        if attempt in AROUND and _own(base) != own:
            return True
        words = output.decode("utf-8", "replace")
        return ended or SECRET in words or "ESCAPED" in words or _tree(base) != before

    async def _run(self, script: str, base: Path, victim: int, box: Box) -> bytes:
        project = str(base / "project")
        names = ("outside", "home", "hidden", "project", "temp")
        places = {name.upper(): str(base / name) for name in names}
        services = {"SOCKET": self._socket, "ABSTRACT": self._abstract, "PORT": str(self._port)}
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHON": sys.executable,
            "PID": str(victim),
            **places,
            **services,
        }
        output = bytearray()
        with box.launch(("sh", "-c", script), project) as launch:
            command = start(
                launch.command,
                cwd=project,
                env=environment,
                on_output=output.extend,
                setup=launch.setup,
                keep=launch.keep,
            )
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS):
                await command.wait()
        await command.kill()
        command.close()
        return bytes(output)


def _limits(base: Path, attempt: Attempt) -> Limits:
    project = str(base / "project")
    inside = tuple(f"{project}/{name}" for name in _OWN_HIDDEN)
    return Limits(
        (project, str(base / "temp")),
        (str(base / "hidden"), *(inside if attempt in AROUND else ())),
        protected_in(project),
        attempt.network,
        (f"{project}/.config/parley",) if attempt in AROUND else (),
    )


def _own(base: Path) -> dict[str, bytes]:
    """The files of the agent in the project, and what else is in their folders."""
    folders = (base / "project/.config/parley", base / "project/.local/share/parley")
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found}


async def _has_ended(victim: "subprocess.Popen[bytes]") -> bool:
    # A signal that was sent may not have arrived yet.
    for _ in range(5):
        if victim.poll() is not None:
            return True
        await asyncio.sleep(0.01)
    return False


def _tree(base: Path) -> dict[str, tuple[object, ...]]:
    """Everything outside of the project: kinds, modes, owners, times of writing, contents."""
    found: dict[str, tuple[object, ...]] = {}
    for name in ("outside", "home", "hidden"):
        for path in (base / name, *sorted((base / name).rglob("*"))):
            about = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(about.st_mode) else b""
            time = int(about.st_mtime) if path.is_file() else 0
            found[str(path)] = (about.st_mode, about.st_uid, time, content)
    return found


def claims(level: str, attempt: Attempt) -> bool:
    """Whether a level says that it holds an attempt."""
    return _LEVELS.index(level) >= _LEVELS.index(attempt.need)


async def tried(make_for: Callable[[bool], Make], attempts: tuple[Attempt, ...]) -> list[Attempt]:
    """The attempts that came out."""
    with ExitStack() as ends:
        folder = ends.enter_context(tempfile.TemporaryDirectory(prefix="esc-"))
        field = Field(folder, ends)
        room = asyncio.Semaphore(_AT_ONCE)

        async def one(attempt: Attempt) -> bool:
            async with room:
                return await field.escaped(attempt, make_for(attempt.network))

        async with asyncio.TaskGroup() as group:
            tasks = [(each, group.create_task(one(each))) for each in attempts]
        return [each for each, task in tasks if task.result()]


def bare(network: bool) -> Make:
    return Bare


def at_level(
    level: str, mechanisms: Callable[[bool], tuple[Mechanism, ...]] = available
) -> Callable[[bool], Make]:
    def made(network: bool) -> Make:
        return next(each.make for each in mechanisms(network) if each.level == level)

    return made


def _with_bwrap(file: str) -> Callable[[bool], tuple[Mechanism, ...]]:
    def mechanisms(network: bool) -> tuple[Mechanism, ...]:
        program = seccomp.program(os.uname().machine, network=network)
        assert program is not None
        return (
            Mechanism("bubblewrap", lambda limits: BubblewrapBox(limits, file, program)),
            *available(network),
        )

    return mechanisms


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bwrap", help="a bubblewrap that is not installed")
    options = parser.parse_args()
    mechanisms = _with_bwrap(options.bwrap) if options.bwrap else available
    level = (await Sandbox("auto", mechanisms=mechanisms).standing()).level
    every = (*ATTEMPTS, *AROUND, *PROTECTED)
    without = await tried(bare, every)
    out = await tried(at_level(level, mechanisms), every) if level != "none" else without
    _say(f"level: {level}, uid {os.geteuid()}")
    _say(f"{'group':<26}{'tried':>7}{'out, unconfined':>17}{'out, confined':>15}{'claimed':>9}")
    totals: Counter[str] = Counter()
    for group in dict.fromkeys(each.group for each in every):
        members = [each for each in every if each.group == group]
        claimed = sum(claims(level, each) for each in members) if level != "none" else 0
        row = (len(members), sum(e in without for e in members), sum(e in out for e in members))
        _say(f"{group:<26}{row[0]:>7}{row[1]:>17}{row[2]:>15}{claimed:>9}")
        totals.update(tried=row[0], bare=row[1], out=row[2], claimed=claimed)
    _say(
        f"{'all':<26}{totals['tried']:>7}{totals['bare']:>17}"
        f"{totals['out']:>15}{totals['claimed']:>9}"
    )
    broken = [each for each in out if level == "none" or claims(level, each)]
    for each in broken:
        _say(f"came out although the level claims to hold it: {each.group}: {each.name}")
    for each in every:
        if each not in without:
            _say(f"no real attempt here, since it fails unconfined too: {each.group}: {each.name}")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
