"""The changes of a checkout that are not committed, as text, without running anything of it.

The configuration of a repository can name programs that git runs: hooks, monitors, filters,
external diffs. All of them are switched off. The index is not refreshed either, so nothing of the
repository changes. git itself is never one of the workspace.
"""

import asyncio
import os
from contextlib import suppress

from parley.coder.workspace.outside import program_outside
from parley.coder.workspace.workspace import Workspace
from parley.errors import AcpError
from parley.process.brief import running

MOST_CHARACTERS = 200_000
SECONDS = 20.0
_MOST_NAMES = 200
_CHUNK = 64 * 1024
_NEVER = (
    "core.fsmonitor=",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.pager=cat",
    "diff.external=",
    "protocol.allow=never",
    "submodule.recurse=false",
)
# Without a home there is no configuration of the user, and without locks the index stays.
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all", "-M")


class GitFailed(AcpError):
    """git cannot say what has changed. The text is for a person."""


async def changes(workspace: Workspace, path: str | None = None) -> str:
    """What differs from the last commit, new files by their names; empty if nothing does.

    Raises:
        GitFailed: there is no git, or no repository.
    """
    program = git_program(workspace, os.environ.get("PATH", "") if path is None else path)
    if program is None:
        raise GitFailed("git is not installed, or it is part of this project. Install git.")
    git = _Git(program, workspace.roots[0], _checkout(workspace.roots[0]))
    await git.learn_filters()
    commit = await git.run("rev-parse", "--verify", "--quiet", "HEAD", fails=True)
    base = ("HEAD",) if commit else ("--cached",)
    diff = await git.run(*_DIFF, *base, "--", ".")
    new = (await git.run("ls-files", "--others", "--exclude-standard", "-z")).split("\0")
    return _text(diff, [name for name in new if name])


def git_program(workspace: Workspace, path: str) -> str | None:
    """The absolute path of a git that nobody in the workspace can replace."""
    return program_outside(workspace.roots, "git", path.split(os.pathsep))


def _checkout(folder: str) -> str:
    """The top of the checkout that a folder lies in.

    Raises:
        GitFailed: it lies in none.
    """
    here = folder
    while not os.path.lexists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            raise GitFailed("This folder is not in a git repository. Run `git init` to make one.")
        here = above
    return here


class _Git:
    def __init__(self, program: str, folder: str, top: str) -> None:
        self._program = program
        self._folder = folder
        # The configuration of the repository could name another folder, anywhere.
        where = {"GIT_DIR": os.path.join(top, ".git"), "GIT_WORK_TREE": top}
        self._environment = {**_ENVIRONMENT, **where}
        self._settings = list(_NEVER)

    async def learn_filters(self) -> None:
        """Switch off the programs that the repository wants files to go through."""
        listed = await self.run("config", "--name-only", "-z", "--get-regexp", r"^filter\.")
        names = {key[7:].rpartition(".")[0] for key in listed.split("\0") if key}
        for name in sorted(names):
            if "=" in name or "\n" in name:
                raise GitFailed("The filters of this repository have names that cannot be used.")
            self._settings += (f"filter.{name}.{key}=" for key in ("clean", "smudge", "process"))
            self._settings.append(f"filter.{name}.required=false")

    async def run(self, *arguments: str, fails: bool = False) -> str:
        """What git prints; more than is wanted is left out.

        Raises:
            GitFailed: it does not succeed, or takes too long.
        """
        settings = [word for each in self._settings for word in ("-c", each)]
        output, status = bytearray(), None
        async with running(
            self._program,
            "--no-pager",
            *settings,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=self._folder,
            env=self._environment,
        ) as process:
            assert process.stdout is not None
            with suppress(TimeoutError):
                async with asyncio.timeout(SECONDS):
                    while chunk := await process.stdout.read(_CHUNK):
                        if len(output) <= 4 * MOST_CHARACTERS:
                            output += chunk
                    status = await process.wait()
        # The search for values in the configuration ends with 1 if there are none.
        if status == 0 or (status == 1 and (fails or arguments[0] == "config")):
            return output.decode("utf-8", "replace")
        if status is None:
            raise GitFailed("git took too long. Try again, or ask for a review of some files.")
        raise GitFailed("git cannot read the repository of this folder.")


def _text(diff: str, new: list[str]) -> str:
    parts: list[str] = []
    if diff:
        cut = len(diff) > MOST_CHARACTERS
        parts.append(diff[:MOST_CHARACTERS].rstrip("\n") + ("\n[… the diff is longer …]" * cut))
    if new:
        shown = [f"  {ascii(name)[1:-1]}" for name in new[:_MOST_NAMES]]
        more = [f"  and {len(new) - _MOST_NAMES} more"] if len(new) > _MOST_NAMES else []
        parts.append("\n".join(["New files that git does not know yet:", *shown, *more]))
    return "\n\n".join(parts)
