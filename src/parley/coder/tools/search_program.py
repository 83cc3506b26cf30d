"""Running the program that searches files: ripgrep where there is one, or else our own.

The program is never one of the workspace, it is given no configuration and no environment, and its
output and its time are bounded. It works from a descriptor of the folder, not from a path.
"""

import asyncio
import os
import sys
from contextlib import suppress
from typing import IO

import msgspec
from msgspec import Struct

from parley.coder.tools.search_lines import LONGEST_LINE, MOST_BYTES, Search
from parley.coder.workspace.outside import program_outside
from parley.coder.workspace.workspace import Workspace
from parley.process.brief import running

MOST_OUTPUT = 4 * 1024 * 1024
SECONDS = 20.0
_MOST_COMPLAINT = 4096
_CHUNK = 64 * 1024


class Printed(Struct, frozen=True):
    """What the program printed, and how it ended."""

    output: bytes
    complaint: str
    status: int | None
    """`None` if it was stopped."""
    late: bool = False


def ripgrep(workspace: Workspace, path: str) -> str | None:
    """The absolute path of a ripgrep that nobody in the workspace can replace."""
    folders = [*path.split(os.pathsep), os.path.dirname(sys.executable)]
    return program_outside(workspace.roots, "rg", folders)


async def searched(workspace: Workspace, search: Search, program: str | None) -> Printed:
    """Run a search with ripgrep at `program`, or with our own without one."""
    if program is None:
        arguments = (sys.executable, "-I", "-m", "parley.coder.tools.search_lines")
        return await _run(arguments, msgspec.json.encode(search), None, None)
    arguments = (program, *_arguments(search))
    if search.single:
        with workspace.open(search.place) as file:
            return await _run(arguments, b"", None, file)
    with workspace.folder(search.place) as folder:
        return await _run(arguments, b"", _name_of(folder, search.place.path), None)


def _arguments(search: Search) -> list[str]:
    arguments = [
        "--no-config",
        "--color=never",
        "--no-heading",
        "--with-filename",
        "--line-number",
        "--null",
        "--no-messages",
        "--no-require-git",
        "--no-ignore-global",
        "--no-ignore-exclude",
        "--crlf",
        "--engine=auto",
        "--no-context-separator",
        "--max-columns-preview",
        f"--max-columns={LONGEST_LINE}",
        f"--max-filesize={MOST_BYTES}",
        f"--context={search.context}",
        "--ignore-case" if search.case_insensitive else "--case-sensitive",
        f"--regexp={search.pattern}",
    ]
    if search.glob is not None:
        arguments.append(f"--glob={search.glob}")
    if search.output != "lines":
        arguments.append("--files-with-matches" if search.output == "files" else "--count")
    return [*arguments, "--", "-" if search.single else "./"]


def _name_of(folder: int, path: str) -> str:
    """A name of the open folder, which leads there even if another one takes its path."""
    name = f"/proc/self/fd/{folder}"
    return name if os.path.exists(name) else path


async def _run(
    arguments: tuple[str, ...], given: bytes, cwd: str | None, source: IO[bytes] | None
) -> Printed:
    output, complaint = bytearray(), b""
    status = None
    late = False
    async with running(
        *arguments,
        stdin=source or (asyncio.subprocess.PIPE if given else asyncio.subprocess.DEVNULL),
        stderr=asyncio.subprocess.PIPE,
        cwd=cwd or os.sep,
        env={},
    ) as process:
        with suppress(TimeoutError):
            late = True
            async with asyncio.timeout(SECONDS):
                if await _collected(process, given, output):
                    complaint = await _pipe(process.stderr).read(_MOST_COMPLAINT)
                    status = await process.wait()
            late = False
    return Printed(bytes(output), complaint.decode("utf-8", "replace"), status, late)


async def _collected(process: asyncio.subprocess.Process, given: bytes, output: bytearray) -> bool:
    """Take what the program prints; whether that was all of it."""
    if process.stdin is not None:
        process.stdin.write(given)
        process.stdin.write_eof()
    while chunk := await _pipe(process.stdout).read(_CHUNK):
        output += chunk
        if len(output) > MOST_OUTPUT:
            return False
    return True


def _pipe(pipe: asyncio.StreamReader | None) -> asyncio.StreamReader:
    assert pipe is not None
    return pipe
