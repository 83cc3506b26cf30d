"""The bond of a child to us: its environment and the news of its end."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable

import pytest

from parley.process.life import (
    call_at_exit,
    call_at_exit_by_descriptor,
    call_at_exit_by_thread,
    environment,
)
from tests.transport.wires import BOUND, run, until


def test_a_clean_environment_has_the_basics_and_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SOME_API_KEY", "PATHOLOGY", "MYPATH", "LD_PRELOAD", "PYTHONPATH"):
        monkeypatch.setenv(name, "secret")
    for name in ("PATH", "HOME", "LC_CTYPE", "XDG_CONFIG_HOME", "TMPDIR"):
        monkeypatch.setenv(name, "kept")
    clean = environment({"EXTRA": "added", "HOME": "mine"}, clean=True)
    assert "secret" not in clean.values()
    assert clean["PATH"] == clean["LC_CTYPE"] == clean["XDG_CONFIG_HOME"] == "kept"
    assert clean["EXTRA"] == "added"
    assert clean["HOME"] == "mine"


def test_an_environment_is_ours_with_additions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SETTING", "ours")
    assert environment(None, clean=False)["SOME_SETTING"] == "ours"
    assert environment({"SOME_SETTING": "theirs"}, clean=False)["SOME_SETTING"] == "theirs"


@pytest.mark.parametrize(
    "watch", [call_at_exit, call_at_exit_by_descriptor, call_at_exit_by_thread]
)
def test_the_exit_of_a_child_is_told(
    watch: Callable[["subprocess.Popen[bytes]", Callable[[], None]], None],
) -> None:
    process = subprocess.Popen(["sleep", "60"])

    async def scenario() -> None:
        told = asyncio.Event()
        watch(process, told.set)
        await asyncio.sleep(0)
        assert not told.is_set()
        process.send_signal(signal.SIGTERM)
        await told.wait()
        assert process.wait(BOUND) == -signal.SIGTERM

    run(scenario)


def test_a_child_that_outlives_the_event_loop_is_still_reaped_by_the_thread() -> None:
    process = subprocess.Popen(["sleep", "60"])

    async def scenario() -> None:
        call_at_exit_by_thread(process, lambda: None)

    run(scenario)
    process.kill()
    assert until(lambda: process.returncode == -signal.SIGKILL)


def test_where_the_kernel_has_no_descriptor_for_a_process_a_thread_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: int) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", refuse)

    process = subprocess.Popen(["true"])

    async def scenario() -> None:
        told = asyncio.Event()
        call_at_exit(process, told.set)
        await told.wait()
        assert process.returncode == 0

    run(scenario)
