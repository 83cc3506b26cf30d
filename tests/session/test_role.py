"""The requests that the two roles exchange; the interfaces themselves have nothing to run."""

import msgspec
import pytest

from parley.session.content import Text
from parley.session.role import (
    AcpServer,
    Ending,
    HttpServer,
    McpServer,
    SessionRequest,
    StdioServer,
    SystemPrompt,
)


@pytest.mark.parametrize(
    "server",
    [
        StdioServer("files", "files-server", ("--root", "/project"), {"KEY": "value"}),
        HttpServer("web", "https://example.org/mcp", (("X-Key", "1"), ("X-Key", "2")), sse=True),
        AcpServer("own", "server-1", {"a": 1}),
    ],
)
def test_a_request_keeps_the_kind_of_each_server_when_stored(server: McpServer) -> None:
    request = SessionRequest("/project", ("/other",), (server,), SystemPrompt((Text("Be brief"),)))
    assert msgspec.json.decode(msgspec.json.encode(request), type=SessionRequest) == request


def test_a_turn_ends_normally_unless_it_says_otherwise() -> None:
    assert Ending() == Ending("end_turn", None, None)


def test_what_one_server_gets_is_not_shared_with_the_next() -> None:
    first, second = StdioServer("a", "x"), StdioServer("b", "y")
    first.env["KEY"] = "value"
    assert second.env == {}
