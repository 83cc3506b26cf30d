"""Generated histories of turns and undos, played through a real session in a git repository.

Each history begins with a repository that has staged and unstaged work. Turns edit, make, remove,
move and link files and folders and change their modes, by tools and by shell commands. Between
them turns are taken back and done again at random. After every step the files must be what they
were at that point, and the repository must be the same to the last byte.

    python -m tests.coder.undo.histories 200
"""

import asyncio
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from parley.coder.message import CallPart
from parley.coder.settings import CoderSettings
from parley.coder.tools.bash import Bash
from parley.coder.tools.write_file import WriteFile
from tests.coder.commands.checkout import checkout, git
from tests.coder.stage import Stage, calls, says, staged
from tests.coder.undo.tree import Tree, tree

_NAMES = ("a.txt", "b.txt", "src/c.py", "src/d.py", "doc/e f.md", "top", "src", "doc", "new")
_FREE = CoderSettings(mode="full-access")


def repository(folder: Path) -> None:
    """A repository with a commit, staged work and unstaged work."""
    folder.mkdir()
    checkout(folder, {name: f"{name}\n" * 5 for name in _NAMES[:5]})
    git(folder, "gc", "-q")  # Many small files would only make copies of it slow.
    (folder / "a.txt").write_text("staged\n", encoding="utf-8")
    git(folder, "add", "a.txt")
    (folder / "b.txt").write_text("unstaged\n", encoding="utf-8")
    (folder / "loose").mkdir()


async def played(seed: int, stage: Stage) -> int:
    """Play one history in the project of a new session; how many steps it had."""
    chance = random.Random(seed)
    await stage.new()
    history = _History(stage, chance)
    steps = chance.randint(5, 8)
    for step in range(steps):
        is_turn = step < 2 or chance.random() < 0.3
        await (history.turn() if is_turn else history.undo())
    await stage.application.close_session(stage.session_id)
    return steps


class _History:
    def __init__(self, stage: Stage, chance: random.Random) -> None:
        self._stage = stage
        self._chance = chance
        self._git = tree(stage.project, git=True)
        self._past: list[Tree] = []
        # The tree before each turn that holds, and which one the last undo left.
        self._left: tuple[list[Tree], Tree] | None = None
        self._number = 0

    async def turn(self) -> None:
        before = tree(self._stage.project)
        made = [self._call() for _ in range(self._chance.randint(1, 3))]
        self._stage.provider.answers += [calls(call) for call in made] + [says("done")]
        await self._stage.say("go")
        if tree(self._stage.project) != before:
            self._past.append(before)
            self._left = None
        self._check(tree(self._stage.project))

    async def undo(self) -> None:
        now = tree(self._stage.project)
        if self._chance.random() < 0.5:
            count = self._chance.randint(1, 3)
            await self._stage.say(f"/undo {count}")
            wanted = self._taken(now, count)
        else:
            await self._stage.say("/undo")
            wanted = self._again() if self._left is not None else self._taken(now, 1)
        self._check(wanted)

    def _taken(self, now: Tree, count: int) -> Tree:
        if not self._past:
            return now
        before = list(self._past)
        wanted = self._past[-count:][0]
        self._past = self._past[:-count]
        self._left = (before, now)
        return wanted

    def _again(self) -> Tree:
        assert self._left is not None
        self._past, wanted = self._left
        self._left = None
        return wanted

    def _check(self, wanted: Tree) -> None:
        found = tree(self._stage.project)
        assert found == wanted, sorted(found.items() ^ wanted.items())
        assert tree(self._stage.project, git=True) == self._git

    def _call(self) -> CallPart:
        self._number += 1
        name, arguments = self._action()
        return CallPart(f"call-{self._number}", name, arguments)

    def _action(self) -> tuple[str, dict[str, Any]]:
        chance = self._chance
        if chance.random() < 0.3:
            path = f"made/{chance.randint(0, 3)}/file-{self._number}"
            return "write_file", {"path": path, "content": f"{chance.random()}"}
        commands = (_command(chance) for _ in range(chance.randint(1, 4)))
        return "bash", {"command": "\n".join(commands)}


def _command(chance: random.Random) -> str:
    one, other = chance.choice(_NAMES), chance.choice(_NAMES)
    number = chance.randint(0, 99)
    return chance.choice(
        (
            f"printf {number} > '{one}'",
            f"printf {number} >> '{one}'",
            f"rm -rf './{one}'",
            f"mv './{one}' './{other}'",
            f"cp -r './{one}' './copy-{number}'",
            f"mkdir -p './{one}/deep/{number}'",
            f"rmdir './loose'; mkdir -p './loose-{number}'",
            f"chmod {chance.choice(('600', '644', '755'))} './{one}'",
            f"rm -rf './{one}'; ln -s '{other}' './{one}'",
            f"ln -sfn /nowhere 'link-{number % 3}'",
            f"rm -rf './{one}'; printf x > './{one}'",
        )
    )


async def campaign(count: int, folder: Path, first: int = 0) -> int:
    """Play so many histories; how many steps there were."""
    repository(folder / "template")
    steps = 0
    async with staged(folder, tools=(WriteFile(), Bash()), settings=_FREE) as stage:
        for seed in range(first, first + count):
            stage.project = folder / f"h{seed}"
            shutil.copytree(folder / "template", stage.project, symlinks=True)
            try:
                steps += await played(seed, stage)
            except AssertionError as error:
                raise AssertionError(f"history {seed}: {error}") from error
    return steps


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        steps = asyncio.run(campaign(count, Path(folder)))
    sys.stdout.write(f"{count} histories, {steps} turns and undos, all as before\n")


if __name__ == "__main__":
    main()
