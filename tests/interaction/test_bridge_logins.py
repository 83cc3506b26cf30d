"""Logging in and out through a bridge, where each version has names of its own."""

import pytest

from tests.protocol.bridging import DIRECTIONS, raw_bridge
from tests.sdk.stage import run

both = pytest.mark.parametrize(("client", "agent"), DIRECTIONS)


def test_logging_in_and_out_has_other_names_in_version_1() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            login = {"type": "agent", "methodId": "web", "name": "Web"}
            await stage.initialize(authMethods=[login])
            params = {"methodId": "web", "_meta": {"traceparent": "00-1"}}
            passed = await stage.passed("authenticate", params, {"_meta": {"b": 2}}, "auth/login")
            assert passed == (params, {"_meta": {"b": 2}})
            assert await stage.passed("logout", {}, {}, "auth/logout") == ({}, {})

    run(scenario())


def test_logging_in_and_out_has_other_names_in_version_2() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            methods = [{"id": "web", "name": "Web"}]
            can = {"auth": {"logout": {}}}
            await stage.initialize(authMethods=methods, agentCapabilities=can)
            asked, answer = await stage.passed(
                "auth/login", {"methodId": "web"}, {}, "authenticate"
            )
            assert (asked, answer) == ({"methodId": "web"}, {})
            assert await stage.passed("auth/logout", {}, None, "logout") == ({}, {})

    run(scenario())


def test_an_agent_that_cannot_log_out_is_an_error_and_a_loss() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            await stage.initialize(authMethods=[{"id": "web", "name": "Web"}])
            error = await stage.client.error("auth/logout", {})
            assert error == {"code": -32603, "message": "Internal error: the agent cannot log out"}
            assert stage.losses == ["logout"]

    run(scenario())


@both
def test_a_login_that_is_not_offered_is_refused(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            key = "methodId" if agent == 2 else "id"
            await stage.initialize(authMethods=[{"type": "agent", key: "web", "name": "Web"}])
            method = "authenticate" if client == 1 else "auth/login"
            assert (await stage.client.error(method, {"methodId": "x"}))["code"] == -32602

    run(scenario())
