"""Options of an agent that writes JSON by hand, in each of the three forms."""

from typing import Any

import pytest

from parley.errors import LocalProtocolError
from parley.protocol.v1.client_side import ClientSide
from parley.session.event import OptionsChanged
from parley.session.option import Choice, OtherOption, Select, Toggle
from tests.protocol.v1.roles import TestClient, answering, both, opened, run_client
from tests.protocol.wire import RawPeer

CHOICES = [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]
CONFIG = [
    {
        "type": "select",
        "id": "m",
        "name": "Mode",
        "category": "mode",
        "currentValue": "ask",
        "options": CHOICES,
    },
    {"type": "boolean", "id": "w", "name": "Web", "currentValue": False},
    {"type": "slider", "id": "x", "name": "Odd", "at": 5},
]
MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
MODELS = {
    "currentModelId": "small",
    "availableModels": [
        {"modelId": "small", "name": "Small"},
        {"modelId": "big", "name": "Big", "description": "Slow"},
        {"bad": 1},
    ],
}
MODE = Select("m", "Mode", "ask", (Choice("ask", "Ask"), Choice("code", "Code")), category="mode")


def test_config_options_come_first_v1_mod_06_cfg_04_05() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        setup = await opened(side, agent, modes=MODES, configOptions=CONFIG)
        assert setup.options == (
            MODE,
            Toggle("w", "Web", current=False),
            OtherOption(
                "x", "Odd", "slider", {"type": "slider", "id": "x", "name": "Odd", "at": 5}
            ),
        )
        changed = [{**CONFIG[0], "currentValue": "code"}, *CONFIG[1:]]
        answer = answering(agent, "session/set_config_option", {"configOptions": changed})
        options = await both(side.set_option("s1", "m", "code"), answer)
        assert options[0].current == "code"
        # V1-CFG-07: an id has no type, a boolean has one.
        assert agent.seen[-1]["params"] == {"sessionId": "s1", "configId": "m", "value": "code"}
        answer = answering(agent, "session/set_config_option", {"configOptions": CONFIG})
        await both(side.set_option("s1", "w", value=True), answer)
        assert agent.seen[-1]["params"] == {
            "sessionId": "s1",
            "configId": "w",
            "type": "boolean",
            "value": True,
        }

    run_client(scenario)


def test_modes_and_models_are_options_where_there_is_nothing_else_see_03() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        setup = await opened(side, agent, modes=MODES, models=MODELS)
        mode, model = setup.options
        assert (mode.id, mode.category, model.id, model.category) == (
            "mode",
            "mode",
            "model",
            "model",
        )
        assert isinstance(model, Select)
        assert model.flat() == (Choice("small", "Small"), Choice("big", "Big", "Slow"))
        options = await both(
            side.set_option("s1", "mode", "code"), answering(agent, "session/set_mode", None)
        )
        assert agent.seen[-1]["params"] == {"sessionId": "s1", "modeId": "code"}
        assert options[0].current == "code"
        options = await both(
            side.set_option("s1", "model", "big"), answering(agent, "session/set_model", {})
        )
        assert agent.seen[-1]["params"] == {"sessionId": "s1", "modelId": "big"}
        assert options[1].current == "big"
        update = {"sessionUpdate": "current_mode_update", "currentModeId": "ask"}
        agent.note("session/update", {"sessionId": "s1", "update": update})
        agent.note("session/update", {"sessionId": "s1", "update": update})
        await agent.error("no/such")
        assert len(client.events) == 1
        assert isinstance(client.events[0], OptionsChanged)
        assert [option.current for option in client.events[0].options] == ["ask", "big"]

    run_client(scenario, client)


@pytest.mark.parametrize(("option", "value"), [("m", "nope"), ("m", True), ("nope", "x")])
def test_what_is_not_offered_is_not_set_v1_mod_02(option: str, value: Any) -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent, configOptions=CONFIG)
        with pytest.raises(LocalProtocolError):
            await side.set_option("s1", option, value)
        assert len(agent.seen) == 2

    run_client(scenario)


@pytest.mark.parametrize("answer", [None, {}, {"ok": True}])
def test_an_answer_without_a_list_leaves_the_value_that_was_asked_for(answer: Any) -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent, configOptions=CONFIG)
        setting = answering(agent, "session/set_config_option", answer)
        options = await both(side.set_option("s1", "m", "code"), setting)
        assert options[0].current == "code"
        assert side.endpoint.dialects == {"option answer without a list": 1}

    run_client(scenario)
