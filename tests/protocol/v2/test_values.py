"""Where sessions work, and what is known of them."""

import json
from typing import Any

import pytest

from parley.protocol.v2.values import (
    env_from,
    env_models,
    is_absolute,
    page_from,
    page_model,
    request_from,
    request_members,
    server_from,
    server_model,
    sound_time,
)
from parley.schema import v2
from parley.schema.codec import decode, encode
from parley.session.content import Text
from parley.session.role import (
    AcpServer,
    HttpServer,
    McpServer,
    SessionInfo,
    SessionPage,
    SessionRequest,
    StdioServer,
    SystemPrompt,
)


def lost() -> tuple[list[str], Any]:
    losses: list[str] = []
    return losses, lambda what, _: losses.append(what)


@pytest.mark.parametrize(
    "server",
    [
        StdioServer("a", "/a"),
        StdioServer("a", "/a", ("-x",), {"K": "v"}, {"m": 1}),
        HttpServer("a", "https://a"),
        HttpServer("a", "https://a", (("H", "1"), ("H", "2")), meta={"m": 1}),
        AcpServer("a", "id", {"m": 1}),
    ],
)
def test_servers_come_back_as_they_were(server: McpServer) -> None:
    data = encode(server_model(server))
    assert json.loads(data)["type"] in ("stdio", "http", "acp")  # V2-MCP-01
    assert server_from(decode(v2.McpServer, data)) == server


def test_what_a_server_leaves_out_is_empty() -> None:
    """V2-MCP-04"""
    bare = b'{"type":"stdio","name":"a","command":"/a","args":null,"env":null}'
    assert server_from(decode(v2.McpServer, bare)) == StdioServer("a", "/a")
    bare = b'{"type":"http","name":"a","url":"https://a"}'
    assert server_from(decode(v2.McpServer, bare)) == HttpServer("a", "https://a")
    assert server_from(decode(v2.McpServer, b'{"type":"_x"}')) is None


def test_headers_are_always_written() -> None:
    assert json.loads(encode(server_model(HttpServer("a", "https://a"))))["headers"] == []


def test_the_last_value_of_a_variable_wins() -> None:
    """V2-MCP-05"""
    twice = [*env_models({"A": "1"}), *env_models({"A": "2"})]
    assert env_from(twice) == {"A": "2"}


def test_a_request_comes_back_as_it_was() -> None:
    request = SessionRequest(
        "/w",
        ("/v",),
        (StdioServer("a", "/a"),),
        SystemPrompt((Text("be kind"),), "override", {"m": 1}),
        {"m": 2},
    )
    params = v2.NewSessionRequest(**request_members(request, lambda *_: None))
    assert request_from(params, unstable=True) == request
    assert request_from(params, unstable=False).system_prompt is None


def test_a_page_comes_back_as_it_was() -> None:
    info = SessionInfo("s", "/w", "T", "2026-01-01T00:00:00Z", ("/v",), True, {"m": 1})
    page = SessionPage((info, SessionInfo("t", "C:\\w")), "", {"m": 2})
    model = page_model(page, unstable=True, lose=lambda *_: pytest.fail("nothing is lost"))
    assert page_from(decode(v2.ListSessionsResponse, encode(model))) == page


def test_what_a_page_cannot_say_is_told() -> None:
    losses, lose = lost()
    page = SessionPage(
        (SessionInfo("s", "/w", archived=True, updated_at="soon"), SessionInfo("t", "w"))
    )
    model = page_model(page, unstable=False, lose=lose)
    assert page_from(model) == SessionPage((SessionInfo("s", "/w"),))
    assert losses == ["session.archived", "session.updated_at", "session.cwd"]


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02t03:04:05.123456789+02:00", "2026-01-02t03:04:05.123456789+02:00"),
        ("2026-01-02T03:04:05", "2026-01-02T03:04:05+00:00"),
        ("2026-01-02", "2026-01-02T00:00:00+00:00"),
        ("20260102T030405Z", "2026-01-02T03:04:05+00:00"),
        ("yesterday", None),
        ("", None),
    ],
)
def test_times_are_those_of_rfc_3339(time: str, expected: str | None) -> None:
    """V2-LST-03"""
    losses, lose = lost()
    assert sound_time(time, lose) == expected
    assert losses == ([] if expected else ["session.updated_at"])


@pytest.mark.parametrize("path", ["/", "/x", "C:\\x", "c:/x", "\\\\srv\\x"])
def test_absolute_paths_of_any_machine_are_absolute(path: str) -> None:
    """V2-SES-04"""
    assert is_absolute(path)


@pytest.mark.parametrize("path", ["", "x", "./x", "~/x", "C:x", "\\x", "file:///x", "\\\\"])
def test_other_paths_are_not(path: str) -> None:
    assert not is_absolute(path)
