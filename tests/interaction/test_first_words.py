"""How a conversation begins: `initialize` first, messages alone, and all that is owed."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from parley.sdk.agent import Agent
from parley.sdk.client import Client, connect
from parley.sdk.tasks import Tasks
from parley.sdk.turn import Turn
from parley.transport.memory import memory_pair
from tests.protocol.wire import RawPeer
from tests.sdk.stage import (
    INITIALIZE,
    INITIALIZED,
    VERSIONS,
    end_of_turn,
    new_session,
    prompt_params,
    run,
    served,
    settings_for,
)

both = pytest.mark.parametrize("version", VERSIONS)


@both
def test_nothing_leaves_a_client_before_the_answer_to_initialize(version: int) -> None:
    async def scenario() -> None:
        near, far = memory_pair()
        peer = RawPeer(far)

        async def use() -> None:
            async with Client("test").connect(near, settings=settings_for(version)) as agent:
                await agent.new_session("/")

        async with Tasks() as tasks:
            using = tasks.start(use())
            first = await peer.request("initialize")
            await peer.error("_alive")
            # NEG-02: the session is not asked for while the version is open.
            assert [each["method"] for each in peer.seen if "method" in each] == ["initialize"]
            peer.reply(first, INITIALIZED[version])
            peer.reply(await peer.request("session/new"), {"sessionId": "s"})
            await using

    run(scenario())


@both
def test_a_late_initialize_is_refused_and_the_running_turn_goes_on(version: int) -> None:
    agent = Agent("test")
    go_on = asyncio.Event()

    @agent.prompt
    async def answer(turn: Turn) -> None:
        await turn.say("begun")
        await go_on.wait()

    async def scenario() -> None:
        async with served(agent, version) as peer:
            session_id = await new_session(peer)
            asked = peer.ask("session/prompt", prompt_params(session_id))
            await peer.until(lambda m: "agent_message_chunk" in str(m))
            # NEG-14, NEG-15: refused while another request runs, and the connection is as it was.
            assert (await peer.error("initialize", INITIALIZE[version]))["code"] == -32600
            go_on.set()
            assert await end_of_turn(peer, version, asked) == "end_turn"
            again = peer.ask("session/prompt", prompt_params(session_id))
            assert await end_of_turn(peer, version, again) == "end_turn"

    run(scenario())


def test_an_agent_that_only_answers_prompts_has_the_whole_surface_of_version_2() -> None:
    agent = Agent("test")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        await turn.say(turn.text)
        if turn.text == "wait":
            await asyncio.Event().wait()

    async def scenario() -> None:
        async with served(agent, 2) as peer:  # V2-INIT-04
            session_id = await new_session(peer)
            listed = await peer.result("session/list", {})
            assert [info["sessionId"] for info in listed["sessions"]] == [session_id]
            await peer.result("session/resume", {"sessionId": session_id, "cwd": "/"})
            asked = peer.ask("session/prompt", prompt_params(session_id))
            assert await end_of_turn(peer, 2, asked) == "end_turn"
            assert "agent_message_chunk" in [each["sessionUpdate"] for each in peer.updates()]
            asked = peer.ask("session/prompt", prompt_params(session_id, "wait"))
            await peer.until(lambda m: '"wait"' in json.dumps(m) and "chunk" in json.dumps(m))
            peer.note("session/cancel", {"sessionId": session_id})
            assert await end_of_turn(peer, 2, asked) == "cancelled"
            assert await peer.result("session/close", {"sessionId": session_id}) == {}

    run(scenario())


RECORDER = """
import json, sys
results = {
    "initialize": {"protocolVersion": 1},
    "session/new": {"sessionId": "s"},
    "session/prompt": {"stopReason": "end_turn"},
}
with open(sys.argv[1], "wb", buffering=0) as log:
    for line in sys.stdin.buffer:
        log.write(line)
        message = json.loads(line)
        if "id" in message:
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}
            print(json.dumps(answer), flush=True)
"""


def test_a_client_writes_one_message_on_each_line_and_nothing_else(tmp_path: Path) -> None:
    log = tmp_path / "stdin"
    text = "a\nb\r\nc\u2028d\u0085e"

    async def scenario() -> None:
        command = [sys.executable, "-c", RECORDER, str(log)]
        async with connect(command, settings=settings_for(1)) as agent:
            session = await agent.new_session("/")
            await session.prompt(text)

    run(scenario())
    # STD-03, STD-04, STD-06: as many raw newlines as messages.
    *lines, rest = log.read_bytes().split(b"\n")
    assert rest == b""
    messages = [json.loads(line) for line in lines]
    methods = [message["method"] for message in messages]
    assert methods == ["initialize", "session/new", "session/prompt"]
    assert {message["jsonrpc"] for message in messages} == {"2.0"}
    assert messages[2]["params"]["prompt"] == [{"type": "text", "text": text}]
