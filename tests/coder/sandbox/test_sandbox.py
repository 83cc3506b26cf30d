"""Which mechanism is used, and what happens where none is."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from parley.coder.errors import ToolError
from parley.coder.sandbox import bubblewrap, landlock, seatbelt, seccomp
from parley.coder.sandbox.box import LandlockBox
from parley.coder.sandbox.mounts import MountBox
from parley.coder.sandbox.sandbox import Mechanism, Sandbox, available
from tests.coder.sandbox.test_self_test import OpenBox


def nothing(network: bool) -> tuple[Mechanism, ...]:
    return ()


def open_first(network: bool) -> tuple[Mechanism, ...]:
    return (Mechanism("bubblewrap", OpenBox), *available(network))


def open_without_network(network: bool) -> tuple[Mechanism, ...]:
    return (available(network)[0] if network else Mechanism(available(True)[0].level, OpenBox),)


def test_the_strongest_mechanism_that_holds_is_used() -> None:
    async def scenario() -> None:
        sandbox = Sandbox("auto", mechanisms=open_first)
        standing = await sandbox.standing()
        assert standing.level == available(True)[0].level
        assert "workspace" in standing.text
        assert await sandbox.standing() is standing
        assert not await sandbox.must_ask()

    asyncio.run(scenario())


def test_a_mechanism_must_hold_with_the_network_and_without() -> None:
    async def scenario() -> None:
        sandbox = Sandbox("auto", mechanisms=open_without_network)
        assert (await sandbox.standing()).level == "none"

    asyncio.run(scenario())


def test_where_nothing_holds_every_command_is_asked_for(tmp_path: Path) -> None:
    async def scenario() -> None:
        sandbox = Sandbox("auto", mechanisms=nothing)
        assert await sandbox.must_ask()
        assert await sandbox.box((str(tmp_path),)) is None

    asyncio.run(scenario())


def test_what_is_required_and_missing_runs_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        sandbox = Sandbox("require", mechanisms=nothing)
        with pytest.raises(ToolError, match="none works on this machine"):
            await sandbox.box((str(tmp_path),))

    asyncio.run(scenario())


def test_switched_off_it_neither_confines_nor_asks(tmp_path: Path) -> None:
    async def scenario() -> None:
        sandbox = Sandbox("off", mechanisms=nothing)
        assert not await sandbox.must_ask()
        assert await sandbox.box((str(tmp_path),)) is None

    asyncio.run(scenario())


def test_a_box_has_the_limits_of_the_session(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    sandbox = Sandbox("auto", hidden=("/keys",), writable=("/cache",))
    limits = sandbox.limits((str(tmp_path / "link"),), network=False, protected=True)
    assert limits.writable[:2] == (os.path.realpath(tmp_path / "real"), "/cache")
    assert limits.hidden == ("/keys",)
    assert f"{os.path.realpath(tmp_path / 'real')}/.git/hooks" in limits.protected
    assert not limits.network
    assert not sandbox.limits((str(tmp_path),), network=True, protected=False).protected
    inner = Sandbox("auto", hidden=(str(tmp_path),)).limits
    assert inner((str(tmp_path / "real"),), network=True, protected=True).hidden == ()
    assert isinstance(asyncio.run(sandbox.box((str(tmp_path),))), MountBox | LandlockBox)


def test_what_is_the_agents_own_is_kept_and_made_before_a_command_could(tmp_path: Path) -> None:
    home, own = os.path.realpath(tmp_path), os.path.realpath(tmp_path / ".config/parley")
    sandbox = Sandbox("auto", own=(own,), private=(own, "/no/such/folder"))
    assert sandbox.limits((home,), network=True, protected=False).own == (own,)
    # Whoever works in there is asked, and what a person agreed to is done.
    assert sandbox.limits((own,), network=True, protected=True).own == (own,)
    assert sandbox.limits((own,), network=True, protected=False).own == ()
    assert not os.path.exists(own)
    asyncio.run(sandbox.box((home,)))
    assert os.stat(own).st_mode & 0o777 == 0o700
    assert not os.path.exists("/no/such")


def test_there_is_a_private_folder_for_caches(tmp_path: Path) -> None:
    cache = tmp_path / "new/caches"
    sandbox = Sandbox("auto", cache=str(cache))
    asyncio.run(sandbox.box((str(tmp_path),)))
    assert cache.stat().st_mode & 0o777 == 0o700
    assert str(cache) in sandbox.limits((), network=True, protected=True).writable
    (tmp_path / "file").touch()
    blocked = Sandbox("auto", cache=str(tmp_path / "file/caches"))
    assert asyncio.run(blocked.box((str(tmp_path),))) is not None


def test_each_system_has_its_own_mechanisms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda roots: "/usr/bin/bwrap")
    levels = [each.level for each in available(True)]
    assert levels == ["bubblewrap", "mounts", "landlock+seccomp", "landlock"]
    monkeypatch.setattr(seccomp, "program", lambda machine, network: None)
    assert [each.level for each in available(True)] == ["landlock"]
    monkeypatch.setattr(landlock, "abi", lambda: 2)
    assert available(True) == ()
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(seatbelt, "available", lambda: True)
    assert [each.level for each in available(True)] == ["seatbelt"]
    monkeypatch.setattr(seatbelt, "available", lambda: False)
    assert available(True) == ()
