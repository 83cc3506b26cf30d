"""The programs in `examples` do what the documents say, in both versions."""

import ast
import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import parley
from parley.errors import ResourceNotFound, RpcError
from parley.session.event import ChunkAdded
from tests.architecture.source_tree import ROOT

EXAMPLES = ROOT / "examples"
PYTHON = sys.executable
TALK = [PYTHON, str(EXAMPLES / "talk.py")]
TINY = [PYTHON, str(EXAMPLES / "tiny_agent.py")]
NOTES = [PYTHON, str(EXAMPLES / "notes_agent.py")]
BOUND = 20.0
both = pytest.mark.parametrize("version", [1, 2])


def test_talking_to_the_tiny_agent_prints_the_conversation() -> None:
    finished = _run([*TALK, "Hello, wörld"])
    assert finished.stderr == ""
    assert finished.stdout.splitlines() == [
        "you: Hello, wörld",
        "agent: Hello, wörld ",
        "tool: Remember the words (completed)",
    ]
    assert finished.returncode == 0


def test_talking_without_words_shows_the_usage() -> None:
    finished = _run(TALK)
    assert finished.returncode == 1
    assert finished.stderr == 'usage: examples/talk.py "what to say"\n'


def test_the_tiny_agent_has_at_most_ten_lines_of_code() -> None:
    text = (EXAMPLES / "tiny_agent.py").read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text), clean=False) or ""
    lines = text.replace(f'"""{docstring}"""', "").splitlines()
    assert len([line for line in lines if line.strip()]) <= 10


@both
@pytest.mark.parametrize(("policy", "status"), [("allow", "completed"), ("reject", "failed")])
def test_the_tiny_agent_streams_and_asks(version: int, policy: str, status: str) -> None:
    async def scenario() -> None:
        client = parley.Client("test", permission=policy)  # pyright: ignore
        async with client.connect(TINY, settings=_only(version)) as agent:
            session = await agent.new_session(".")
            events = [event async for event in session.prompt("one two")]
            chunks = [event for event in events if isinstance(event, ChunkAdded)]
            assert len([chunk for chunk in chunks if chunk.speaker == "agent"]) == 2
            assert [call.status for call in session.state.tool_calls.values()] == [status]

    _bounded(scenario())


@both
def test_the_tiny_agent_can_be_cancelled_while_it_asks(version: int) -> None:
    async def scenario() -> None:
        asked = asyncio.Event()
        client = parley.Client("test")

        @client.permission
        async def wait(session: parley.RemoteSession, question: object) -> None:
            asked.set()
            await asyncio.Event().wait()

        async with client.connect(TINY, settings=_only(version)) as agent:
            session = await agent.new_session(".")
            async with session.prompt("one two") as turn:
                await asked.wait()
            assert turn.result().stop_reason == "cancelled"
            (call,) = session.state.tool_calls.values()
            assert call.final

    _bounded(scenario())


@both
def test_the_notes_agent_writes_after_it_was_allowed_and_remembers(
    version: int, tmp_path: Path
) -> None:
    notes = tmp_path / "NOTES.txt"

    async def scenario() -> None:
        client = parley.Client("test", permission="reject")
        async with client.connect(NOTES, settings=_only(version)) as agent:
            session = await agent.new_session(tmp_path)
            assert await session.ask("milk") == "I left the notes as they were."
            assert not notes.exists()
            await session.set_option("mode", "write")
            assert await session.ask("milk") == "Noted."
            assert notes.read_text() == "milk\n"
            assert [each.final for each in session.state.tool_calls.values()] == [True, True]
            assert session.state.plans.keys() == {"main"}
            assert [command.name for command in session.state.commands] == ["forget"]
        # Another process finds the conversation again.
        async with parley.connect(NOTES, settings=_only(version)) as agent:
            (info,) = (await agent.list_sessions(tmp_path)).sessions
            session = await agent.load_session(info.session_id, tmp_path)
            texts = [message.text for message in session.state.messages.values()]
            assert texts == ["milk", "I left the notes as they were.", "milk", "Noted."]
            await session.set_option("mode", "write")
            await session.ask("/forget")
            assert notes.read_text() == ""

    _bounded(scenario())


@both
def test_the_notes_agent_asks_no_more_after_an_always(version: int, tmp_path: Path) -> None:
    async def scenario() -> None:
        questions: list[object] = []
        client = parley.Client("test")

        @client.permission
        async def always(session: parley.RemoteSession, question: object) -> str:
            questions.append(question)
            return "allow_always"

        async with client.connect(NOTES, settings=_only(version)) as agent:
            session = await agent.new_session(tmp_path)
            for text in ("a", "b"):
                await session.ask(text)
            assert len(questions) == 1
            assert session.state.mode is not None
            assert session.state.mode.current == "write"

    _bounded(scenario())


def test_the_notes_agent_loads_nothing_from_another_place(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('[["agent", "secret"]]')
    (tmp_path / ".notes").mkdir()

    async def scenario() -> None:
        async with parley.connect(NOTES, settings=_only(1)) as agent:
            for session_id in ("../secret", "unknown"):
                with pytest.raises(ResourceNotFound):
                    await agent.load_session(session_id, tmp_path)

    _bounded(scenario())


@both
@pytest.mark.parametrize(
    ("typed", "status"),
    [("1\n", "completed"), ("3\n", "failed"), ("x\n", "failed"), ("", "failed")],
)
def test_drive_shows_everything_and_lets_the_person_decide(
    version: int, typed: str, status: str
) -> None:
    drive = [PYTHON, str(EXAMPLES / "drive.py"), "--version", str(version)]
    finished = _run([*drive, "one two", "--", *TINY], typed)
    assert finished.stderr == ""
    lines = finished.stdout.splitlines()
    assert lines[0] == f"tiny, version {version} of the protocol"
    assert "one two " in lines
    assert "  3 Reject" in lines
    assert f"[Remember the words: {status}]" in lines
    assert lines[-1] == "(the turn ended: end_turn)"
    assert finished.returncode == 0


def test_drive_says_why_an_agent_cannot_be_driven() -> None:
    finished = _run([PYTHON, str(EXAMPLES / "drive.py"), "hi", "--", "no-such-agent"])
    assert finished.returncode == 1
    assert finished.stderr.startswith("drive: ")
    assert "no-such-agent" in finished.stderr


@both
def test_a_method_that_an_example_does_not_register_is_not_found(version: int) -> None:
    async def scenario() -> None:
        async with parley.connect(TINY, settings=_only(version)) as agent:
            with pytest.raises(RpcError) as caught:
                await agent.call("_no/such", {})
            assert caught.value.code == -32601

    _bounded(scenario())


def _only(version: int) -> parley.Settings:
    return parley.Settings(versions=(version,), deadline=BOUND)


def _bounded(scenario: object) -> None:
    async def run() -> None:
        async with asyncio.timeout(BOUND):
            await scenario  # pyright: ignore

    asyncio.run(run())


def _run(command: list[str], typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, timeout=BOUND, check=False
    )
