"""Whole sessions with each wire format: work, being cancelled at any moment, going on after a load.

The agent is a process that is configured by its environment and its files only. The model is a
server that refuses every request which the real one would refuse, so a conversation that is not
well formed any more after something happened ends the test.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agent.long_session import (
    FIXED,
    FORBIDDEN,
    answer,
    bash,
    call,
    edit,
    project,
    says,
    work,
)
from tests.agent.raw_client import Json, RawClient, Turn, allow, refuse, silent
from tests.agent.transcript import Transcript, said_by_user
from tests.agent.wire_formats import ANTHROPIC, CHAT, FORMATS, GEMINI, KEY, Model, WireFormat
from tests.coder.providers.fakes.reply import Reply, Say, Scripted, Silent, Stall, Think, Tokens

SOON = 5.0
"""Seconds in which a cancelled turn must have ended; a busy machine is slow."""


def answers(request: Json) -> Json:
    """What the person says: no to one file, yes to all else."""
    return refuse(request) if FORBIDDEN in json.dumps(request["params"]) else allow(request)


class Stage:
    """One session over the life of several processes, with everything that was told of it."""

    def __init__(self, model: Model, home: Path, version: int) -> None:
        self.model = model
        self.home = home
        self.cwd = project(home / "project")
        self.version = version
        self.env = model.wire.configured(model.server.url, home)
        self.env |= {"PARLEY_THOUGHT_LEVEL": "low", "PARLEY_LOG_LEVEL": "debug"}
        self.told: list[Json] = []
        """What a client that had been there all the time would have been told."""
        self.waits: dict[str, float] = {}
        """How long it took a cancelled turn to end, by what was going on."""
        self.session = ""

    def client(self) -> RawClient:
        # The tokens of a turn are a stable part of version 1 only.
        arguments = ("--unstable",) if self.version == 2 else ()
        env, version = self.env, self.version
        return RawClient(
            *arguments, home=self.home, cwd=self.cwd, env=env, answers=answers, version=version
        )

    def begin(self, client: RawClient, text: str, *steps: Scripted) -> Turn:
        self.model.plays(*steps, sign=text)
        return client.start_prompt(self.session, text)

    def ended(self, client: RawClient, turn: Turn, text: str) -> Json:
        ending = client.ended(turn)
        updates = client.updates(self.session, turn.since)
        self.told += updates if self.version == 2 else [said_by_user(text), *updates]
        return ending

    def turn(self, client: RawClient, text: str, *steps: Scripted) -> Json:
        return self.ended(client, self.begin(client, text, *steps), text)

    def cancelled(
        self, client: RawClient, what: str, *steps: Scripted, when: Callable[[Turn], object]
    ) -> None:
        """A turn that is cancelled as soon as something has happened in it."""
        turn = self.begin(client, what, *steps)
        client.wait(lambda: when(turn))
        asked = time.monotonic()
        client.cancel(self.session)
        assert self.ended(client, turn, what)["stopReason"] == "cancelled"
        self.waits[what] = time.monotonic() - asked
        calls = Transcript(client.updates(self.session, turn.since)).calls.values()
        final = {"completed", "failed", "cancelled"}
        assert {each["status"] for each in calls} <= final
        self.goes_on(client, f"After {what}")

    def goes_on(self, client: RawClient, text: str) -> None:
        since = len(client.messages)
        ending = self.turn(client, text, says(f"Fine: |{text}"))
        assert ending["stopReason"] == "end_turn", ending
        assert client.said(self.session, since) == f"Fine: {text}"


@pytest.mark.parametrize(
    ("wire", "version"),
    [*((each, 1) for each in FORMATS), (CHAT, 2)],
    ids=lambda value: value.name if isinstance(value, WireFormat) else f"v{value}",
)
def test_a_session_works_is_cancelled_and_goes_on_after_a_load(
    tmp_path: Path, wire: WireFormat, version: int
) -> None:
    with Model(wire) as model:
        stage = Stage(model, tmp_path, version)
        with stage.client() as client:
            client.begin()
            stage.session = client.open(stage.cwd)
            works(stage, client)
            is_cancelled(stage, client)
            client.call("session/close", sessionId=stage.session)
            assert client.end() == 0
            seen = [client.complaints, json.dumps(client.messages)]
        with stage.client() as client:
            client.begin()
            goes_on_after_a_load(stage, client)
            assert client.end() == 0
            seen += [client.complaints, json.dumps(client.messages)]
        assert model.server.violations == []
        assert max(stage.waits.values()) < SOON
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert any(path.name == "parley.log" for path in files)
        seen += [path.read_bytes().decode("latin-1") for path in files]
        assert not [text for text in seen if KEY in text]


def works(stage: Stage, client: RawClient) -> None:
    steps = work()
    replies = [reply for reply, _ in steps]
    ending = stage.turn(client, "Repair calc.py", *replies)
    assert ending["stopReason"] == "end_turn", ending
    transcript = Transcript(stage.told)
    statuses = [status for _, statuses in steps for status in statuses]
    assert [status for _, status in transcript.statuses()] == statuses
    assert len(statuses) >= 30
    assert (stage.cwd / "calc.py").read_text() == FIXED
    assert (stage.cwd / "docs/log.md").read_text() == "ended\nmore\n"
    assert not (stage.cwd / FORBIDDEN).exists()
    assert {entry["status"] for entry in transcript.plans["main"]} == {"completed"}
    assert transcript.messages[-1] == ("agent", "Both functions  are right now.")
    said = json.dumps(stage.model.server.requests[-1].body)
    for result in ("Permission denied.", "Exit code 3", "to stderr", "all well", "job-1"):
        assert result in said
    check_usage(stage, ending, replies)


def check_usage(stage: Stage, ending: Json, replies: list[Reply]) -> None:
    """The answer sums up what the model handed out, as far as its format says it."""
    used = ending["usage"] if stage.version == 2 else ending["_meta"]["usage"]
    given = [reply.tokens or Tokens() for reply in replies]
    wire = stage.model.wire
    assert used["inputTokens"] == sum(each.input for each in given)
    assert used["outputTokens"] == sum(each.output for each in given)
    assert used["totalTokens"] == used["inputTokens"] + used["outputTokens"]
    assert used["cachedReadTokens"] == sum(each.cached_read for each in given)
    if wire is ANTHROPIC:
        assert used["cachedWriteTokens"] == sum(each.cached_write for each in given)
        assert (Transcript(stage.told).usage or {})["cost"]["amount"] == pytest.approx(
            sum(_dollars(each) for each in given)
        )
    else:
        assert used["thoughtTokens"] == sum(each.thought for each in given)


def _dollars(tokens: Tokens) -> float:
    fresh = tokens.input - tokens.cached_read - tokens.cached_write
    read, written = tokens.cached_read * 0.3, tokens.cached_write * 3.75
    return (fresh * 3 + read + written + tokens.output * 15) / 1e6


def is_cancelled(stage: Stage, client: RawClient) -> None:
    """In every phase of a turn, each followed by a turn that works."""
    server, session = stage.model.server, stage.session
    text = answer(Think(("Hm. ",)), Say(tuple(f"piece {at} " for at in range(20))))
    frames = 14 if stage.model.wire is not GEMINI else 6

    def said(turn: Turn) -> bool:
        return "piece 1 " in client.said(session, turn.since)

    stage.cancelled(client, "the text", Stall(text, frames), when=said)

    def shown(turn: Turn) -> bool:
        return bool(Transcript(client.updates(session, turn.since)).calls)

    writing = answer(Say(("I write.",)), call("write_file", path="x", content="y" * 200))
    if stage.model.wire is not GEMINI:  # A call comes in one piece there.
        begun = {"chat": 4, "responses": 12, "anthropic": 7}[stage.model.wire.name]
        stage.cancelled(client, "a call being written", Stall(writing, begun), when=shown)
    before = len(server.requests)
    turn = stage.begin(client, "the silence", Silent())
    server.wait(lambda: len(server.requests) > before)
    client.cancel(session)
    assert stage.ended(client, turn, "the silence")["stopReason"] == "cancelled"
    stage.goes_on(client, "After the silence")
    is_cancelled_in_tools(stage, client)
    assert not (stage.cwd / "x").exists()


def is_cancelled_in_tools(stage: Stage, client: RawClient) -> None:
    session = stage.session
    client.answers = silent
    write = call("write_file", path="x", content="y")

    def question(turn: Turn) -> bool:
        return bool(client.requests("session/request_permission", turn.since))

    steps = (answer(Think(("?",)), call("read_file", path="calc.py"), write, bash("touch x")),)
    stage.cancelled(client, "a question", *steps, when=question)
    client.answers = answers

    def runs(turn: Turn) -> bool:
        seen = Transcript(client.updates(session, turn.since))
        return "ready" in json.dumps(seen.calls) or b"ready" in str(seen.terminals).encode()

    sleep = bash("printf rea; printf 'dy\\n'; sleep 60; touch x")
    stage.cancelled(client, "a command", answer(Say(("Run.",)), sleep, write), when=runs)

    def read(turn: Turn) -> bool:
        calls = Transcript(client.updates(session, turn.since)).calls.values()
        return any(each["status"] == "completed" for each in calls)

    # The next request may have left or not.
    steps = (answer(call("read_file", path="calc.py")), Silent())
    stage.cancelled(client, "two requests", *steps, when=read)


def goes_on_after_a_load(stage: Stage, client: RawClient) -> None:
    replayed = client.load(stage.session, stage.cwd)
    live, again = Transcript(stage.told).parts(), Transcript(replayed).parts()
    for name, part in live.items():
        assert again[name] == part
    since = len(client.messages)
    steps = (
        answer(Think(("Again.",)), call("read_file", path="calc.py")),
        answer(edit("  # as a list", "")),
        says("Gone on."),
    )
    assert stage.turn(client, "Go on", *steps)["stopReason"] == "end_turn"
    assert client.said(stage.session, since) == "Gone on."
    assert "as a list" not in (stage.cwd / "calc.py").read_text()
    said: Any = json.dumps(stage.model.server.requests[-1].body)
    assert "Repair calc.py" in said
    assert "After two requests" in said
