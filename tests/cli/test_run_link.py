"""The agent of a run as a process: watched and recorded."""

import asyncio
import io
import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

import parley
from parley.cli.run_link import ProcessLink, Recorder, Watched, opened_record
from parley.errors import ConfigError
from parley.rpc.transport import Oversize
from parley.transport.memory import memory_pair
from parley.transport.tap import TappedFrame

PARLEY = (sys.executable, "-c", "import sys; from parley.cli.main import main; sys.exit(main())")


def test_frames_are_recorded_and_the_last_one_is_known() -> None:
    record = io.StringIO()

    async def scenario() -> ProcessLink:
        command = (*PARLEY, "scripted-agent", "hello-agent")
        link = ProcessLink(command, parley.Settings(), record=record)
        assert link.last_frame is None
        assert link.stderr == ()
        async with link.connect(parley.Client()) as agent:
            session = await agent.new_session(".")
            assert await session.ask("x") == "Hello"
        return link

    link = asyncio.run(asyncio.wait_for(scenario(), 20))
    lines = [json.loads(line) for line in record.getvalue().splitlines()]
    assert lines[0]["direction"] == "editor-to-agent"
    assert lines[0]["payload"]["method"] == "initialize"
    assert lines[-1]["direction"] == "agent-to-editor"
    assert link.last_frame is not None
    assert link.last_frame.startswith("from the agent: an answer")
    assert "hello-agent" in link.command
    assert link.stderr


@pytest.mark.parametrize(
    ("frame", "what"),
    [
        (b'{"id":1,"method":"session/new","params":{}}', "the request `session/new`"),
        (b'{"method":"session/cancel"}', "the notification `session/cancel`"),
        (
            b'{"method":"session/update","params":{"update":{"sessionUpdate":"plan"}}}',
            "`session/update` with `plan`",
        ),
        (b'{"id":1,"result":{"secret":"x"}}', "an answer"),
        (b'{"id":1,"error":{}}', "an error as answer"),
        (b"[]", "something that is no message"),
        (b"noise", "something that is not JSON"),
    ],
)
def test_the_last_frame_is_named_and_never_shown(frame: bytes, what: str) -> None:
    async def scenario() -> tuple[str | None, str | None]:
        near, far = memory_pair()
        watched = Watched(near)
        watched.hand_to(None)  # Nothing here hands anything over.
        far.send(frame)
        assert await watched.receive() == [frame]
        got = watched.last_frame
        watched.send(frame)
        assert not watched.blocked
        await watched.drain()
        sent = watched.last_frame
        await watched.aclose()
        return got, sent

    got, sent = asyncio.run(scenario())
    assert got == f"from the agent: {what}, {len(frame)} bytes"
    assert sent == f"to the agent: {what}, {len(frame)} bytes"


def test_a_frame_over_the_limit_is_named_by_its_size() -> None:
    async def scenario() -> str | None:
        near, far = memory_pair(limit=10)
        watched = Watched(near)
        far.send(b"x" * 20)
        await watched.receive()
        return watched.last_frame

    assert asyncio.run(scenario()) == "from the agent: 20 bytes, which is over the limit"


def recorded(*frames: Any) -> list[dict[str, Any]]:
    file = io.StringIO()
    recorder = Recorder(file)
    for frame in frames:
        recorder.add(TappedFrame(1.5, "in", frame))
    return [json.loads(line) for line in file.getvalue().splitlines()]


def test_whatever_passes_is_written_down() -> None:
    head = {"time": 1.5, "direction": "agent-to-editor"}
    assert recorded(b'{"a":1}', b"no\xffise", Oversize(9, b"x", 5)) == [
        {**head, "payload": {"a": 1}},
        {**head, "raw": "no\ufffdise"},
        {**head, "oversize": 9},
    ]


def test_a_full_disk_ends_the_recording_and_nothing_else() -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    recorder = Recorder(Full())
    for _ in range(2):
        recorder.add(TappedFrame(0.0, "in", b"{}"))


def test_a_recording_is_for_its_owner(tmp_path: Path) -> None:
    with opened_record(str(tmp_path / "r")) as file:
        file.write("x")
    assert stat.S_IMODE((tmp_path / "r").stat().st_mode) == 0o600
    with pytest.raises(ConfigError, match="--record"):
        opened_record(str(tmp_path / "no" / "r"))
