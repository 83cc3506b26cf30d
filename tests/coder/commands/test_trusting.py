"""`/trust`: everything is shown whole, and whatever is not a clear yes is a no."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from parley.coder.commands.trusting import NOT_TRUSTED
from parley.coder.mcp import servers
from parley.coder.trust.book import TrustBook
from parley.session.content import ContentItem, Text
from parley.session.event import ChunkAdded, NoticeGiven, ToolCallChanged
from parley.session.question import (
    Chosen,
    Dismissed,
    OtherAnswer,
    PermissionAnswer,
    PermissionQuestion,
)
from tests.coder.stage import BOUND, Gate, Stage, Watcher, choosing, staged

Scenario = Callable[[], Coroutine[None, None, None]]


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set when a server would have been started; none really is."""
    started = asyncio.Event()

    async def converse(*terms: object) -> str:
        started.set()
        await asyncio.Event().wait()
        return ""

    monkeypatch.setattr(servers, "_loaded", lambda: converse)
    return started


def play(scenario: Scenario) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(BOUND):
            await scenario()

    asyncio.run(bounded())


def write(stage: Stage, **named: Any) -> None:
    (stage.project / ".mcp.json").write_text(json.dumps({"mcpServers": named}))


def said(stage: Stage) -> str:
    """The last answer."""
    chunks = [e for e in stage.events if isinstance(e, ChunkAdded) and e.speaker == "agent"]
    assert isinstance(chunks[-1].content, Text)
    return chunks[-1].content.text


def notices(stage: Stage) -> list[str]:
    return [e.title for e in stage.events if isinstance(e, NoticeGiven)]


def states(stage: Stage) -> list[str]:
    return [e.status for e in stage.events if isinstance(e, ToolCallChanged) and e.status]


async def running(stage: Stage) -> list[str]:
    session = stage.application.sessions.get(stage.session_id)
    return [each.name for each in session.servers.reports]


SHELL = {"command": "/bin/sh", "args": ["-c", "exit"]}


@pytest.mark.parametrize("typed", ["--frget", "--forget shell", "shell --all"])
def test_an_option_that_there_is_not_asks_nothing(tmp_path: Path, typed: str) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, client=Watcher(choosing("allow_always"))) as stage:
            write(stage, shell=SHELL)
            await stage.say(f"/trust {typed}")
            assert "`/trust --forget`" in said(stage)
            assert stage.client.questions == []

    play(scenario)


def test_with_nothing_to_trust_it_says_so(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            await stage.say("/trust")
            assert said(stage) == "There is nothing to trust in this project."
            write(stage, bad={})
            await stage.say("/trust")
            assert "`bad` of `.mcp.json` cannot be used" in said(stage)
            assert stage.client.questions == []

    play(scenario)


def test_a_server_is_shown_whole_and_starts_in_the_running_session(
    tmp_path: Path, started: asyncio.Event
) -> None:
    async def scenario() -> None:
        client = Watcher(choosing("allow_always"))
        async with staged(tmp_path, client=client) as stage:
            tail = "x" * 5000 + "; rm -r y\u202e\x1b[2K"
            write(stage, docs={"command": "/bin/sh", "args": ["-c", tail]})
            await stage.say("/trust")
            (question,) = client.questions
            assert question.title == "Trust the MCP server 'docs' of this project?"
            assert question.description is not None
            assert f'["/bin/sh","-c","{"x" * 5000}; rm -r y\\u202e\\u001b[2K"]' in (
                question.description
            )
            assert question.description.startswith("```\n")
            assert {each.kind for each in question.options} == {"allow_always", "reject_once"}
            assert said(stage) == "- the MCP server `docs` is trusted and used from here on."
            assert await running(stage) == ["docs"]
            assert states(stage) == ["pending", "completed"]
            await started.wait()

    play(scenario)


ANSWERS: list[PermissionAnswer] = [
    *(Chosen("leave"), Chosen(""), Chosen("allow_always"), Chosen("Trust it until it changes")),
    *(Dismissed(), OtherAnswer("selected", {"optionId": "trust"})),
]


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_whatever_is_no_clear_yes_is_a_no(tmp_path: Path, answer: PermissionAnswer) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, client=Watcher(lambda question: answer)) as stage:
            write(stage, docs=SHELL)
            await stage.say("/trust")
            assert said(stage) == "Nothing was trusted, and nothing of it is used."
            assert await running(stage) == []
            assert states(stage) == ["pending", "failed"]
            ended = [each for each in stage.events if isinstance(each, ToolCallChanged)][-1]
            assert isinstance(ended.content, tuple)
            assert ended.content[0] == ContentItem(Text(NOT_TRUSTED))
            assert not (tmp_path / "store" / "trust.json").exists()

    play(scenario)


