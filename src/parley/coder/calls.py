"""Running the tool calls of one answer of the model: in what order, with whose permission.

Every call gets exactly one result, whatever happens to it, and the results come in the order of the
calls. Neighbouring calls of read-only tools run together, and so do neighbouring sub-agents;
everything else runs alone and in order, so that a call sees what the calls before it did. Calls of
different sub-agents run beside each other, but no two of them change files by tools at one time.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from itertools import groupby

from msgspec import UNSET

from parley.coder.conversation import Conversation
from parley.coder.errors import ToolError
from parley.coder.hooks.around import CallHooks, HookedCall
from parley.coder.message import CallPart, ToolMessage, ToolResult
from parley.coder.permit import permit
from parley.coder.shown_call import done_call, ended_call, prepared_call
from parley.coder.tools.agent import NAME as AGENT
from parley.coder.tools.tool import Outcome, Prepared, Tool
from parley.session.content import ToolItem
from parley.session.event import Event, ToolCallChanged

CANCELLED = "The call was cancelled by the user."
_LOG = logging.getLogger(__name__)


class CallRunner:
    def __init__(self, session: Conversation, calls: tuple[CallPart, ...]) -> None:
        self._session = session
        self._calls = calls
        self._results: dict[str, ToolResult] = {}
        settings = session.runtime.settings
        self._room = asyncio.Semaphore(max(settings.parallel_reads, 1))
        self._seats = asyncio.Semaphore(max(settings.subagents.at_once, 1))
        self._hooks = CallHooks(
            settings.hooks,
            session_id=session.id,
            roots=session.desk.workspace.roots,
            environment=settings.environment,
            notify=session.notify,
            broken=session.broken_hooks,
        )

    async def run(self) -> None:
        """Run the calls. It can be cancelled at any point; `message` then has what there is."""
        for batch in self._batches():
            async with asyncio.TaskGroup() as group:
                for call in batch:
                    task = group.create_task(self._one(call))
                    self._session.stops[call.id] = task.cancel

    def refuse(self, reason: str) -> None:
        """Run none of the calls."""
        for call in self._calls:
            self._end(call, reason, "failed")

    def message(self) -> ToolMessage:
        """The results, one for each call; what has none was cancelled."""
        for call in self._calls:
            self._session.stops.pop(call.id, None)
            if call.id not in self._results:
                self._end(call, CANCELLED, "cancelled")
        return ToolMessage(tuple(self._results[call.id] for call in self._calls))

    def _batches(self) -> Iterator[list[CallPart]]:
        for _, calls in groupby(self._calls, self._company):
            yield list(calls)

    def _company(self, call: CallPart) -> tuple[str, str]:
        """The same for neighbours that run together."""
        tool = self._session.tools.get(call.name)
        if tool is None or tool.category == "read":
            return "reads", ""
        return ("agents", "") if call.name == AGENT else ("alone", call.id)

    async def _one(self, call: CallPart) -> None:
        try:
            async with self._seats if call.name == AGENT else self._room:
                await self._settle(call)
        except asyncio.CancelledError:
            self._end(call, CANCELLED, "cancelled")
            raise
        finally:
            self._session.stops.pop(call.id, None)

    async def _settle(self, call: CallPart) -> None:
        progress = CallProgress(self._session, call.id)
        try:
            outcome = await self._outcome(call, progress)
        except ToolError as error:
            self._end(call, str(error), "failed")
        except Exception as error:
            # A tool with a defect costs its call and not the session: the model is told.
            _LOG.exception("the tool `%s` failed", call.name)
            self._end(call, f"The tool failed: {type(error).__name__}.", "failed")
        else:
            self._session.tell(done_call(call.id, outcome, shown=bool(progress.items)))
            self._results[call.id] = ToolResult(
                call.id, call.name, outcome.text, outcome.failed, outcome.images
            )
        finally:
            progress.over = True

    async def _outcome(self, call: CallPart, progress: "CallProgress") -> Outcome:
        session = self._session
        tool = self._tool(call)
        prepared = await tool.prepare(call.arguments, session.desk)
        change = prepared_call(call, prepared, tool)
        session.tell(change)
        progress.items = prepared.preview
        demand = await self._hooks.before(HookedCall(call.name, call.arguments, prepared.access))
        await permit(session, tool, prepared, change, demand)
        session.tell(ToolCallChanged(call.id, status="in_progress", cancellable=True))
        if tool.category == "read":
            return await self._run(call, prepared, progress)
        async with (
            self._turn_of(tool),
            session.undo.watching(session.history.turn or "", prepared.access),
        ):
            return await self._run(call, prepared, progress)

    async def _run(self, call: CallPart, prepared: Prepared, progress: "CallProgress") -> Outcome:
        """Do it, and let the hooks of the user have their say."""
        failure = None
        try:
            outcome = await prepared.run(progress)
        except ToolError as error:
            failure, outcome = error, Outcome(str(error), failed=True)
        hooked = HookedCall(call.name, call.arguments, prepared.access)
        outcome = await self._hooks.after(hooked, outcome, progress.items)
        if failure is not None:
            raise ToolError(outcome.text) from failure
        return outcome

    def _turn_of(self, tool: Tool) -> AbstractAsyncContextManager[None]:
        # Between the look at a file and its change no other sub-agent may change it.
        return self._session.writing if tool.category == "write" else nullcontext()

    def _tool(self, call: CallPart) -> Tool:
        tools = self._session.tools
        tool = tools.get(call.name)
        if tool is None:
            known = ", ".join(f"`{name}`" for name in tools)
            raise ToolError(f"There is no tool `{call.name[:100]}`. The tools are: {known}.")
        if call.malformed is not None:
            raise ToolError(
                f"The arguments are not a JSON object: {call.malformed[:200]!r}."
                " Make the call again with one."
            )
        return tool

    def _end(self, call: CallPart, text: str, status: str) -> None:
        raw_input = call.arguments if call.malformed is None else call.malformed
        self._session.tell(ended_call(call.id, text, status=status, raw_input=raw_input or UNSET))
        self._results[call.id] = ToolResult(call.id, call.name, text, is_error=True)


class CallProgress:
    """What a running call reports; the `Progress` of a tool."""

    def __init__(self, session: Conversation, call_id: str) -> None:
        self._session = session
        self.call_id = call_id
        self.items: tuple[ToolItem, ...] = ()
        """What is shown of the call."""
        self.over = False

    def show(self, *items: ToolItem) -> None:
        if not self.over:
            self.items = items
            self._session.tell(ToolCallChanged(self.call_id, content=items))

    def emit(self, event: Event) -> None:
        # A terminal may outlive its call, when the command runs on in the background.
        self._session.tell(event)

    async def drain(self) -> None:
        await self._session.keep_up()
