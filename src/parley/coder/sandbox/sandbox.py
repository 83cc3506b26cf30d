"""The sandbox of one process: which mechanism holds on this machine, and boxes for commands.

The strongest mechanism that passes the self-test is used. The test runs once, before the first
command. Nothing that a model says has any bearing on whether commands are confined.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct

from parley.coder.errors import ToolError
from parley.coder.private_folder import make_private
from parley.coder.sandbox import bubblewrap, landlock, seatbelt, seccomp
from parley.coder.sandbox.box import Box, LandlockBox
from parley.coder.sandbox.mounts import MountBox
from parley.coder.sandbox.policy import Limits, is_below, protected_in
from parley.coder.sandbox.worktree import worktree_folders

Setting = Literal["auto", "off", "require"]
Level = Literal["seatbelt", "bubblewrap", "mounts", "landlock+seccomp", "landlock", "none"]

_TEXTS: dict[Level, str] = {
    "seatbelt": "commands write only in the workspace and the temp folder, protected paths in them "
    "excepted, and cannot read keys",
    "bubblewrap": "commands write only in the workspace and the temp folder, protected paths that "
    "exist excepted, cannot read keys or reach services of this machine, and leave nothing running",
    "mounts": "commands write only in the workspace and the temp folder, protected paths that "
    "exist excepted, cannot read keys or reach services of this machine",
    "landlock+seccomp": "commands write only in the workspace and the temp folder, cannot read "
    "keys or reach services of this machine; changes of protected paths are reported",
    "landlock": "commands write only in the workspace and the temp folder and cannot read keys; "
    "changes of protected paths are reported; services of this machine can be reached",
    "none": "no sandbox works on this machine, so every command is asked for",
}

_UNHELD = frozenset(("mark outside", "change protected"))
GAPS: dict[Level, frozenset[str]] = {
    "seatbelt": frozenset(("reach services",)),
    "landlock+seccomp": _UNHELD,
    "landlock": _UNHELD | {"reach services"},
}
"""What a mechanism is known not to hold, in the words of the self-test; the rest must hold."""


class Standing(Struct, frozen=True):
    """What holds on this machine."""

    level: Level
    text: str


class Mechanism(Struct, frozen=True):
    level: Level
    make: Callable[[Limits], Box]


class Sandbox:
    def __init__(
        self,
        setting: Setting = "off",
        *,
        hidden: tuple[str, ...] = (),
        own: tuple[str, ...] = (),
        private: tuple[str, ...] = (),
        writable: tuple[str, ...] = (),
        cache: str | None = None,
        mechanisms: Callable[[bool], tuple[Mechanism, ...]] | None = None,
    ) -> None:
        self.setting: Setting = setting
        self._hidden = tuple(map(os.path.realpath, hidden))
        self._own = tuple(map(os.path.realpath, own))
        self._private = tuple(map(os.path.realpath, private))
        # Semaphores between processes are files in the shared memory.
        temporary = (os.environ.get("TMPDIR") or "/tmp", "/tmp", "/dev/shm", *_some(cache))
        self._cache = cache
        self._writable = tuple(dict.fromkeys(map(os.path.realpath, (*writable, *temporary))))
        self._mechanisms = mechanisms or available
        self._testing = asyncio.Lock()
        self._standing: Standing | None = None

    async def standing(self) -> Standing:
        """What holds here, found out when it is first asked for."""
        async with self._testing:
            if self._standing is None:
                level = await self._strongest()
                self._standing = Standing(level, _TEXTS[level])
            return self._standing

    async def must_ask(self) -> bool:
        """Whether no command may run unasked, because nothing confines it although it should."""
        return self.setting != "off" and (await self.standing()).level == "none"

    async def box(
        self, roots: tuple[str, ...], *, network: bool = True, protected: bool = True
    ) -> Box | None:
        """What to start a command in; `protected` is false if a person agreed to change such paths.

        Raises:
            ToolError: a sandbox is required, and there is none.
        """
        if self.setting == "off":
            return None
        level = (await self.standing()).level
        if level == "none":
            if self.setting == "require":
                raise ToolError(
                    "commands cannot run: a sandbox is required, and none works on this machine"
                )
            return None
        limits = self.limits(roots, network=network, protected=protected)
        self._make_folders(limits)
        made = next(each for each in self._mechanisms(network) if each.level == level)
        return made.make(limits)

    def limits(self, roots: tuple[str, ...], *, network: bool, protected: bool) -> Limits:
        """What holds for a command of a session with these folders."""
        real = tuple(map(os.path.realpath, roots))
        git = tuple(folder for root in real for folder in worktree_folders(root))
        kept = [path for root in real for path in protected_in(root)] if protected else []
        kept += [os.path.join(folder, "config.worktree") for folder in git]
        # Whoever works inside a hidden folder could not work at all.
        hidden = [path for path in self._hidden if not any(is_below(root, path) for root in real)]
        # Whoever works inside a folder of ours changes it when a person agreed to that.
        own = [path for path in self._own if protected or not any(is_below(r, path) for r in real)]
        writable = (*real, *git, *self._writable)
        return Limits(writable, tuple(hidden), tuple(kept), network, tuple(own))

    def _make_folders(self, limits: Limits) -> None:
        # What is not there cannot be held, so a command could make it and fill it.
        open_ = [it for it in self._private if any(is_below(it, w) for w in limits.writable)]
        for folder in (*_some(self._cache), *open_):
            # Without a cache package managers say what they miss.
            with suppress(OSError):
                make_private(Path(folder))

    async def _strongest(self) -> Level:
        # Only commands need it, and an editor waits for the first answer.
        from parley.coder.sandbox.self_test import tried_out  # noqa: PLC0415

        for mechanism in self._mechanisms(True):
            gaps = GAPS.get(mechanism.level, frozenset[str]())
            open_ = await tried_out(mechanism.make, network=True)
            if not open_.holds(network=True, gaps=gaps):
                continue
            closed = next(each for each in self._mechanisms(False) if each.level == mechanism.level)
            shut = await tried_out(closed.make, network=False)
            if shut.holds(network=False, gaps=gaps):
                return mechanism.level
        return "none"


def _some(path: str | None) -> tuple[str, ...]:
    return () if path is None else (path,)


def available(network: bool) -> tuple[Mechanism, ...]:
    """What could work on this machine, the strongest first, with or without the network."""
    if sys.platform == "darwin":
        return (Mechanism("seatbelt", seatbelt.SeatbeltBox),) if seatbelt.available() else ()
    found: list[Mechanism] = []
    program = seccomp.program(os.uname().machine, network=network)
    bwrap = bubblewrap.find(())
    if bwrap is not None and program is not None:
        found.append(
            Mechanism("bubblewrap", lambda limits: bubblewrap.BubblewrapBox(limits, bwrap, program))
        )
    version = landlock.abi()
    if version >= landlock.LEAST_ABI:
        if program is not None:
            found.append(Mechanism("mounts", lambda limits: MountBox(limits, version, program)))
            found.append(
                Mechanism("landlock+seccomp", lambda limits: LandlockBox(limits, version, program))
            )
        found.append(Mechanism("landlock", lambda limits: LandlockBox(limits, version, None)))
    return tuple(found)