def test_who_cannot_be_asked_is_not_asked_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            write(stage, one=SHELL, two=SHELL)
            await stage.say("/trust")
            assert len(stage.client.questions) == 1

    play(scenario)


def test_each_is_decided_alone_and_can_be_named(tmp_path: Path) -> None:
    def answer(question: PermissionQuestion) -> PermissionAnswer:
        return Chosen("trust" if "'two'" in question.title else "leave")

    async def scenario() -> None:
        async with staged(tmp_path, client=Watcher(answer)) as stage:
            write(stage, one=SHELL, two=SHELL, three=SHELL)
            await stage.say("/trust one two")
            assert len(stage.client.questions) == 2
            assert said(stage).splitlines() == [
                "- the MCP server `two` is trusted and used from here on.",
                "- the MCP server `one` is not trusted and not used.",
                "- the MCP server `three` is not trusted and not used.",
            ]
            assert await running(stage) == ["two"]
            await stage.say("/trust four")
            assert "nothing of that name" in said(stage)

    play(scenario)


def test_what_is_trusted_starts_with_the_next_session_until_it_changes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, client=Watcher(choosing("allow_always"))) as stage:
            write(stage, docs=SHELL)
            await stage.say("/trust")
            await stage.new()
            await settled(stage)
            assert await running(stage) == ["docs"]
            assert notices(stage) == []
            await stage.say("/trust")
            assert said(stage).endswith("- trusted: the MCP server `docs`")
            write(stage, docs={**SHELL, "args": ["-c", "exit 1"]})
            await stage.new()
            await settled(stage)
            assert await running(stage) == []
            await stage.client.until(lambda: bool(notices(stage)))
            assert "`docs` (changed since you trusted it)" in notices(stage)[0]
            await stage.say("/trust")
            assert "it has changed since" in (stage.client.questions[-1].description or "")
            assert await running(stage) == ["docs"]

    play(scenario)


def test_a_server_that_changes_while_it_runs_waits_for_the_next_session(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, client=Watcher(choosing("allow_always"))) as stage:
            write(stage, docs=SHELL)
            await stage.say("/trust")
            write(stage, docs={**SHELL, "args": ["-c", "exit 1"]})
            await stage.say("/trust")
            assert said(stage).endswith("is trusted. This session keeps it as it was before.")
            assert await running(stage) == ["docs"]

    play(scenario)


def test_content_that_changes_during_the_question_is_not_used(tmp_path: Path) -> None:
    async def scenario() -> None:
        client = Watcher(choosing("allow_always"), Gate())
        async with staged(tmp_path, client=client) as stage:
            write(stage, docs=SHELL)
            turn = asyncio.create_task(stage.say("/trust"))
            assert client.gate is not None
            await client.gate.reached.wait()
            write(stage, docs={**SHELL, "args": ["-c", "evil"]})
            client.gate.opened.set()
            await turn
            assert "has changed while you were asked, so it is not used" in said(stage)
            assert await running(stage) == []

    play(scenario)


def test_a_cancelled_question_trusts_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        client = Watcher(choosing("allow_always"), Gate())
        async with staged(tmp_path, client=client) as stage:
            write(stage, docs=SHELL)
            assert client.gate is not None
            await stage.cancelled_at(client.gate.reached, "/trust")
            assert states(stage) == ["pending", "cancelled"]
            assert not (tmp_path / "store" / "trust.json").exists()

    play(scenario)


def test_an_agreement_that_cannot_be_kept_does_not_hold(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, client=Watcher(choosing("allow_always"))) as stage:
            write(stage, docs=SHELL)
            (tmp_path / "store" / "trust.json").mkdir()
            await stage.say("/trust")
            assert "could not be kept" in said(stage)
            assert await running(stage) == []

    play(scenario)


def test_agreements_can_be_taken_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, client=Watcher(choosing("allow_always"))) as stage:
            write(stage, docs=SHELL)
            await stage.say("/trust --forget")
            assert said(stage) == "Nothing of this project was trusted."
            await stage.say("/trust")
            # It may be gone at this moment, as on another branch, and come back.
            write(stage)
            await stage.say("/trust --forget")
            assert said(stage).startswith("Taken back: 1.")
            assert TrustBook(tmp_path / "store").examined() == (0, "")
            write(stage, docs=SHELL)
            await stage.new()
            await settled(stage)
            assert await running(stage) == []

    play(scenario)


async def settled(stage: Stage) -> None:
    await stage.application.sessions.get(stage.session_id).project.settled()
    await asyncio.sleep(0)
