"""A model that fails, seen by a client: what it is told, how the turn ends, that life goes on.

One agent has all four providers. Every test has a session with each of them, and all four fail at
the same time.
"""

import json
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.raw_client import Json, RawClient
from tests.agent.wire_formats import (
    ANTHROPIC,
    CHAT,
    FORMATS,
    GEMINI,
    KEY,
    RESPONSES,
    Model,
    WireFormat,
    choose_model,
    every_model,
)
from tests.coder.providers.fakes.reply import (
    MALFORMED,
    Call,
    Cut,
    Inject,
    Received,
    Reply,
    Say,
    Scripted,
    Slow,
    Status,
    Think,
    says,
)

BOUND = 10.0
"""Seconds that turns with failing models may take here, where they are asked again for one."""


class Watch:
    """A session with one of the models."""

    def __init__(self, client: RawClient, model: Model, cwd: Path) -> None:
        self.client = client
        self.model = model
        self.wire = model.wire
        self.session = client.open(cwd)
        self.before = len(model.server.requests)
        choose_model(client, self.session, self.wire.listed)

    @property
    def asked(self) -> int:
        """How many requests the model got."""
        return len(self.model.server.requests) - self.before

    def frames(self, reply: Reply) -> int:
        """In how many frames a reply comes."""
        path = "/v1beta/models/gemini-3-flash:streamGenerateContent"
        body: Json = {"model": "gpt-5", "stream_options": {"include_usage": True}}
        return len(self.model.server.api.frames(Received("POST", path, "", {}, body), reply))


class Turn:
    """How a turn ended, and what was said in it."""

    def __init__(self, watch: Watch, ending: Json, said: str) -> None:
        self.watch = watch
        self.reason = ending.get("stopReason")
        self.error = ending.get("error", {})
        self.said = said


class Everybody:
    """A session with each model."""

    def __init__(self, client: RawClient, models: list[Model], cwd: Path) -> None:
        self.client = client
        self.watches = [Watch(client, model, cwd) for model in models]

    def turns(self, steps: Callable[[Watch], tuple[Scripted, ...]]) -> list[Turn]:
        """A turn in each session, all at once; they end in time."""
        began = time.monotonic()
        begun: list[Any] = []
        for watch in self.watches:
            watch.model.plays(*steps(watch))
            begun.append(self.client.start_prompt(watch.session, "Hi"))
        ended = [
            Turn(watch, self.client.ended(turn), self.client.said(watch.session, turn.since))
            for watch, turn in zip(self.watches, begun, strict=True)
        ]
        assert time.monotonic() - began < BOUND
        return ended

    def cancelled(self, step: Scripted, sign: str) -> None:
        """A turn in each session, cancelled when something was said in it."""
        client = self.client
        begun: list[Any] = []
        for watch in self.watches:
            watch.model.plays(step)
            begun.append(client.start_prompt(watch.session, "Hi"))
        for turn in begun:
            client.wait(lambda turn=turn: sign in client.said(turn.session, turn.since))
            asked = time.monotonic()
            client.cancel(turn.session)
            assert client.ended(turn)["stopReason"] == "cancelled"
            assert time.monotonic() - asked < 3.0

    def work(self) -> None:
        """All of them answer again."""
        for turn in self.turns(lambda watch: (says("Works ", "again."),)):
            assert (turn.reason, turn.said) == ("end_turn", "Works again.")


@pytest.fixture(scope="module")
def agent(
    tmp_path_factory: pytest.TempPathFactory,
) -> Generator[tuple[RawClient, list[Model]]]:
    with every_model(tmp_path_factory.mktemp("home"), {}) as found:
        yield found


@pytest.fixture
def everybody(agent: tuple[RawClient, list[Model]], tmp_path: Path) -> Everybody:
    return Everybody(*agent, tmp_path)


def test_a_pause_that_the_server_asks_for_is_kept_and_told(everybody: Everybody) -> None:
    began = time.monotonic()
    busy = Status(429, {"retry-after": "0.3"}, "slow down")
    for turn in everybody.turns(lambda watch: (busy, says("There."))):
        assert turn.reason == "end_turn"
        assert "asks for a pause (status 429): slow down" in turn.said
        assert "Trying again in 0.3 s (try 2 of 5)." in turn.said
        assert turn.said.endswith("There.")
        assert turn.watch.asked == 2
    assert time.monotonic() - began >= 0.3


def test_a_failure_that_lasts_ends_the_turn_with_an_error(everybody: Everybody) -> None:
    on_fire = (Status(500, message="on fire"),) * 5
    for turn in everybody.turns(lambda watch: on_fire):
        assert "failed (status 500): on fire" in turn.error["message"]
        assert turn.error["data"] == {"reason": "model_failed", "kind": "server"}
        assert "Trying again in" in turn.said
        assert turn.said.rstrip().endswith("on fire\nhint: try again later or choose another model")
        assert 2 <= turn.watch.asked <= 5
    everybody.work()


def test_a_pause_that_is_longer_than_the_patience_ends_the_turn_at_once(
    everybody: Everybody,
) -> None:
    for turn in everybody.turns(lambda watch: (Status(429, {"retry-after": "30"}),)):
        assert "asks for a pause" in turn.error["message"]
        assert turn.error["data"]["kind"] == "limit"
        assert turn.watch.asked == 1
    everybody.work()


