"""One tool of an MCP server, as the loop knows tools."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from parley.coder.errors import ToolError
from parley.coder.mcp.offer import Offer
from parley.coder.permission.access import CallsServer
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.session.event import ToolKind

Call = Callable[[str, Mapping[str, Any]], Awaitable[Outcome]]
"""Calls a tool of the server by its own name; raises `ToolError`."""

_LARGEST_ARGUMENTS = 1024 * 1024


class McpTool:
    """What a server says of a tool decides nothing: every call counts as one that may change."""

    kind: ToolKind = "other"
    category: Category = "execute"

    def __init__(self, server: str, offer: Offer, call: Call) -> None:
        self.spec = offer.spec
        self._server = server
        self._tool = offer.tool
        self._call = call

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = dict(arguments)
        encoded = msgspec.json.encode(given)
        if len(encoded) > _LARGEST_ARGUMENTS:
            raise ToolError(f"the arguments are larger than {_LARGEST_ARGUMENTS:,} bytes")
        shown = msgspec.json.format(encoded, indent=2).decode()

        async def run(progress: Progress) -> Outcome:
            return await self._call(self._tool, given)

        return Prepared(
            f"Call {one_line(self._tool, 100)} of {self._server}",
            (CallsServer(self._server, self._tool, shown),),
            run,
        )
