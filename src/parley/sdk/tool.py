"""A tool call as its author handles it."""

import os
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Literal, Self

from msgspec import UNSET
from msgspec.structs import replace

from parley.errors import LocalProtocolError
from parley.sdk.outlet import Outlet, TurnOver
from parley.session.content import (
    Block,
    ContentItem,
    DiffItem,
    FileChange,
    Location,
    TerminalItem,
    Text,
    ToolItem,
)
from parley.session.event import (
    FINAL_STATUSES,
    Event,
    ToolCallChanged,
    ToolContentAdded,
)
from parley.session.question import (
    Decision,
    PermissionOption,
    PermissionQuestion,
    ToolCallSubject,
    decide,
)

ALLOW_OR_REJECT = (
    PermissionOption("allow_once", "Allow", "allow_once"),
    PermissionOption("allow_always", "Always allow", "allow_always"),
    PermissionOption("reject_once", "Reject", "reject_once"),
    PermissionOption("reject_always", "Always reject", "reject_always"),
)
"""The usual four. The ids mean nothing; the kinds decide."""

FinalStatus = Literal["completed", "failed", "cancelled"]


class ToolCall:
    """Use it as a context manager.

    Entering reports the call. Leaving ends it: `completed`, or `failed` after an error, after
    `fail()` or after a refused permission, or `cancelled` when the turn was.
    """

    def __init__(
        self, outlet: Callable[[], Outlet], session_id: str, cwd: str, first: ToolCallChanged
    ) -> None:
        self._outlet = outlet
        self._session_id = session_id
        self._cwd = cwd
        self._whole = first
        """What the call is now, except its content and its status."""
        self._content: list[ToolItem] = []
        self._entered = False
        self._ended = False
        self._refused = False
        self.id = first.id

    async def __aenter__(self) -> Self:
        if self._entered:
            raise LocalProtocolError(f"the tool call `{self._whole.title}` was used before")
        self._entered = True
        await self._emit(replace(self._whole, status="pending"))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        out = self._outlet()
        # A turn that is over has ended its calls, those of forgotten tasks as well.
        if self._ended or isinstance(out, TurnOver):
            return
        if kind is None:
            await self.end("failed" if self._refused else "completed")
            return
        self._ended = True
        status = "failed" if issubclass(kind, Exception) else "cancelled"
        # Without waiting for a slow client, which would be interrupted: the event is out.
        out.emit(self._session_id, ToolCallChanged(self.id, status=status))

    async def start(self) -> None:
        """It runs now, after whatever it waited for."""
        await self._report(ToolCallChanged(self.id, status="in_progress"))

    async def end(self, status: FinalStatus, *, output: Any = UNSET) -> None:
        """End it before the block does, perhaps with its raw output."""
        if status not in FINAL_STATUSES:
            raise ValueError(f"{status!r} is not a final status")
        self._check()
        self._ended = True
        await self._emit(ToolCallChanged(self.id, status=status, raw_output=output))

    async def fail(self, text: str) -> None:
        """End it as failed, with the reason as its last content."""
        await self.text(text)
        await self.end("failed")

    async def text(self, text: str) -> None:
        """Show a text in the call."""
        await self.add(ContentItem(Text(text)))

    async def content(self, block: Block) -> None:
        """Show any content in the call."""
        await self.add(ContentItem(block))

    async def diff(self, path: str, old: str | None, new: str | None) -> None:
        """Show a change of a file: `old` is `None` for a new one, `new` for a deleted one."""
        operation = "add" if old is None else "delete" if new is None else "modify"
        where = os.path.join(self._cwd, path)
        await self.add(DiffItem((FileChange(operation, where, old_text=old, new_text=new),)))

    async def terminal(self, id: str) -> None:
        """Show a terminal inside the call."""
        await self.add(TerminalItem(id))

    async def add(self, item: ToolItem) -> None:
        """Show one more item in the call."""
        self._check()
        self._content.append(item)
        await self._emit(ToolContentAdded(self.id, item))

    async def update(
        self,
        *,
        title: str | None = None,
        input: Any = UNSET,
        output: Any = UNSET,
        locations: Iterable[Location | str] | None = None,
    ) -> None:
        """Change what is given; the rest stays."""
        given: dict[str, Any] = {} if title is None else {"title": title}
        if locations is not None:
            given["locations"] = absolute_places(locations, self._cwd)
        if input is not UNSET:
            given["raw_input"] = input
        self._check()
        self._whole = replace(self._whole, **given)
        await self._emit(ToolCallChanged(self.id, raw_output=output, **given))

    async def ask(
        self,
        title: str | None = None,
        *,
        options: tuple[PermissionOption, ...] = ALLOW_OR_REJECT,
        description: str | None = None,
    ) -> Decision:
        """Ask the user whether it may run; the decision is true only if it was clearly allowed.

        The call is `in_progress` afterwards when allowed, and ends as `failed` when not.
        """
        self._check()
        whole = replace(self._whole, content=tuple(self._content) or UNSET)
        asked = title or str(self._whole.title)
        question = PermissionQuestion(asked, options, ToolCallSubject(whole), description)
        decision = decide(options, await self._outlet().ask(self._session_id, question))
        self._refused = not decision.allowed
        if decision.allowed:
            await self.start()
        return decision

    async def _report(self, event: Event) -> None:
        self._check()
        await self._emit(event)

    async def _emit(self, event: Event) -> None:
        out = self._outlet()
        out.emit(self._session_id, event)
        if out.blocked:
            await out.drain()

    def _check(self) -> None:
        if not self._entered:
            raise LocalProtocolError(
                f"the tool call `{self._whole.title}` has not begun\nhint: `async with` begins it"
            )
        if self._ended:
            raise LocalProtocolError(f"the tool call `{self._whole.title}` has ended")


def absolute_places(places: Iterable[Location | str], cwd: str) -> tuple[Location, ...]:
    """V1-SES-08, V1-TC-10: the paths of locations are absolute."""
    found = (Location(place) if isinstance(place, str) else place for place in places)
    return tuple(replace(place, path=os.path.join(cwd, place.path)) for place in found)
