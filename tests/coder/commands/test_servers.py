"""What is shown of MCP servers."""

import asyncio
import json
from pathlib import Path

from parley.coder.commands.servers import server_text
from parley.coder.mcp.servers import ServerReport
from parley.coder.trust.content import Content
from parley.coder.trust.project import Look, Waiting
from parley.session.content import Text
from parley.session.event import ChunkAdded
from tests.coder.stage import staged


def test_servers_are_listed_with_their_tools_and_problems() -> None:
    reports = (
        ServerReport("files", "ready", ("files__read", "files__write")),
        ServerReport("slow", "starting"),
        ServerReport("gone", "ended", problem="it exited with 1"),
    )
    assert server_text(reports, Look()).splitlines() == [
        "- `files`: ready",
        "  - `files__read`",
        "  - `files__write`",
        "- `slow`: starting",
        "- `gone`: ended: it exited with 1",
    ]


def test_what_the_project_names_is_listed_with_what_it_waits_for() -> None:
    contents = [
        Content(kind, name, "/p", "file", "digest", "shown")
        for kind, name in (("MCP server", "notes"), ("MCP server", "a\nb"), ("skill", "ant"))
    ]
    waiting = tuple(Waiting(each, each.name == "notes") for each in contents)
    problems = ("The MCP server `x` of `.mcp.json` cannot be used: why.", "The skill `y` is wrong.")
    assert server_text((), Look(waiting, problems=problems)).splitlines() == [
        "- `notes`: waits for `/trust` (changed since you trusted it)",
        "- `a\\u000ab`: waits for `/trust`",
        "- The MCP server `x` of `.mcp.json` cannot be used: why.",
    ]


def test_a_session_without_servers_says_so() -> None:
    assert server_text((), Look()) == "This session has no MCP servers."


def test_servers_of_the_project_are_shown_by_the_first_prompt(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            servers = {"notes": {"command": "/bin/cat"}, "ghost": {"command": "no-such-program"}}
            (stage.project / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
            await stage.say("/mcp")
            (said,) = (e.content for e in stage.events if isinstance(e, ChunkAdded))
            assert isinstance(said, Text)
            waits, missing = said.text.splitlines()
            assert waits == "- `notes`: waits for `/trust`"
            assert "`ghost`" in missing
            assert "`no-such-program` is not installed" in missing

    asyncio.run(scenario())