def test_an_answer_that_breaks_off_is_gone_on_with(everybody: Everybody) -> None:
    reply = Reply((Think(("Hm.",)), Say(tuple(f"{at} " for at in range(20)))))

    def broken(watch: Watch) -> tuple[Scripted, ...]:
        return Cut(reply, watch.frames(reply) // 2), says("and the rest.")

    for turn in everybody.turns(broken):
        assert turn.reason == "end_turn"
        assert turn.said.startswith("0 1 ")
        assert "Trying again in" in turn.said
        assert turn.said.endswith("and the rest.")
        last = json.dumps(turn.watch.model.server.requests[-1].body)
        assert "Go on exactly where it stops" in last
        assert "0 1 " in last


def test_a_call_that_breaks_off_does_not_run(everybody: Everybody, tmp_path: Path) -> None:
    reply = Reply(
        (
            Think(("Hm.",)),
            Call("write_file", {"path": "x", "content": "y" * 90}, pieces=9),
        )
    )

    def broken(watch: Watch) -> tuple[Scripted, ...]:
        return Cut(reply, watch.frames(reply) - 2), says("Nothing written.")

    for turn in everybody.turns(broken):
        assert turn.reason == "end_turn"
        assert turn.said.endswith("Nothing written.")
    assert not (tmp_path / "x").exists()
    everybody.work()


def test_a_piece_that_cannot_be_read_is_a_failure_like_any_other(everybody: Everybody) -> None:
    broken = Inject(says("One", " two"), 1, MALFORMED)
    for turn in everybody.turns(lambda watch: (broken, says("Read."))):
        assert turn.reason == "end_turn"
        assert "cannot be read" in turn.said
        assert turn.said.endswith("Read.")


def test_a_slow_stream_is_cancelled_at_once(everybody: Everybody) -> None:
    everybody.cancelled(Slow(says(*(f"{at} " for at in range(200))), 0.05), "1 ")
    for watch in everybody.watches:
        server = watch.model.server
        server.wait(lambda server=server: server.hung_up >= 1)
    everybody.work()


def test_a_wait_for_the_next_try_is_cancelled_at_once(everybody: Everybody) -> None:
    everybody.cancelled(Status(429, {"retry-after": "0.9"}), "Trying again in 0.9 s")
    everybody.work()


def test_a_conversation_that_is_too_long_is_said_to_be(everybody: Everybody) -> None:
    words: dict[WireFormat, tuple[str, str | None]] = {
        CHAT: ("This model's maximum context length is 8 tokens", "context_length_exceeded"),
        RESPONSES: ("Your input exceeds the context window", "context_length_exceeded"),
        ANTHROPIC: ("prompt is too long: 9 tokens > 8 maximum", None),
        GEMINI: ("The input token count (9) exceeds the maximum number of tokens", None),
    }

    def too_long(watch: Watch) -> tuple[Scripted, ...]:
        message, code = words[watch.wire]
        return (Status(400, message=message, error_code=code),)

    for turn in everybody.turns(too_long):
        assert "the conversation is too long for the model" in turn.error["message"]
        assert turn.error["data"]["kind"] == "context"
        assert turn.watch.asked == 1
    everybody.work()


def test_a_refused_key_names_the_variable_and_not_the_key(tmp_path: Path) -> None:
    wrong = {wire.key_variable: f"sk-wrong-{wire.name}" for wire in FORMATS}
    # A provider that does not list its models offers the best known ones.
    chosen = ["openai/gpt-5", "work/gpt-5", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro"]
    with every_model(tmp_path, wrong) as (client, models):
        for model, name in zip(models, chosen, strict=True):
            session = client.open(tmp_path)
            choose_model(client, session, name)
            ending = client.prompt(session, "Hi")
            message = ending["error"]["message"]
            assert "did not accept the key" in message
            assert f"hint: set {model.wire.key_variable}" in message
            assert ending["error"]["data"]["kind"] == "auth"
            assert message in client.said(session)
            assert len(model.server.requests) == 1
        assert "sk-wrong" not in json.dumps(client.messages)


def test_a_server_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    env = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    with RawClient(home=tmp_path, env=env | {"PARLEY_RETRY_SECONDS": "1"}) as client:
        client.begin()
        session = client.open(tmp_path)
        error = client.prompt(session, "Hi")["error"]
        assert "http://127.0.0.1:9" in error["message"]
        assert "hint: check the base URL" in error["message"]
        assert error["data"]["kind"] == "network"
        assert "Trying again in" in client.said(session)


def test_version_2_is_told_in_notices_and_in_the_state(tmp_path: Path) -> None:
    with every_model(tmp_path, {}, version=2) as (client, models):
        for model in models:
            session = client.open(tmp_path)
            choose_model(client, session, model.wire.listed)
            model.plays(Status(429, {"retry-after": "0.01"}), Status(402, message="no money"))
            turn = client.start_prompt(session, "Hi")
            ending = client.ended(turn)
            assert ending["stopReason"] == "error"
            assert "the quota is used up: no money" in ending["error"]["message"]
            assert ending["error"]["data"]["kind"] == "limit"
            updates = client.updates(session, turn.since)
            (notice,) = [each for each in updates if each["sessionUpdate"] == "notice"]
            assert "Trying again in 0.01 s" in notice["title"]
            model.plays(says("Works."))
            assert client.prompt(session, "And now?")["stopReason"] == "end_turn"
