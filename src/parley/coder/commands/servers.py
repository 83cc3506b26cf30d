"""`/mcp`: the servers of a session, how they are and which tools they have."""

from collections.abc import Iterable

from parley.coder.commands.outcome import Say
from parley.coder.mcp.project import FILE, KIND
from parley.coder.mcp.servers import ServerReport
from parley.coder.open_session import OpenSession
from parley.coder.permission.visible import visible
from parley.coder.trust.project import Look


async def mcp(session: OpenSession, arguments: str) -> Say:
    look = await session.project.look()
    # Who asks wants to know whether they work, not that they were started a moment ago.
    await session.servers.settled()
    return Say(server_text(session.servers.reports, look))


def server_text(reports: Iterable[ServerReport], look: Look) -> str:
    """One line for each server and each of its tools, and for each that the project only names."""
    lines: list[str] = []
    for server in reports:
        problem = f": {server.problem}" if server.problem else ""
        lines.append(f"- `{server.name}`: {server.state}{problem}")
        lines += (f"  - `{tool}`" for tool in server.tools)
    for each in look.waiting:
        if each.content.kind == KIND:
            changed = " (changed since you trusted it)" if each.changed else ""
            lines.append(f"- `{visible(each.content.name)}`: waits for `/trust`{changed}")
    # The problems of servers name their file; others are those of skills.
    lines += (f"- {problem}" for problem in look.problems if FILE in problem)
    return "\n".join(lines) or "This session has no MCP servers."
