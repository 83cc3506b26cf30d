"""What goes wrong at an agent, as the client of a bridge is told."""

import pytest

from parley.errors import (
    AuthRequired,
    ConnectionLost,
    InternalError,
    InvalidParams,
    LocalProtocolError,
    RemoteProtocolError,
    RequestTimeout,
)
from parley.protocol.bridge_line import failures
from tests.protocol.bridging import DIRECTIONS, bridged
from tests.sdk.stage import run


def test_an_error_of_the_agent_stays_what_it_is() -> None:
    error = AuthRequired("log in", {"a": 1})
    with pytest.raises(AuthRequired) as raised, failures():
        raise error
    assert raised.value is error


def test_what_the_agent_does_not_offer_is_a_wrong_parameter() -> None:
    with pytest.raises(InvalidParams) as raised, failures():
        raise LocalProtocolError("the agent does not offer this")
    assert raised.value.message == "Invalid params: the agent does not offer this"


@pytest.mark.parametrize(
    "problem",
    [ConnectionLost("it died"), RequestTimeout("too late"), RemoteProtocolError("nonsense")],
)
def test_other_trouble_is_an_error_of_the_bridge(problem: Exception) -> None:
    with pytest.raises(InternalError) as raised, failures():
        raise problem
    assert raised.value.message == f"Internal error: {problem}"
    assert raised.value.data == {"acpBridge": {"problem": str(problem)}}


@pytest.mark.parametrize(("client", "agent"), DIRECTIONS)
def test_an_answer_of_the_wrong_shape_is_such_trouble(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            asked = stage.client.ask("session/new", {"cwd": "/a", "mcpServers": []})
            stage.agent.reply(await stage.agent.request("session/new"), {"sessionId": 5})
            error = (await stage.client.answer(asked))["error"]
            assert error["code"] == -32603
            assert "the answer to `session/new`" in error["data"]["acpBridge"]["problem"]

    run(scenario())


@pytest.mark.parametrize("meta", [None, {"a": 1}, "nonsense"])
def test_the_meta_of_a_request_is_taken_along_if_it_is_one(meta: object) -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            params = {} if meta is None else {"_meta": meta}
            asked, _ = await stage.passed("session/list", params, {"sessions": []})
            assert asked == ({"_meta": meta} if isinstance(meta, dict) else {})

    run(scenario())
