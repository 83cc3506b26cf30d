"""The dialect `iac-code`: off unless it is asked for, and for version 1 only."""

from typing import Any

import pytest
from msgspec.structs import replace

from parley.errors import ResourceNotFound
from parley.protocol.settings import Settings
from parley.sdk.agent import Agent
from parley.sdk.turn import Turn
from parley.session.content import Audio, Image, Text
from parley.session.event import TurnUsage
from parley.session.profile import AgentProfile, Implementation
from parley.session.role import ClientRole, Ending, Prompt
from tests.protocol.v1.roles import ABLE, NEW, TestAgent, agent_on_wire, run_agent
from tests.protocol.wire import RawPeer
from tests.sdk.stage import new_session, run, served

DIALECT = Settings(dialects=frozenset({"iac-code"}))
NOT_FOUND = {
    "code": -32602,
    "message": "Invalid params",
    "data": {"session_id": "Session not found"},
}
GONE: dict[str, Any] = {"sessionId": "gone"}
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("session/prompt", {**GONE, "prompt": []}),
    ("session/set_mode", {**GONE, "modeId": "m"}),
    ("session/set_model", {**GONE, "modelId": "m"}),
    ("session/set_config_option", {**GONE, "configId": "c", "value": "v"}),
    ("config/set", {**GONE, "configId": "c", "value": "v"}),
    ("session/load", {**GONE, **NEW}),
    ("session/resume", {**GONE, **NEW}),
]
MEDIA = [
    {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    {"type": "text", "text": "and"},
    {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
]


def _lacking() -> TestAgent:
    agent = TestAgent()
    agent.failure = ResourceNotFound()
    return agent


def _taking(*, image: bool, audio: bool = False) -> TestAgent:
    can = replace(ABLE, image=image, audio=audio)
    return TestAgent(profile=AgentProfile(Implementation("tested", "1"), can))


@pytest.mark.parametrize(("method", "params"), REQUESTS)
def test_an_unknown_session_is_an_invalid_parameter_iac_24(
    method: str, params: dict[str, Any]
) -> None:
    async def with_dialect(peer: RawPeer) -> None:
        assert await peer.error(method, params) == NOT_FOUND

    async def without(peer: RawPeer) -> None:
        assert (await peer.error(method, params))["code"] == -32002

    run_agent(with_dialect, _lacking(), DIALECT)
    run_agent(without, _lacking())


def test_an_unknown_session_of_a_fork_is_an_invalid_parameter_as_well() -> None:
    async def scenario(peer: RawPeer) -> None:
        assert await peer.error("session/fork", {**GONE, "cwd": "/work"}) == NOT_FOUND

    run_agent(scenario, _lacking(), replace(DIALECT, unstable=True))


def test_another_thing_that_is_missing_is_not_taken_for_the_session() -> None:
    async def missing(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        raise ResourceNotFound(data={"uri": "file:///a"})

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        error = await peer.error("session/prompt", {"sessionId": "s1", "prompt": []})
        assert (error["code"], error["data"]) == (-32002, {"uri": "file:///a"})

    run_agent(scenario, TestAgent(missing), DIALECT)


def test_what_is_not_about_a_session_is_answered_as_before() -> None:
    agent = TestAgent()

    def fail(method: str, params: Any) -> Any:
        raise ResourceNotFound

    agent.on_call = fail

    async def scenario(peer: RawPeer) -> None:
        assert (await peer.error("providers/list", {}))["code"] == -32002
        assert (await peer.error("session/list", {"cwd": "not absolute"}))["code"] == -32602
        assert await peer.result("session/list", {}) == {"sessions": []}

    run_agent(scenario, agent, replace(DIALECT, unstable=True))


def test_media_that_the_agent_does_not_take_become_markers_iac_10() -> None:
    agent = _taking(image=False)

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        await peer.result("session/prompt", {"sessionId": "s1", "prompt": MEDIA})
        markers = (Text("[image: image/png]"), Text("and"), Text("[audio: audio/wav]"))
        assert agent.calls[-1] == ("prompt", markers)

    run_agent(scenario, agent, DIALECT)


def test_media_that_the_agent_takes_stay_what_they_are() -> None:
    agent = _taking(image=True, audio=True)

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        await peer.result("session/prompt", {"sessionId": "s1", "prompt": MEDIA})
        whole = (Image("AAAA", "image/png"), Text("and"), Audio("AAAA", "audio/wav"))
        assert agent.calls[-1] == ("prompt", whole)

    run_agent(scenario, agent, DIALECT)


def test_media_are_refused_without_the_dialect() -> None:
    agent = _taking(image=False)

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        error = await peer.error("session/prompt", {"sessionId": "s1", "prompt": MEDIA})
        assert error["code"] == -32602
        assert agent.calls[-1][0] == "new"

    run_agent(scenario, agent)


def test_the_tokens_of_a_turn_are_a_member_of_the_answer_iac_11() -> None:
    usage = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}

    async def count(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        return Ending(usage=TurnUsage(3, 1, 2))

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        answer = await peer.result("session/prompt", {"sessionId": "s1", "prompt": []})
        both = {"stopReason": "end_turn", "usage": usage, "_meta": {"usage": usage}}
        assert answer == both

    run_agent(scenario, TestAgent(count), DIALECT)


@pytest.mark.parametrize("settings", [Settings(), DIALECT])
@pytest.mark.parametrize("can", [False, True])
def test_an_agent_that_can_forks_in_the_dialect_and_says_so_iac_08(
    settings: Settings, can: bool
) -> None:
    agent = TestAgent(profile=AgentProfile(Implementation("tested", "1"), replace(ABLE, fork=can)))
    forks = can and settings is DIALECT

    async def scenario() -> None:
        async with agent_on_wire(agent, settings, initialize=None) as peer:
            offered = await peer.result("initialize", {"protocolVersion": 1})
            assert ("fork" in offered["agentCapabilities"]["sessionCapabilities"]) is forks
            answer = await peer.call("session/fork", {**GONE, "cwd": "/work"})
            assert answer.get("error", {}).get("code") == (None if forks else -32601)

    run(scenario())


def test_version_2_does_not_speak_the_dialect() -> None:
    agent = Agent("test")

    @agent.prompt
    async def answer(turn: Turn) -> None: ...

    async def scenario() -> None:
        async with served(agent, 2, dialects=DIALECT.dialects) as peer:
            error = await peer.error("session/prompt", {**GONE, "prompt": MEDIA[1:2]})
            assert (error["code"], error["data"]) == (-32002, {"sessionId": "gone"})
            params = {"sessionId": await new_session(peer), "prompt": MEDIA}
            assert (await peer.error("session/prompt", params))["code"] == -32602

    run(scenario())


def test_a_dialect_that_nobody_knows_is_refused() -> None:
    assert Settings().dialects == frozenset()
    with pytest.raises(ValueError, match="no dialect 'iac_code'; the dialects are: iac-code"):
        Settings(dialects=frozenset({"iac_code"}))
