"""Options, modes and models through a bridge: three forms of one thing, kept in step."""

from typing import Any

import pytest

from tests.protocol.bridging import DIRECTIONS, bridged, updates
from tests.sdk.stage import run

both = pytest.mark.parametrize(("client", "agent"), DIRECTIONS)
CHOICES = [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code", "description": "C"}]


def _mode(version: int, current: str = "ask", **more: Any) -> dict[str, Any]:
    key = "configId" if version == 2 else "id"
    return {
        "type": "select",
        key: "m",
        "name": "Mode",
        "category": "mode",
        "currentValue": current,
        "options": CHOICES,
        **more,
    }


def _toggle(version: int, current: bool) -> dict[str, Any]:
    key = "configId" if version == 2 else "id"
    return {"type": "boolean", key: "web", "name": "Web", "currentValue": current}


SET = {"sessionId": "s", "configId": "m"}


def test_an_option_for_the_mode_is_a_list_of_modes_in_version_1() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            answer = await stage.open("t", configOptions=[_mode(2)])
            assert answer["configOptions"] == [_mode(1)]
            assert answer["modes"] == {
                "currentModeId": "ask",
                "availableModes": [
                    {"id": "ask", "name": "Ask"},
                    {"id": "code", "name": "Code", "description": "C"},
                ],
            }
            assert stage.losses == []

    run(scenario())


def test_a_mode_set_in_version_1_is_an_option_set_in_version_2_and_both_forms_follow() -> None:
    async def scenario() -> None:
        async with bridged(1, 2, session={"configOptions": [_mode(2)]}) as stage:
            asked, answer = await stage.passed(
                "session/set_mode",
                {"sessionId": "s", "modeId": "code"},
                {"configOptions": [_mode(2, "code")]},
                "session/set_config_option",
            )
            assert asked == {**SET, "type": "id", "value": "code"}
            assert answer == {}
            kinds = [each["sessionUpdate"] for each in updates(stage)]
            assert kinds == ["config_option_update", "current_mode_update"]
            stage.update("config_option_update", configOptions=[_mode(2, "ask")])
            await stage.sync()
            last, mode = updates(stage)[-2:]
            assert last["configOptions"] == [_mode(1, "ask")]
            assert mode["currentModeId"] == "ask"

    run(scenario())


@both
def test_an_option_is_set_with_its_meta(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent, session={"configOptions": [_mode(agent)]}) as stage:
            value = {"type": "id", "value": "code"}
            params = {**SET, **(value if client == 2 else {"value": "code"}), "_meta": {"a": 1}}
            result = {"configOptions": [_mode(agent, "code")], "_meta": {"b": 2}}
            asked, answer = await stage.passed("session/set_config_option", params, result)
            value = value if agent == 2 else {"value": "code"}
            assert asked == {**SET, **value, "_meta": {"a": 1}}
            assert answer == {"configOptions": [_mode(client, "code")], "_meta": {"b": 2}}

    run(scenario())


@both
def test_a_value_that_is_not_offered_is_refused(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent, session={"configOptions": [_mode(agent)]}) as stage:
            kind = {"type": "id"} if client == 2 else {}
            for wrong in (
                {**SET, **kind, "value": "fly"},
                {**SET, **kind, "configId": "x", "value": "a"},
            ):
                error = await stage.client.error("session/set_config_option", wrong)
                assert error["code"] == -32602
            odd = {**SET, "type": "_odd", "value": 5}
            error = await stage.client.error("session/set_config_option", odd)
            assert error["code"] == -32602
            assert stage.agent.seen[-1]["method"] == "session/new"

    run(scenario())


@pytest.mark.parametrize("knows", [True, False])
def test_a_toggle_is_a_selection_for_clients_that_do_not_know_it(knows: bool) -> None:
    async def scenario() -> None:
        able = {"session": {"configOptions": {"boolean": {}}}} if knows else {}
        asks = {"clientCapabilities": able}
        setup = {"configOptions": [_toggle(2, False)]}
        async with bridged(1, 2, asks=asks) as stage:
            option = (await stage.open("t", **setup))["configOptions"][0]
            if knows:
                assert option == _toggle(1, False)
            else:
                assert (option["type"], option["currentValue"]) == ("select", "false")
            chosen = {"type": "boolean", "value": True} if knows else {"value": "true"}
            asked, _ = await stage.passed(
                "session/set_config_option",
                {"sessionId": "t", "configId": "web", **chosen},
                {"configOptions": [_toggle(2, True)]},
            )
            assert asked == {
                "sessionId": "t",
                "configId": "web",
                "type": "boolean",
                "value": True,
            }
            assert stage.losses == []

    run(scenario())


def test_a_toggle_goes_to_version_1_as_one() -> None:
    async def scenario() -> None:
        async with bridged(2, 1, session={"configOptions": [_toggle(1, False)]}) as stage:
            params = {"sessionId": "s", "configId": "web", "type": "boolean", "value": True}
            result = {"configOptions": [_toggle(1, True)]}
            asked, answer = await stage.passed("session/set_config_option", params, result)
            assert asked == params
            assert answer["configOptions"] == [_toggle(2, True)]

    run(scenario())


def test_groups_keep_their_names_under_another_key() -> None:
    async def scenario() -> None:
        for client, agent in DIRECTIONS:
            keys = {1: "group", 2: "groupId"}
            groups = [[{keys[v]: "g", "name": "G", "options": CHOICES}] for v in (1, 2)]
            option = _mode(agent, options=groups[agent - 1])
            async with bridged(client, agent) as stage:
                answer = await stage.open("t", configOptions=[option])
                assert answer["configOptions"] == [_mode(client, options=groups[client - 1])]

    run(scenario())


MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
MODELS = {
    "currentModelId": "big",
    "availableModels": [{"modelId": "big", "name": "Big"}, {"modelId": "small", "name": "Small"}],
}


@pytest.mark.parametrize(
    ("member", "category", "value", "method", "key"),
    [
        ({"modes": MODES}, "mode", "code", "session/set_mode", "modeId"),
        ({"models": MODELS}, "model", "small", "session/set_model", "modelId"),
    ],
)
def test_modes_and_models_of_version_1_are_options_in_version_2(
    member: Any, category: str, value: str, method: str, key: str
) -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            option = (await stage.open("t", **member))["configOptions"][0]
            assert (option["configId"], option["category"]) == (category, category)
            params = {"sessionId": "t", "configId": category, "type": "id", "value": value}
            asked, answer = await stage.passed("session/set_config_option", params, {}, method)
            assert asked == {"sessionId": "t", key: value}
            # The agent answers with nothing, so the whole list is put together here.
            assert [each["currentValue"] for each in answer["configOptions"]] == [value]
            assert stage.losses == []

    run(scenario())


def test_a_changed_mode_of_version_1_is_a_changed_option_in_version_2() -> None:
    async def scenario() -> None:
        async with bridged(2, 1, session={"modes": MODES}) as stage:
            stage.update("current_mode_update", currentModeId="code")
            await stage.sync()
            update = updates(stage)[-1]
            assert update["sessionUpdate"] == "config_option_update"
            assert [each["currentValue"] for each in update["configOptions"]] == ["code"]

    run(scenario())


def test_a_config_option_for_the_mode_comes_before_the_list_of_modes() -> None:
    async def scenario() -> None:
        setup = {"modes": MODES, "configOptions": [_mode(1)]}
        async with bridged(2, 1) as stage:
            answer = await stage.open("t", **setup)
            assert answer["configOptions"] == [_mode(2)]

    run(scenario())
