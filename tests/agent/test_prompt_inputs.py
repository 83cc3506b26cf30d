"""What a person sends beside text, as the model gets it; and a prompt that is very large."""

import json
import sys
import time
from base64 import b64decode
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agent.raw_client import Json, RawClient
from tests.agent.wire_formats import CHAT, KEY, Model, WireFormat, choose_model, every_model
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.reply import Call, calls, says

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5Er"
    "kJggg=="
)
IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "file:///notes.md", "name": "notes.md"}
NOTES = {"uri": "file:///embedded.md", "mimeType": "text/markdown", "text": "embedded words"}
PICTURE = {"uri": "file:///p.png", "mimeType": "image/png", "blob": PIXEL}
BINARY = {"uri": "file:///b.bin", "mimeType": "application/zip", "blob": "UEsDBA=="}
TWO = """\
[providers.mine]
type = "openai"
base_url = "{url}"
key_env = "MINE_KEY"
models = ["devstral-small", "gpt-4o"]
"""
SEES_AND_DOES_NOT = WireFormat(
    "two",
    lambda key: OpenAIChatFake(key, models=({"id": "devstral-small"}, {"id": "gpt-4o"})),
    "mine/devstral-small",
    lambda url: {"MINE_KEY": KEY},
    "MINE_KEY",
    "mine/gpt-4o",
    lambda url: TWO.format(url=url),
)


def embedded(resource: Json) -> Json:
    return {"type": "resource", "resource": resource}


@contextmanager
def talking(
    home: Path, wire: WireFormat, version: int = 1
) -> Generator[tuple[Model, RawClient, Json]]:
    with Model(wire) as model:
        env = wire.configured(model.server.url, home)
        with RawClient(home=home, env=env, version=version) as client:
            yield model, client, client.begin()
            assert client.end() == 0
        assert model.server.violations == []


def asked(model: Model) -> str:
    """The latest request to the model."""
    return json.dumps(model.server.requests[-1].body)


def test_everything_that_can_be_sent_reaches_a_model_that_sees(tmp_path: Path) -> None:
    with every_model(tmp_path, {}) as (client, models):
        (tmp_path / "p.png").write_bytes(b64decode(PIXEL))
        for model in models:
            session = client.open(tmp_path)
            choose_model(client, session, model.wire.listed)
            is_seen(model, client, session)
            is_seen_after_a_load(model, client, session, tmp_path)


def is_seen(model: Model, client: RawClient, session: str) -> None:
    model.plays(says("Seen."))
    content = [embedded(NOTES), embedded(PICTURE), embedded(BINARY), LINK, AUDIO, IMAGE]
    assert client.prompt(session, "Look", *content)["stopReason"] == "end_turn"
    said = asked(model)
    assert said.count(PIXEL) == 2
    for words in (
        "embedded words",
        "file:///embedded.md",
        "[notes.md](file:///notes.md)",
        "[audio: audio/wav]",
        "[resource: application/zip]",
    ):
        assert words in said
    # What a tool reads is seen as well.
    model.plays(calls(Call("read_file", {"path": "p.png"})), says("Read."))
    assert client.prompt(session, "Read p.png")["stopReason"] == "end_turn"
    assert asked(model).count(PIXEL) == 3


def is_seen_after_a_load(model: Model, client: RawClient, session: str, cwd: Path) -> None:
    client.call("session/close", sessionId=session)
    assert json.dumps(client.load(session, cwd)).count(PIXEL) == 3
    model.plays(says("Still seen."))
    client.prompt(session, "And now?")
    assert asked(model).count(PIXEL) == 3


@pytest.mark.parametrize("version", [1, 2])
def test_a_model_that_does_not_see_gets_a_marker_and_one_that_does_the_image(
    tmp_path: Path, version: int
) -> None:
    with talking(tmp_path, SEES_AND_DOES_NOT, version) as (model, client, answer):
        session = client.open(tmp_path)

        def prompted(*content: Any) -> str:
            model.plays(says("Well."))
            assert client.prompt(session, *content)["stopReason"] == "end_turn"
            return asked(model)

        if version == 1:
            can = answer["agentCapabilities"]["promptCapabilities"]
            assert can == {"image": False, "audio": False, "embeddedContext": True}
            said = prompted("Look", IMAGE)
            assert PIXEL not in said
            assert "[image: image/png]" in said
        choose_model(client, session, "mine/gpt-4o")
        said = prompted("Look again", embedded(PICTURE))
        assert said.count(PIXEL) == 1
        choose_model(client, session, "mine/devstral-small")
        said = prompted("And you?")
        assert PIXEL not in said
        assert said.count("[image: image/png]") == (2 if version == 1 else 1)
        choose_model(client, session, "mine/gpt-4o")
        assert prompted("Back").count(PIXEL) == 1


def test_a_prompt_of_a_megabyte_does_not_hold_up_another_session(tmp_path: Path) -> None:
    with talking(tmp_path, CHAT) as (model, client, _):
        large, small = client.open(tmp_path), client.open(tmp_path)
        model.plays(*[says("Fine.")] * 20)
        client.prompt(small, "Hi")
        took: list[float] = []
        for _ in range(5):
            first = client.start_prompt(large, "words " * 180_000)
            began = time.monotonic()
            second = client.start_prompt(small, "Hi")
            assert client.ended(second)["stopReason"] == "end_turn"
            took.append((client.answered_at(second.request) - began) * 1000)
            assert client.ended(first)["stopReason"] == "end_turn"
        sys.stdout.write(f"meanwhile {took}\n")
        # A stall would be there every time; what a busy machine adds is not.
        assert min(took) < 250
        assert len(model.server.requests[-2].body["messages"]) > 5
