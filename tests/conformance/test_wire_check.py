"""What a side sends is judged by the schema of its version."""

from typing import Any

import pytest

from parley.conformance.wire_check import WireCheck, update_variants

CHUNK = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}


@pytest.mark.parametrize(
    ("sender", "method", "params", "problem"),
    [
        ("client", "session/new", {"cwd": "/a", "mcpServers": []}, None),
        ("client", "session/new", {"cwd": 5, "mcpServers": []},
         "`params.cwd` expected `str`, got `int`"),
        ("client", "session/new", [], "`params` expected an object"),
        ("agent", "session/new", {"cwd": "/a", "mcpServers": []},
         "`session/new` is no request that it may send"),
        ("agent", "fs/read_text_file", {"sessionId": "s", "path": "/a"}, None),
        ("agent", "proxy/initialize", {"protocolVersion": 1}, None),
        ("agent", "_mine/own", 5, None),
        ("client", "mcp/message", {}, "`mcp/message` is no request that it may send"),
    ],
)  # fmt: skip
def test_a_request_is_judged(sender: Any, method: str, params: Any, problem: str | None) -> None:
    assert WireCheck(1, sender).request(method, params) == problem


def test_a_notification_is_judged_by_its_version() -> None:
    unknown = {"sessionId": "s", "update": {"sessionUpdate": "later"}}
    first, second = WireCheck(1, "agent"), WireCheck(2, "agent")
    assert first.notification("session/update", {"sessionId": "s", "update": CHUNK}) is None
    assert second.notification("session/update", {"sessionId": "s", "update": CHUNK}) is not None
    assert first.notification("session/update", unknown) is not None
    assert second.notification("session/update", unknown) is None
    assert first.notification("session/cancel", {"sessionId": "s"}) is not None


def test_a_result_is_judged_by_who_gives_it() -> None:
    agent, client = WireCheck(1, "agent"), WireCheck(1, "client")
    assert agent.result("session/prompt", {"stopReason": "end_turn"}) is None
    assert agent.result("session/prompt", {"stopReason": "tired"}) is not None
    assert client.result("fs/write_text_file", {}) is None
    assert client.result("fs/write_text_file", None) is not None
    assert client.result("session/prompt", {}) == (
        "`session/prompt` is no request that it could answer"
    )
    assert client.result("_mine", None) is None


def test_the_variants_of_an_update_are_those_of_the_schema() -> None:
    assert len(update_variants(1)) == 19
    assert len(update_variants(2)) == 23
    assert "plan" in update_variants(1) - update_variants(2)
