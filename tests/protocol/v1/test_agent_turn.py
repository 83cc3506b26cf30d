"""Prompts, cancelling and options, as a client that writes JSON by hand sees them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from msgspec.structs import replace

from parley.protocol.settings import Settings
from parley.session.content import Text
from parley.session.event import (
    ChunkAdded,
    Failure,
    OptionsChanged,
    ToolCallChanged,
    TurnUsage,
)
from parley.session.option import Choice, ChoiceGroup, Option, Select, Toggle
from parley.session.profile import (
    AgentProfile,
)
from parley.session.role import (
    ClientRole,
    Ending,
    Prompt,
    SessionSetup,
)
from tests.protocol.v1.roles import HELLO, NEW, Losses, TestAgent, kinds, run_agent
from tests.protocol.wire import RawPeer


def _ends(ending: Ending) -> Callable[[ClientRole, str, Prompt], Awaitable[Ending]]:
    async def prompt(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        return ending

    return prompt


async def _prompted(peer: RawPeer) -> dict[str, Any]:
    await peer.result("session/new", NEW)
    return await peer.call("session/prompt", HELLO)


@pytest.mark.parametrize(
    "reason", ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
)
def test_the_five_stop_reasons_are_answered_as_they_are_v1_prm_05(reason: str) -> None:
    async def scenario(peer: RawPeer) -> None:
        assert (await _prompted(peer))["result"] == {"stopReason": reason}

    run_agent(scenario, TestAgent(_ends(Ending(reason))))


def test_an_unknown_stop_reason_leaves_a_trace() -> None:
    losses = Losses()

    async def scenario(peer: RawPeer) -> None:
        assert (await _prompted(peer))["result"] == {
            "stopReason": "end_turn",
            "_meta": {"acpBridge": {"stopReason": "_tired"}},
        }

    run_agent(scenario, TestAgent(_ends(Ending("_tired"))), Settings(on_loss=losses.append))
    assert losses.names() == ["stop_reason"]


def test_a_turn_that_failed_is_answered_with_its_error() -> None:
    async def scenario(peer: RawPeer) -> None:
        error = (await _prompted(peer))["error"]
        assert error == {"code": -32000, "message": "log in", "data": {"a": 1}}

    failure = Failure(-32000, "log in", {"a": 1})
    run_agent(scenario, TestAgent(_ends(Ending("error", failure=failure))))

    async def without(peer: RawPeer) -> None:
        assert (await _prompted(peer))["error"]["code"] == -32603

    run_agent(without, TestAgent(_ends(Ending("error"))))


def test_usage_has_its_place_with_the_switch_and_another_without_v1_u_17() -> None:
    usage = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}
    agent = TestAgent(_ends(Ending(usage=TurnUsage(3, 1, 2))))

    async def unstable(peer: RawPeer) -> None:
        assert (await _prompted(peer))["result"] == {"stopReason": "end_turn", "usage": usage}

    run_agent(unstable, agent, Settings(unstable=True))

    async def stable(peer: RawPeer) -> None:
        answer = {"stopReason": "end_turn", "_meta": {"usage": usage}}
        assert (await _prompted(peer))["result"] == answer

    run_agent(stable, agent)


# The order of turns.


def test_every_update_of_a_turn_precedes_its_answer_v1_prm_04() -> None:
    async def stream(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        for index in range(1000):
            client.emit(session_id, ChunkAdded("agent", Text(str(index)), "m1"))
            await client.drain()
        return Ending()

    async def scenario(peer: RawPeer) -> None:
        assert (await _prompted(peer))["result"]
        texts = [update["content"]["text"] for update in peer.updates()]
        assert texts == [str(index) for index in range(1000)]

    run_agent(scenario, TestAgent(stream))


class Waiting:
    """A turn that runs until it is cancelled or let go."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.go_on = asyncio.Event()
        self.turns = 0

    async def __call__(self, client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        self.turns += 1
        self.started.set()
        await self.go_on.wait()
        return Ending()


def test_a_second_prompt_waits_for_the_first_v1_prm_14() -> None:
    turn = Waiting()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        first, second = peer.ask("session/prompt", HELLO), peer.ask("session/prompt", HELLO)
        await turn.started.wait()
        await peer.error("_alive")
        assert turn.turns == 1
        turn.go_on.set()
        await peer.answer(first)
        await peer.answer(second)
        assert turn.turns == 2

    run_agent(scenario, TestAgent(turn))


def test_cancelling_ends_the_turn_and_withdraws_what_waits_v1_cnc_05() -> None:
    turn = Waiting()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        ids = [peer.ask("session/prompt", HELLO) for _ in range(3)]
        await turn.started.wait()
        peer.note("session/cancel", {"sessionId": "s1"})
        answers = [(await peer.answer(id_))["result"] for id_ in ids]
        assert answers == [{"stopReason": "cancelled"}] * 3
        assert turn.turns == 1
        turn.go_on.set()
        assert await peer.result("session/prompt", HELLO) == {"stopReason": "end_turn"}

    run_agent(scenario, TestAgent(turn))


def test_a_turn_whose_abort_fails_still_ends_as_cancelled_v1_cnc_05() -> None:
    started = asyncio.Event()

    async def fail(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise ValueError("the abort failed")

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        id_ = peer.ask("session/prompt", HELLO)
        await started.wait()
        peer.note("session/cancel", {"sessionId": "s1"})
        assert (await peer.answer(id_))["result"] == {"stopReason": "cancelled"}

    run_agent(scenario, TestAgent(fail))


def test_updates_may_follow_a_cancel_but_precede_the_answer_v1_cnc_06() -> None:
    started = asyncio.Event()

    async def tidy(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        client.emit(session_id, ToolCallChanged("t1", title="Run", status="in_progress"))
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            client.emit(session_id, ChunkAdded("agent", Text("stopped")))
        return Ending()

    losses = Losses()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        id_ = peer.ask("session/prompt", HELLO)
        await started.wait()
        peer.note("session/cancel", {"sessionId": "s1"})
        await peer.answer(id_)
        assert kinds(peer) == ["tool_call", "agent_message_chunk", "tool_call_update"]
        assert peer.updates()[-1] == {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "t1",
            "status": "failed",
            "_meta": {"acpBridge": {"status": "cancelled"}},
        }

    run_agent(scenario, TestAgent(tidy), Settings(on_loss=losses.append))
    assert losses.names() == ["tool_call.status"]


def test_a_cancel_of_nothing_changes_nothing_v1_cnc_08() -> None:
    async def scenario(peer: RawPeer) -> None:
        peer.note("session/cancel", {"sessionId": "nope"})
        peer.note("session/cancel", {"sessionId": 5})
        await peer.result("session/new", NEW)
        peer.note("session/cancel", {"sessionId": "s1"})
        assert await peer.result("session/prompt", HELLO) == {"stopReason": "end_turn"}

    run_agent(scenario, TestAgent())


def test_a_prompt_given_up_by_its_request_is_answered_once_can_03() -> None:
    turn = Waiting()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        id_ = peer.ask("session/prompt", HELLO)
        await turn.started.wait()
        peer.note("$/cancel_request", {"requestId": id_})
        assert (await peer.answer(id_))["error"]["code"] == -32800
        turn.go_on.set()
        assert await peer.result("session/prompt", HELLO) == {"stopReason": "end_turn"}

    run_agent(scenario, TestAgent(turn))


def test_an_exception_is_an_error_without_details_rpc_10() -> None:
    async def fail(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        raise ValueError("secret")

    async def scenario(peer: RawPeer) -> None:
        answer = await _prompted(peer)
        assert answer["error"] == {"code": -32603, "message": "Internal error"}

    run_agent(scenario, TestAgent(fail))


def test_two_sessions_do_not_mix_v1_ses_07() -> None:
    async def echo(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        client.emit(session_id, ChunkAdded("agent", Text(session_id)))
        return Ending()

    agent = TestAgent(echo)

    async def scenario(peer: RawPeer) -> None:
        for id_ in ("s1", "s2"):
            agent.setup = SessionSetup(id_)
            await peer.result("session/new", NEW)
        ids = [peer.ask("session/prompt", {**HELLO, "sessionId": id_}) for id_ in ("s1", "s2")]
        for id_ in ids:
            await peer.answer(id_)
        told = [m["params"] for m in peer.seen if m.get("method") == "session/update"]
        assert [(p["sessionId"], p["update"]["content"]["text"]) for p in told] == [
            ("s1", "s1"),
            ("s2", "s2"),
        ]

    run_agent(scenario, agent)


# What a prompt may hold.

BLOCKS = [
    {"type": "image", "data": "AA==", "mimeType": "image/png"},
    {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "file:///a", "text": "x"}},
]


@pytest.mark.parametrize("block", [*BLOCKS, {"type": "hologram"}, {"type": "text"}, "x"])
def test_a_block_that_the_agent_does_not_take_is_invalid_v1_prm_02(block: Any) -> None:
    agent = TestAgent(profile=AgentProfile())

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        prompt = {"sessionId": "s1", "prompt": [block]}
        assert (await peer.error("session/prompt", prompt))["code"] == -32602
        assert [call for call in agent.calls if call[0] == "prompt"] == []

    run_agent(scenario, agent)


def test_text_and_links_are_always_taken_and_others_when_advertised_v1_init_08() -> None:
    agent = TestAgent()
    link = {"type": "resource_link", "uri": "file:///a", "name": "a"}

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        await peer.result("session/prompt", {"sessionId": "s1", "prompt": [link, *BLOCKS]})
        assert len(agent.calls[-1][1]) == 4

    run_agent(scenario, agent)


# Options.

MODE = Select(
    "mode",
    "Mode",
    "ask",
    (Choice("ask", "Ask"), Choice("code", "Code", "Writes code")),
    category="mode",
)
MODEL = Select(
    "model",
    "Model",
    "small",
    (ChoiceGroup("g", "Group", (Choice("small", "Small"), Choice("big", "Big", "Slow"))),),
    category="model",
)
WEB = Toggle("web", "Web", current=False)
OPTIONS = (MODE, MODEL, WEB)


def _choosing(agent: TestAgent) -> TestAgent:
    """An agent that keeps the values it is given."""

    def set_(option_id: str, value: Any) -> tuple[Option, ...]:
        agent.options = tuple(
            replace(option, current=value) if option.id == option_id else option
            for option in agent.options
        )
        return agent.options

    agent.on_set = set_
    return agent


def _with_options() -> TestAgent:
    return _choosing(TestAgent(setup=SessionSetup("s1", OPTIONS)))


def test_a_session_lists_its_options_in_all_three_forms_v1_mod_05_see_02() -> None:
    async def scenario(peer: RawPeer) -> None:
        answer = await peer.result("session/new", NEW)
        assert answer["modes"] == {
            "currentModeId": "ask",
            "availableModes": [
                {"id": "ask", "name": "Ask"},
                {"id": "code", "name": "Code", "description": "Writes code"},
            ],
        }
        assert answer["models"] == {
            "currentModelId": "small",
            "availableModels": [
                {"modelId": "small", "name": "Small"},
                {"modelId": "big", "name": "Big", "description": "Slow"},
            ],
        }
        assert [option["id"] for option in answer["configOptions"]] == ["mode", "model", "web"]
        assert answer["configOptions"][2]["type"] == "boolean"

    run_agent(scenario, _with_options())


def test_the_older_list_of_models_can_be_left_out() -> None:
    async def scenario(peer: RawPeer) -> None:
        assert "models" not in await peer.result("session/new", NEW)

    run_agent(scenario, _with_options(), Settings(legacy_models=False))


def test_a_toggle_is_a_selection_for_clients_that_know_no_booleans_v1_cfg_03() -> None:
    agent = _with_options()

    async def scenario(peer: RawPeer) -> None:
        web = (await peer.result("session/new", NEW))["configOptions"][2]
        assert (web["type"], web["currentValue"]) == ("select", "false")
        assert [choice["value"] for choice in web["options"]] == ["true", "false"]
        setting = {"sessionId": "s1", "configId": "web", "value": "true"}
        answer = await peer.result("session/set_config_option", setting)
        assert answer["configOptions"][2]["currentValue"] == "true"
        assert agent.calls[-1] == ("set", "web", True)

    run_agent(scenario, agent, initialize={"protocolVersion": 1})


def test_setting_the_mode_tells_both_forms_before_the_answer_v1_mod_04() -> None:
    agent = _with_options()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        assert await peer.result("session/set_mode", {"sessionId": "s1", "modeId": "code"}) == {}
        assert kinds(peer) == ["config_option_update", "current_mode_update"]
        assert peer.updates()[1]["currentModeId"] == "code"
        assert agent.calls[-1] == ("set", "mode", "code")

    run_agent(scenario, agent)


def test_setting_a_config_option_answers_with_the_complete_list_v1_cfg_08() -> None:
    agent = _with_options()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        setting = {"sessionId": "s1", "configId": "mode", "value": "code"}
        answer = await peer.result("session/set_config_option", setting)
        assert [o["currentValue"] for o in answer["configOptions"]] == ["code", "small", False]
        assert kinds(peer) == ["current_mode_update"]
        toggle = {"sessionId": "s1", "configId": "web", "type": "boolean", "value": True}
        answer = await peer.result("session/set_config_option", toggle)
        assert answer["configOptions"][2]["currentValue"] is True
        odd = {"sessionId": "s1", "configId": "mode", "type": "x", "value": "ask"}
        await peer.result("session/set_config_option", odd)  # V1-CFG-11
        assert agent.calls[-1] == ("set", "mode", "ask")

    run_agent(scenario, agent)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/set_mode", {"modeId": "nope"}),  # V1-MOD-02
        ("session/set_model", {"modelId": "nope"}),
        ("session/set_config_option", {"configId": "mode", "value": "nope"}),  # V1-CFG-10
        ("session/set_config_option", {"configId": "nope", "value": "code"}),
        ("session/set_config_option", {"configId": "mode", "type": "boolean", "value": True}),
        ("session/set_config_option", {"configId": "web", "value": "maybe"}),
        ("session/set_config_option", {"configId": "mode", "type": "x", "value": 5}),
        ("config/set", {"configId": "mode", "value": 5}),
    ],
)
def test_what_is_not_offered_cannot_be_set(method: str, params: dict[str, Any]) -> None:
    agent = _with_options()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        assert (await peer.error(method, {"sessionId": "s1", **params}))["code"] == -32602
        assert agent.calls[1:] == []

    run_agent(scenario, agent)


def test_a_session_without_modes_cannot_set_one() -> None:
    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        setting = {"sessionId": "s1", "modeId": "code"}
        assert (await peer.error("session/set_mode", setting))["code"] == -32602
        assert (await peer.error("session/set_mode", {**setting, "sessionId": "x"}))[
            "code"
        ] == -32002

    run_agent(scenario, TestAgent())


def test_the_mode_can_be_set_while_a_turn_runs_v1_mod_03() -> None:
    turn = Waiting()
    agent = _with_options()
    agent.on_prompt = turn

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        id_ = peer.ask("session/prompt", HELLO)
        await turn.started.wait()
        await peer.result("session/set_mode", {"sessionId": "s1", "modeId": "code"})
        turn.go_on.set()
        await peer.answer(id_)

    run_agent(scenario, agent)


def test_a_change_that_the_agent_told_itself_is_not_told_twice() -> None:
    agent = _with_options()
    plain = agent.on_set
    assert plain is not None

    def telling(option_id: str, value: Any) -> tuple[Option, ...]:
        options = plain(option_id, value)
        agent.client.emit("s1", OptionsChanged(options))
        return options

    agent.on_set = telling

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        await peer.result("session/set_mode", {"sessionId": "s1", "modeId": "code"})
        assert kinds(peer) == ["config_option_update", "current_mode_update"]

    run_agent(scenario, agent)
