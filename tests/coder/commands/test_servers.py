"""What is shown of MCP servers."""

from parley.coder.commands.servers import server_text
from parley.coder.mcp.servers import ServerReport


def test_servers_are_listed_with_their_tools_and_problems() -> None:
    reports = (
        ServerReport("files", "ready", ("files__read", "files__write")),
        ServerReport("slow", "starting"),
        ServerReport("gone", "ended", problem="it exited with 1"),
    )
    assert server_text(reports).splitlines() == [
        "- `files`: ready",
        "  - `files__read`",
        "  - `files__write`",
        "- `slow`: starting",
        "- `gone`: ended: it exited with 1",
    ]


def test_a_session_without_servers_says_so() -> None:
    assert server_text(()) == "This session has no MCP servers."
