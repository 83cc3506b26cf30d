"""A conversation with one server: the handshake, its tools, calls, and its end.

The session is that of the official package. Requests go past its checks of results against the
server's own schemas: these would run patterns that the server wrote.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.client.session import ClientRequestContext, ClientSession, IncomingMessage
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    UNSUPPORTED_PROTOCOL_VERSION,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    ListRootsResult,
    ListToolsRequest,
    ListToolsResult,
    PaginatedRequestParams,
    Root,
    ToolListChangedNotification,
)
from pydantic import FileUrl, ValidationError

from parley.coder.errors import ToolError
from parley.coder.mcp.address import opened_address
from parley.coder.mcp.answer import outcome_of
from parley.coder.mcp.link import Link, ServerFailed, Terms
from parley.coder.mcp.offer import Listed
from parley.coder.mcp.program import opened_program
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Outcome
from parley.session.role import AcpServer, HttpServer, McpServer, StdioServer

if TYPE_CHECKING:
    from parley.coder.mcp.tool import Call

_MOST_PAGES = 20
_LISTING_PAUSE = 1.0
_LAST_WORDS = 1.0
_SHOWN = 500


OnTools = Callable[[tuple[Listed, ...], "Call"], None]


async def converse(
    server: McpServer, folders: tuple[str, ...], terms: Terms, on_tools: OnTools
) -> str:
    """Talk to a server until it ends, and say why it did. Its tools are told as they change.

    Raises:
        ServerFailed: there is nobody to talk to.
    """
    changed = asyncio.Event()

    async def heard(message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            changed.set()

    async def roots(context: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(
            roots=[Root(uri=FileUrl(Path(folder).as_uri())) for folder in folders]
        )

    async with (
        _opened(server) as link,
        ClientSession(
            link.read,
            link.write,
            list_roots_callback=roots,
            message_handler=heard,
            client_info=Implementation(name="parley", version=terms.version),
        ) as session,
    ):
        talk = _Conversation(session, link, terms)
        try:
            return await talk.hold(changed, on_tools)
        except ServerFailed as error:
            return str(error)


def _opened(server: McpServer) -> AbstractAsyncContextManager[Link]:
    match server:
        case StdioServer():
            return opened_program(server)
        case HttpServer():
            return opened_address(server)
        case AcpServer():
            raise ServerFailed("servers of the client itself are not supported")


class _Conversation:
    def __init__(self, session: ClientSession, link: Link, terms: Terms) -> None:
        self._session = session
        self._link = link
        self._terms = terms

    async def hold(self, changed: asyncio.Event, on_tools: OnTools) -> str:
        seconds = self._terms.start_seconds
        try:
            async with asyncio.timeout(seconds):
                await self._begin()
                on_tools(await self._listed(), self.call)
        except TimeoutError:
            raise ServerFailed(f"it did not answer within {seconds:g} seconds") from None
        async with asyncio.TaskGroup() as group:
            listing = group.create_task(self._list_again(changed, on_tools))
            reason = await self._link.ended()
            listing.cancel()
        return reason

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool; cancelling it tells the server.

        Raises:
            ToolError: it came to nothing.
        """
        seconds = self._terms.call_seconds
        request = CallToolRequest(
            params=CallToolRequestParams(name=tool, arguments=dict(arguments))
        )
        try:
            # The inner limit tells the server. The outer one is for a server that does not read.
            async with asyncio.timeout(seconds + _LAST_WORDS):
                result = await self._session.send_request(request, CallToolResult, seconds)
        except TimeoutError:
            raise ToolError(f"the server did not answer within {seconds:g} seconds") from None
        except MCPError as error:
            raise ToolError(self._refusal(error)) from None
        except ValidationError:
            raise ToolError("the server answered with something that is not a result") from None
        return outcome_of(result)

    def _refusal(self, error: MCPError) -> str:
        if error.code == REQUEST_TIMEOUT:
            return f"the server did not answer within {self._terms.call_seconds:g} seconds"
        if _is_end(error):
            return "the server ended before it answered"
        return f"the server refused the call: {one_line(error.message, _SHOWN)}"

    async def _begin(self) -> None:
        try:
            await self._session.initialize()
        except MCPError as error:
            if error.code != UNSUPPORTED_PROTOCOL_VERSION:
                raise await self._failed(error) from None
            await self._discover()
        except (ValidationError, RuntimeError):
            raise ServerFailed("it speaks no version of the protocol that is known here") from None

    async def _discover(self) -> None:
        try:
            await self._session.discover()
        except MCPError as error:
            raise await self._failed(error) from None

    async def _listed(self) -> tuple[Listed, ...]:
        """All tools.

        Raises:
            ServerFailed: it does not say.
        """
        found: list[Listed] = []
        cursor: str | None = None
        try:
            for _ in range(_MOST_PAGES):
                request = ListToolsRequest(params=PaginatedRequestParams(cursor=cursor))
                page = await self._session.send_request(request, ListToolsResult)
                found += [
                    Listed(tool.name, tool.description or "", tool.input_schema)
                    for tool in page.tools
                ]
                cursor = page.next_cursor
                if not cursor:
                    break
        except MCPError as error:
            raise await self._failed(error) from None
        except ValidationError:
            raise ServerFailed("its list of tools cannot be understood") from None
        return tuple(found)

    async def _list_again(self, changed: asyncio.Event, on_tools: OnTools) -> None:
        """Ask for the tools whenever the server says that they have changed, but not too often."""
        while True:
            await changed.wait()
            changed.clear()
            try:
                async with asyncio.timeout(self._terms.start_seconds):
                    on_tools(await self._listed(), self.call)
            except TimeoutError:
                self._link.end("it did not answer when it was asked for its tools")
            except ServerFailed as error:
                self._link.end(str(error))
            await asyncio.sleep(_LISTING_PAUSE)

    async def _failed(self, error: MCPError) -> ServerFailed:
        """What went wrong, in the words of the connection if it is that which ended."""
        if _is_end(error):
            try:
                async with asyncio.timeout(_LAST_WORDS):
                    return ServerFailed(await self._link.ended())
            except TimeoutError:
                return ServerFailed("the connection ended")
        return ServerFailed(f"it refused: {one_line(error.message, _SHOWN)}")


def _is_end(error: MCPError) -> bool:
    """Whether the package says that the connection is over; servers use that number too."""
    return error.code == CONNECTION_CLOSED and error.message == "Connection closed"
