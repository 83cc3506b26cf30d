"""Watching calls beside the event loop."""

import asyncio
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from parley.coder.permission.access import (
    Access,
    Delegates,
    ReadsPath,
    RunsCommand,
    WritesPath,
)
from parley.coder.undo.books import Books, Result
from parley.coder.undo.recorder import Recorder


def test_without_a_folder_nothing_is_recorded(tmp_path: Path) -> None:
    async def scenario() -> None:
        recorder = Recorder(None, (str(tmp_path),))
        async with recorder.watching("t", (RunsCommand("x", str(tmp_path)),)):
            await asyncio.to_thread((tmp_path / "a").touch)
        assert await recorder.undo(None) == Result()
        assert recorder.left_out == ()
        await recorder.aclose()

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", ["command", "file"])
def test_a_call_that_fails_is_recorded_all_the_same(tmp_path: Path, kind: str) -> None:
    root, path = str(tmp_path / "project"), tmp_path / "project" / "a"
    path.parent.mkdir()
    access: Access = RunsCommand("x", root) if kind == "command" else WritesPath(str(path))

    async def scenario() -> None:
        recorder = Recorder(tmp_path / "undo", (root,))
        with suppress(ValueError):
            async with recorder.watching("t", (ReadsPath(root), access)):
                await asyncio.to_thread(path.touch)
                raise ValueError("broken")
        assert path.exists()
        result = await recorder.undo(None)
        assert result is not None
        assert len(result.changed) == 1
        await recorder.aclose()

    asyncio.run(scenario())
    assert not path.exists()


def test_a_call_that_only_reads_costs_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        recorder = Recorder(tmp_path / "undo", (str(tmp_path),))
        root = str(tmp_path)
        # What a sub-agent changes is recorded with the call that changes it.
        work = Delegates("x", ("bash",), reads_only=False)
        async with recorder.watching("t", (ReadsPath(root), RunsCommand("ls -l", root), work)):
            pass
        await recorder.aclose()

    asyncio.run(scenario())
    assert not (tmp_path / "undo").exists()


def test_a_disk_that_refuses_costs_the_undo_only(tmp_path: Path) -> None:
    (tmp_path / "undo").touch()

    async def scenario() -> None:
        recorder = Recorder(tmp_path / "undo" / "id", (str(tmp_path),))
        for access in (RunsCommand("x", str(tmp_path)), WritesPath(str(tmp_path / "a"))):
            async with recorder.watching("t", (access,)):
                pass
        assert await recorder.undo(None) is None
        await recorder.aclose()

    asyncio.run(scenario())


def test_a_session_that_ends_during_a_call_is_no_failure(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        recorder = Recorder(tmp_path / "undo", (str(tmp_path),))
        async with recorder.watching("t", (RunsCommand("x", str(tmp_path)),)):
            await recorder.aclose()

    asyncio.run(scenario())
    assert caplog.records == []


def test_a_call_that_is_cancelled_before_it_runs_waits_for_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []
    reached, go = threading.Event(), threading.Event()

    def begin(books: Books, turn: str, *, alone: bool) -> None:
        reached.set()
        go.wait(5)

    def end(books: Books, turn: str) -> None:
        ended.append(turn)

    monkeypatch.setattr(Books, "begin", begin)
    monkeypatch.setattr(Books, "end", end)

    async def scenario() -> None:
        recorder = Recorder(tmp_path / "undo", (str(tmp_path),))

        async def work() -> None:
            async with recorder.watching("t", (RunsCommand("make", str(tmp_path)),)):
                raise AssertionError("it ran")

        task = asyncio.create_task(work())
        await asyncio.to_thread(reached.wait, 5)
        task.cancel()
        done, _ = await asyncio.wait((task,), timeout=5)
        assert task in done
        assert task.cancelled()
        go.set()
        await recorder.aclose()

    asyncio.run(scenario())
    assert ended == []


def test_what_comes_after_the_end_of_the_session_is_not_recorded(tmp_path: Path) -> None:
    root = str(tmp_path / "project")

    async def scenario() -> None:
        recorder = Recorder(tmp_path / "undo", (root,))
        async with recorder.watching("t", (RunsCommand("make", root),)):
            await recorder.aclose()
        assert await recorder.undo(None) == Result()

    (tmp_path / "project").mkdir()
    asyncio.run(scenario())
