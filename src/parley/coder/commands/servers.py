"""`/mcp`: the servers of a session, how they are and which tools they have."""

from collections.abc import Iterable

from parley.coder.commands.outcome import Say
from parley.coder.mcp.servers import ServerReport
from parley.coder.open_session import OpenSession


async def mcp(session: OpenSession, arguments: str) -> Say:
    return Say(server_text(session.servers.reports))


def server_text(reports: Iterable[ServerReport]) -> str:
    """One line for each server, and one for each of its tools."""
    lines: list[str] = []
    for server in reports:
        problem = f": {server.problem}" if server.problem else ""
        lines.append(f"- `{server.name}`: {server.state}{problem}")
        lines += (f"  - `{tool}`" for tool in server.tools)
    return "\n".join(lines) or "This session has no MCP servers."
