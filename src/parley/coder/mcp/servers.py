"""The MCP servers of one session: started in the background, their tools there while they live.

A server that fails, hangs or dies costs its tools and a notice, and never the session. The
official package is imported in a thread when the first server is named, since that takes longer
than a client should wait for anything.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, cast

from msgspec import Struct

from parley.coder.background import Background
from parley.coder.mcp.link import ServerFailed, Terms
from parley.coder.mcp.naming import server_names
from parley.coder.mcp.offer import Listed, offers
from parley.coder.mcp.package import can_serve
from parley.coder.mcp.tool import Call, McpTool
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Tool
from parley.session.role import McpServer

Converse = Callable[
    [McpServer, tuple[str, ...], Terms, Callable[[tuple[Listed, ...], Call], None]], Awaitable[str]
]
State = Literal["starting", "ready", "ended"]

MOST_SERVERS = 32
# So that the answer to the client has left before.
_DELAY = 0.05
_MISSING = "install what it takes with `pip install 'parley-acp[agent]'`"
_LOG = logging.getLogger(__name__)


class ServerReport(Struct, frozen=True):
    """How a server is."""

    name: str
    state: State
    tools: tuple[str, ...] = ()
    problem: str = ""


class Servers:
    def __init__(
        self,
        roots: tuple[str, ...],
        notify: Callable[[str], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        terms: Terms | None = None,
    ) -> None:
        self._roots = roots
        self._notify = notify
        self._sleep = sleep
        self._terms = terms or Terms()
        self.tools: dict[str, Tool] = {}
        """The tools of all servers that live, by the names that models use; it changes."""
        self._servers: list[_Server] = []
        self._background = Background()
        self._settled = asyncio.Event()
        self._settled.set()
        self._deadline = 0.0

    @property
    def reports(self) -> tuple[ServerReport, ...]:
        return tuple(each.report for each in self._servers)

    def start(
        self, wanted: Sequence[McpServer], still: Callable[[McpServer], bool] | None = None
    ) -> None:
        """Start servers beside those that there are; nothing here waits.

        `still` says, in a thread and at the last moment, whether a server may be started.
        """
        again = {server.name for server in wanted}
        self._servers = [e for e in self._servers if not (e.refused and e.wanted.name in again)]
        taken = [server.wanted.name for server in self._servers]
        room = MOST_SERVERS - len(taken)
        if len(wanted) > room:
            self._notify(f"Only {MOST_SERVERS} MCP servers are started; the others are left out.")
        # The first ones keep their names, so that nobody who comes later can take one.
        names = server_names((*taken, *(server.name for server in wanted[:room])))[len(taken) :]
        if not names:
            return
        if not can_serve():
            self._notify(f"MCP servers cannot be used: a package is missing; {_MISSING}.")
            return
        self._deadline = asyncio.get_running_loop().time() + self._terms.patience
        self._settled.clear()
        new = [_Server(name, each, still) for name, each in zip(names, wanted, strict=False)]
        self._servers += new
        for server in new:
            self._background.start(self._attend(server))

    async def settled(self) -> None:
        """Wait until no server is starting, or until they had their time."""
        left = self._deadline - asyncio.get_running_loop().time()
        if not self._settled.is_set() and left > 0:
            try:
                async with asyncio.timeout(left):
                    await self._settled.wait()
            except TimeoutError:
                return

    async def aclose(self) -> None:
        """End all servers."""
        await self._background.aclose()
        self._servers = []
        self.tools.clear()

    async def _attend(self, server: "_Server") -> None:
        try:
            problem = await self._talk(server)
        except Exception as error:
            # A defect here or in the package, or an answer that nobody foresaw.
            _LOG.warning("an MCP server failed: %s", type(error).__name__)
            problem = f"it failed: {_why(error)}"
        started = server.report.state == "ready"
        server.end(problem)
        self._look()
        what = "ended, and its tools are gone" if started else "could not be started"
        self._notify(f"The MCP server `{server.report.name}` {what}: {problem}.")

    async def _talk(self, server: "_Server") -> str:
        await self._sleep(_DELAY)
        converse = await asyncio.to_thread(_loaded)
        if server.still is not None and not await asyncio.to_thread(server.still, server.wanted):
            server.refused = True
            return "it has changed since you trusted it; `/trust` shows what it is now"

        def on_tools(listed: tuple[Listed, ...], call: Call) -> None:
            left_out = server.offer(listed, call)
            self._look()
            if left_out:
                shown = ", ".join(f"`{one_line(name, 40)}`" for name in left_out[:5])
                self._notify(
                    f"The MCP server `{server.report.name}` has tools that no model can be offered"
                    f" ({len(left_out)}): {shown}."
                )

        try:
            return await converse(server.wanted, self._roots, self._terms, on_tools)
        except ServerFailed as error:
            return str(error)

    def _look(self) -> None:
        """Take in what has changed about a server."""
        self.tools.clear()
        self.tools.update({tool.spec.name: tool for each in self._servers for tool in each.tools})
        if all(each.report.state != "starting" for each in self._servers):
            self._settled.set()


class _Server:
    def __init__(
        self, name: str, wanted: McpServer, still: Callable[[McpServer], bool] | None
    ) -> None:
        self.wanted = wanted
        self.still = still
        self.refused = False
        """Whether it was not started since it had changed; another one may take its place."""
        self.tools: tuple[McpTool, ...] = ()
        self.report = ServerReport(name, "starting")

    def offer(self, listed: tuple[Listed, ...], call: Call) -> tuple[str, ...]:
        """Take what the server lists; the names of what could not be taken."""
        name = self.report.name
        offered, left_out = offers(name, listed)
        self.tools = tuple(McpTool(name, each, call) for each in offered)
        self.report = ServerReport(name, "ready", tuple(each.spec.name for each in self.tools))
        return left_out

    def end(self, problem: str) -> None:
        self.tools = ()
        self.report = ServerReport(self.report.name, "ended", problem=problem)


def _loaded() -> "Converse":
    # Heavy, and only needed when a session names a server.
    from parley.coder.mcp.conversation import converse  # noqa: PLC0415

    return converse


def _why(error: Exception) -> str:
    """The first cause in a group of errors, in one line."""
    cause: Exception = error
    while isinstance(cause, ExceptionGroup):
        cause = cast("ExceptionGroup[Exception]", cause).exceptions[0]
    return f"{type(cause).__name__} {one_line(str(cause), 200)}".rstrip()
