"""Watching calls beside the event loop."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from parley.coder.permission.access import Access, ReadsPath, RunsCommand, WritesPath
from parley.coder.undo.books import Result
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
        async with recorder.watching("t", (ReadsPath(str(tmp_path)),)):
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
