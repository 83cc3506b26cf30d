"""Tries the sandbox out on this machine, with a real program, before anything relies on it.

What a kernel, a container or a system policy makes of a mechanism cannot be told from version
numbers. So a small program runs inside and tries what must fail and what must work, in a folder
that was made for it.
"""

import asyncio
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from parley.coder.sandbox.box import Box
from parley.coder.sandbox.policy import Limits
from parley.process.command import start

SECONDS = 5.0
"""A mechanism that takes longer for one small program is none."""

_PROGRAM = """
import os, socket, sys
folder, port, agent = sys.argv[1:]
def tried(word, act):
    try:
        if act() is not False:
            print(word)
    except OSError:
        pass
def connected(family, address):
    with socket.socket(family) as made:
        made.settimeout(2)
        made.connect(address)
def read(path):
    with open(path, "rb") as file:
        return bool(file.read(1))
print("ran")
tried("write inside", lambda: open(folder + "/inside/made", "x").close())
tried("write outside", lambda: open(folder + "/outside/made", "x").close())
tried("mark outside", lambda: os.chmod(folder + "/outside/kept", 0o640))
tried("change protected", lambda: open(folder + "/inside/protected", "w").close())
tried("empty outside", lambda: os.truncate(folder + "/outside/kept", 0))
tried("read hidden", lambda: read(folder + "/hidden/key"))
tried("read agent", lambda: read("/proc/" + agent + "/environ"))
tried("reach network", lambda: connected(socket.AF_INET, ("127.0.0.1", int(port))))
tried("reach services", lambda: connected(socket.AF_UNIX, folder + "/outside/service"))
"""


class Found(Struct, frozen=True):
    """What a program could do inside."""

    done: frozenset[str]

    def holds(self, *, network: bool, gaps: frozenset[str] = frozenset()) -> bool:
        """Whether that is what it may do and nothing else, but for gaps that are known."""
        wanted = frozenset(("ran", "write inside", *(("reach network",) if network else ())))
        return self.done - gaps == wanted


async def tried_out(make: Callable[[Limits], Box], *, network: bool) -> Found:
    """Run the program inside what a mechanism makes of limits for a folder of its own."""
    with ExitStack() as ends:
        folder = _folder(ends)
        port = _prepare(Path(folder), ends)
        hidden = (os.path.join(folder, "hidden"),)
        inside = os.path.join(folder, "inside")
        limits = Limits((inside,), hidden, (os.path.join(inside, "protected"),), network)
        output = bytearray()
        try:
            async with asyncio.timeout(SECONDS):
                await _run(make(limits), folder, port, output)
        except (OSError, TimeoutError):
            return Found(frozenset())
        return Found(frozenset(output.decode("utf-8", "replace").splitlines()))


def _folder(ends: ExitStack) -> str:
    made = ends.enter_context(tempfile.TemporaryDirectory(prefix="parley-"))
    return os.path.realpath(made)


def _prepare(folder: Path, ends: ExitStack) -> int:
    """Everything that the program tries to reach; returns the port of a service."""
    for name in ("inside", "outside", "hidden"):
        (folder / name).mkdir()
    (folder / "outside/kept").write_text("kept")
    (folder / "inside/protected").write_text("kept")
    (folder / "hidden/key").write_text("key")
    service = ends.enter_context(socket.socket(socket.AF_UNIX))
    # The path of a socket may have about a hundred characters, so it is named from its folder.
    at = os.open(folder / "outside", os.O_RDONLY)
    ends.callback(os.close, at)
    short = f"/proc/self/fd/{at}/service"
    service.bind(
        short if os.path.exists(f"/proc/self/fd/{at}") else str(folder / "outside/service")
    )
    service.listen()
    server = ends.enter_context(socket.create_server(("127.0.0.1", 0)))
    return server.getsockname()[1]


async def _run(box: Box, folder: str, port: int, output: bytearray) -> None:
    inside = os.path.join(folder, "inside")
    command = (sys.executable, "-I", "-S", "-c", _PROGRAM, folder, str(port), str(os.getpid()))
    with box.launch(command, inside) as launch:
        running = start(
            launch.command,
            cwd=inside,
            env={"PATH": os.defpath},
            on_output=output.extend,
            setup=launch.setup,
            keep=launch.keep,
        )
    try:
        await running.wait()
    finally:
        await running.kill()
        running.close()
