"""Eight sessions prompt at once in one process, and none waits for what another waits for."""

import json
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.raw_client import Json, RawClient, Turn, allow
from tests.agent.wire_formats import CHAT, KEY
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.reply import (
    Call,
    Received,
    Reply,
    Say,
    Scripted,
    Slow,
    calls,
    says,
)
from tests.coder.providers.fakes.server import FakeServer

BUSY = ("tool", "model", "question", "flood")
QUICK = ("one", "two", "three", "four")
BOUND = 2.0
"""Seconds that a quick turn of three requests may take on a busy machine; alone it takes 0.03."""
FLOOD = "yes 'flood of words' | head -c 30000000"


def script(request: Received) -> Scripted:
    """What a model says is decided by the conversation alone: its session and how far it is."""
    messages = request.body["messages"]
    asked = [each for each in messages if each["role"] == "user"]
    name = asked[-1]["content"].split()[0]
    done = len(messages) - 1 - messages.index(asked[-1])
    match name:
        case "tool" if done == 0:
            return calls(Call("bash", {"command": "echo tool; sleep 60"}))
        case "question" if done == 0:
            return calls(Call("write_file", {"path": "question", "content": "question"}))
        case "flood" if done == 0:
            return calls(Call("bash", {"command": FLOOD}))
        case "model":
            return Slow(says(*["model "] * 500), 0.1)
        case _ if done == 0:
            look = Call("read_file", {"path": f"{name}.txt"})
            return Reply((Say((f"{name} looks. ",)), look, Call("grep", {"pattern": name})))
        case _ if done == 3:
            edit = {"old_text": name, "new_text": f"{name} {name}", "replace_all": True}
            return calls(Call("edit_file", {"path": f"{name}.txt", "edits": [edit]}))
        case _:
            return says(f"{name} is ", "done.")


def answers(request: Json) -> Json | None:
    return None if "question" in json.dumps(request["params"]) else allow(request)


@pytest.fixture
def client(tmp_path: Path) -> Generator[RawClient]:
    with FakeServer(OpenAIChatFake(KEY), script) as server:
        env = CHAT.configured(server.url, tmp_path)
        with RawClient(home=tmp_path, env=env, answers=answers) as client:
            client.begin()
            yield client
            assert client.end() == 0
        assert server.violations == []


def timed(client: RawClient, turns: dict[str, tuple[float, Turn]]) -> dict[str, float]:
    """How long each turn took, in milliseconds; they ended well."""
    found: dict[str, float] = {}
    for name, (began, turn) in turns.items():
        assert client.ended(turn)["stopReason"] == "end_turn"
        found[name] = (client.answered_at(turn.request) - began) * 1000
    return found


def begin(client: RawClient, sessions: dict[str, str]) -> dict[str, tuple[float, Turn]]:
    return {
        name: (time.monotonic(), client.start_prompt(session, f"{name} please"))
        for name, session in sessions.items()
    }


def folder(home: Path, name: str) -> Path:
    place = home / f"folder-{name}"
    place.mkdir()
    (place / f"{name}.txt").write_text(f"{name}\n")
    return place


def test_no_session_waits_for_the_tool_model_question_or_output_of_another(
    client: RawClient, tmp_path: Path
) -> None:
    sessions = {name: client.open(folder(tmp_path, name)) for name in (*BUSY, *QUICK)}
    quick = {name: sessions[name] for name in QUICK}
    # The first request loads what all others need.
    timed(client, begin(client, {"one": sessions["one"]}))
    alone = timed(client, begin(client, {"two": sessions["two"]}))
    busy = begin(client, {name: sessions[name] for name in BUSY})
    for name, sign in (("tool", '"in_progress"'), ("model", "model "), ("flood", "flood of words")):
        client.wait(lambda n=name, s=sign: s in json.dumps(client.updates(sessions[n])))
    client.wait_for_request("session/request_permission")
    meanwhile = [timed(client, begin(client, quick)) for _ in range(3)]
    slowest = max(took for each in meanwhile for took in each.values())
    sys.stdout.write(f"alone {alone}\nmeanwhile {meanwhile}\n")
    assert slowest < BOUND * 1000
    ended = timed(client, {"flood": busy.pop("flood")})
    sys.stdout.write(f"flood {ended}\n")
    for name, (_, turn) in busy.items():
        assert turn.request not in client.answered()
        asked = time.monotonic()
        client.cancel(sessions[name])
        assert client.ended(turn)["stopReason"] == "cancelled"
        assert time.monotonic() - asked < BOUND
    check_apart(client, sessions)


def check_apart(client: RawClient, sessions: dict[str, str]) -> None:
    """Nothing that was told of a session speaks of another one."""
    for name, session in sessions.items():
        told: Any = [
            message
            for message in client.messages
            if message.get("params", {}).get("sessionId") == session
        ]
        text = json.dumps(told)
        assert f"{name} please" in text
        others = [other for other in sessions if f"folder-{other}" in text and other != name]
        assert others == []
        assert not [other for other in sessions.values() if other in text and other != session]
