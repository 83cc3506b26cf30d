"""Runs one hook: what it reads, how long it may take, how much of its output counts, its end.

A hook is a program of the user, so nothing confines it. It must be a program of the user though:
none that lies in the folder of a project is started, and it runs in the user's home, since
interpreters and package runners load what lies in the folder they start in. It gets no keys, leads
a process group of its own and ends with everything in that group.
"""

import asyncio
import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping

from parley.coder.hooks.verdict import Ended
from parley.coder.workspace.outside import path_outside, program_outside
from parley.coder.workspace.workspace import is_beneath
from parley.process import children
from parley.process.command import Command, signal_name, start
from parley.process.descriptor import Descriptor, owned

MOST_BYTES = 64 * 1024
"""Of stdout, and of stderr; who writes more is ended."""
_READ_SIZE = 16 * 1024
_IN_HOME = re.compile(r"^\$(HOME|\{HOME\})/")
# They name places, and nothing is loaded because of that.
_HARMLESS = ("HOME", "PWD", "TMPDIR", "TMP", "TEMP")


async def run_hook(
    command: tuple[str, ...],
    told: bytes,
    *,
    seconds: float,
    environment: Mapping[str, str],
    roots: tuple[str, ...],
) -> Ended:
    """Run a program with `told` on its stdin. When it returns or raises, the program has ended."""
    env = hook_environment(environment, roots)
    program = program_of(command[0], env["PATH"], roots)
    words = tuple(map(_expanded, command[1:]))
    named = (place for word in command[1:] for place in _places_named(word))
    if program is None:
        return Ended(problem="names a program that cannot be found outside of the project")
    if any(_in_project(place, roots) for place in named):
        # Who works in the project, the model included, could change what the hook does.
        return Ended(problem="names a file of the project; keep hooks outside of it")
    try:
        running = _started((program, *words), told, env)
    except OSError as error:
        return Ended(problem=f"cannot be started: {error.strerror}")
    return await running.ended(seconds)


def hook_environment(environment: Mapping[str, str], roots: tuple[str, ...]) -> dict[str, str]:
    """Variables without those that could make an interpreter load something of the project."""
    env = {
        name: value
        for name, value in environment.items()
        if name in _HARMLESS or not any(_in_project(each, roots) for each in _places_in(value))
    }
    env["PATH"] = path_outside(roots, environment.get("PATH", os.defpath))
    return env


def program_of(name: str, path: str, roots: tuple[str, ...]) -> str | None:
    """The absolute path of a program that no project can replace; `None` if there is none."""
    if os.sep not in name:
        return program_outside(roots, name, path.split(os.pathsep))
    place = os.path.expanduser(name)
    runs = os.path.isabs(place) and os.path.isfile(place) and os.access(place, os.X_OK)
    return place if runs and not _in_project(place, roots) else None


def _places_named(word: str) -> Iterator[str]:
    """What a word may name for a program that starts in the home folder.

    It may be a path, an option with one, or a line for the shell with many.
    """
    for piece in re.split(r"""[\s:;,=<>|&()"'`@]+""", word):
        path = os.path.expanduser(_IN_HOME.sub("~/", piece))
        place = os.path.join(_home(), path)
        # Most words name nothing; what is not there cannot be loaded.
        if path and (os.path.isabs(path) or os.path.lexists(place)):
            yield place


def _expanded(word: str) -> str:
    """A word as a shell would take it that begins in the home folder."""
    return os.path.expanduser(word) if word.startswith("~/") else word


def _places_in(value: str) -> list[str]:
    """The absolute paths that a variable names, alone, in a list or as the value of an option."""
    return [word for word in re.split(r"[\s:;,=]", value) if os.path.isabs(word)]


def _in_project(place: str, roots: tuple[str, ...]) -> bool:
    names = (place, os.path.dirname(os.path.realpath(place)), os.path.realpath(place))
    return any(is_beneath(os.path.normpath(name), root) for name in names for root in roots)


def _started(command: tuple[str, ...], told: bytes, env: Mapping[str, str]) -> "_Running":
    """Start it. Its stdin is a file without a name, so that nobody has to wait for it to read."""
    # Most users have no hooks, and a start should not pay for what they need.
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryFile() as stdin:
        stdin.write(told)
        stdin.flush()
        stdin.seek(0)
        from_stderr, stderr = os.pipe()
        output = _Kept()
        try:
            process = start(
                command,
                cwd=_home(),
                env=env,
                on_output=output.add,
                stdin=stdin.fileno(),
                stderr=stderr,
            )
        except OSError:
            os.close(from_stderr)
            raise
        finally:
            os.close(stderr)
    return _Running(process, output, owned(from_stderr))


class _Running:
    """A hook that was started."""

    def __init__(self, process: Command, output: "_Kept", stderr: Descriptor) -> None:
        self._process = process
        self._output = output
        self._errors = _Kept()
        self._stderr = stderr
        self._loop = asyncio.get_running_loop()
        output.too_much = self._errors.too_much = self._end
        self._loop.add_reader(stderr.fd, self._read)

    async def ended(self, seconds: float) -> Ended:
        problem = ""
        try:
            async with asyncio.timeout(seconds):
                status = await self._process.wait()
        except TimeoutError:
            status, problem = None, f"did not end within {seconds:g} seconds"
        finally:
            try:
                await self._process.kill()
            finally:
                self._close()
        if self._output.full or self._errors.full:
            problem = f"wrote more than {MOST_BYTES} bytes"
        elif status is not None and status < 0:
            problem = f"was ended by {signal_name(-status)}"
        return Ended(status, self._output.text, self._errors.text, problem)

    def _read(self) -> bool:
        """Take some of stderr; whether there was anything."""
        try:
            data = self._stderr.read(_READ_SIZE)
        except BlockingIOError:
            return False
        if data:
            self._errors.add(data)
        else:
            self._loop.remove_reader(self._stderr.fd)
        return bool(data)

    def _end(self) -> None:
        children.signal_group(self._process.pid, signal.SIGKILL)

    def _close(self) -> None:
        while not self._errors.full and self._read():
            pass
        self._loop.remove_reader(self._stderr.fd)
        self._stderr.close()
        self._process.close()


class _Kept:
    """What a hook wrote, as far as it counts."""

    def __init__(self) -> None:
        self._data = bytearray()
        self.full = False
        self.too_much: Callable[[], None] | None = None

    @property
    def text(self) -> str:
        return self._data.decode("utf-8", "replace")

    def add(self, data: bytes) -> None:
        if self.full:
            return
        self.full = len(self._data) + len(data) > MOST_BYTES
        self._data += data[: MOST_BYTES - len(self._data)]
        if self.full and self.too_much is not None:
            self.too_much()


def _home() -> str:
    home = os.path.expanduser("~")
    return home if os.path.isdir(home) else os.sep
