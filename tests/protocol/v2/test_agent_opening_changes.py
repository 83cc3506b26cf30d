"""Changing options and cancelling parts of the work, as a client of version 2 sees it."""

import asyncio
from typing import Any

import pytest

from parley.protocol.settings import Loss, Settings
from parley.session.event import ExitStatus, TerminalChanged, ToolCallChanged
from parley.session.option import Choice, Select, Toggle
from parley.session.role import SessionSetup
from tests.protocol.v2.roles import ScriptedAgent
from tests.protocol.v2.wire import Json, served

MODEL = Select("model", "Model", "big", (Choice("big", "Big"), Choice("small", "Small")))
LOUD = Toggle("loud", "Loud", False)


@pytest.mark.parametrize(
    ("params", "value"),
    [
        ({"type": "id", "configId": "model", "value": "small"}, "small"),
        ({"type": "boolean", "configId": "loud", "value": True}, True),
    ],
)
def test_an_option_is_set_and_the_whole_list_comes_back(params: Json, value: Any) -> None:
    """V2-CFG-01, V2-CFG-04, V2-CFG-06"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        agent.setup = SessionSetup("s1", (MODEL, LOUD))
        async with served(agent) as peer:
            await peer.open()
            answer = await peer.call("session/set_config_option", {"sessionId": "s1", **params})
            assert [option["configId"] for option in answer["configOptions"]] == ["model", "loud"]
            assert agent.asked[-1] == ("set_option", "s1", params["configId"], value)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "params",
    [
        {"type": "id", "configId": "model", "value": "huge"},
        {"type": "id", "configId": "nope", "value": "big"},
        {"type": "id", "configId": "loud", "value": "true"},
        {"type": "boolean", "configId": "model", "value": True},
        {"type": "_slider", "configId": "model", "value": 3},
        {"type": "id", "configId": "model", "value": True},
        {"type": "id", "configId": "model"},
    ],
)
def test_a_value_that_is_not_offered_changes_nothing(params: Json) -> None:
    """V2-CFG-02"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        agent.setup = SessionSetup("s1", (MODEL, LOUD))
        async with served(agent) as peer:
            await peer.open()
            code = await peer.refused("session/set_config_option", {"sessionId": "s1", **params})
            assert code == -32602
            assert "set_option" not in agent.names()

    asyncio.run(scenario())


def test_an_option_that_cannot_be_said_is_told() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent()
        agent.setup = SessionSetup("s1", (LOUD, Select("empty", "Empty", "")))
        losses: list[Loss] = []
        settings = Settings(versions=(2,), on_loss=losses.append)
        async with served(agent, settings) as peer:
            await peer.initialize()
            answer = await peer.call("session/new", {"cwd": "/w"})
            assert [option["configId"] for option in answer["configOptions"]] == ["loud"]
            assert [(loss.what, loss.session_id) for loss in losses] == [("option.choices", "s1")]

    asyncio.run(scenario())


def test_a_tool_call_is_cancelled_only_while_it_says_that_it_can_be() -> None:
    """V2-TCX-02, V2-TCX-03, V2-TCX-04"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.open()
            cancel = {"sessionId": "s1", "toolCallId": "t1"}
            assert await peer.refused("tool_call/cancel", cancel) == -32602
            emit = agent.client.emit
            emit("s1", ToolCallChanged("t1", title="x", cancellable=True))
            assert await peer.call("tool_call/cancel", cancel) == {}
            assert agent.asked[-1] == ("cancel_tool_call", "s1", "t1")
            emit("s1", ToolCallChanged("t1", cancellable=False))
            assert await peer.refused("tool_call/cancel", cancel) == -32602
            emit("s1", ToolCallChanged("t1", cancellable=True))
            emit("s1", ToolCallChanged("t1", status="completed"))
            assert await peer.refused("tool_call/cancel", cancel) == -32602
            assert await peer.refused("tool_call/cancel", {**cancel, "sessionId": "x"}) == -32002
            assert [u for u in peer.updates() if "state" in u] == []

    asyncio.run(scenario())


def test_a_terminal_is_cancelled_only_while_it_says_that_it_can_be() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.open()
            cancel = {"sessionId": "s1", "terminalId": "x"}
            assert await peer.refused("terminal/cancel", cancel) == -32602
            agent.client.emit("s1", TerminalChanged("x", command="sleep", cancellable=True))
            assert await peer.call("terminal/cancel", cancel) == {}
            agent.client.emit("s1", TerminalChanged("x", exit=ExitStatus(-1)))
            assert await peer.refused("terminal/cancel", cancel) == -32602
            agent.client.emit("s1", TerminalChanged("x", cancellable=False))

    asyncio.run(scenario())


def test_an_application_without_cancelling_of_its_own_is_not_an_unknown_method() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent(missing=("cancel_tool_call", "cancel_terminal"))
        async with served(agent) as peer:
            await peer.open()
            agent.client.emit("s1", ToolCallChanged("t1", title="x", cancellable=True))
            agent.client.emit("s1", TerminalChanged("x", cancellable=True))
            params: Json = {"sessionId": "s1", "toolCallId": "t1"}
            assert await peer.refused("tool_call/cancel", params) == -32602
            params = {"sessionId": "s1", "terminalId": "x"}
            assert await peer.refused("terminal/cancel", params) == -32602

    asyncio.run(scenario())
