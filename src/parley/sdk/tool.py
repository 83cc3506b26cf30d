"""A tool call as its author handles it."""

from collections.abc import Awaitable, Callable, Iterable
from types import TracebackType
from typing import Any, Self

from msgspec import UNSET

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
from parley.session.event import Event, ToolCallChanged, ToolContentAdded, ToolKind
from parley.session.question import (
    Decision,
    PermissionOption,
    PermissionQuestion,
    ToolCallSubject,
    decide,
)
from parley.session.role import ClientRole

ALLOW_OR_REJECT = (
    PermissionOption("allow_once", "Allow", "allow_once"),
    PermissionOption("allow_always", "Always allow", "allow_always"),
    PermissionOption("reject_once", "Reject", "reject_once"),
    PermissionOption("reject_always", "Always reject", "reject_always"),
)
"""The usual four. The ids mean nothing; the kinds decide."""


class ToolCall:
    """Use it as a context manager.

    Entering reports the call. Leaving ends it: `completed`, or `failed` after an error, after
    `fail()` or after a refused permission, or `cancelled` when the turn was.
    """

    def __init__(
        self,
        emit: Callable[[Event], Awaitable[None]],
        client: ClientRole,
        session_id: str,
        id: str,
        *,
        title: str,
        kind: ToolKind,
        name: str | None,
        input: Any,
        locations: tuple[Location, ...],
    ) -> None:
        self._emit = emit
        self._client = client
        self._session_id = session_id
        self._title = title
        self._kind: ToolKind = kind
        self._name = name
        self._input = input
        self._locations = locations
        self._content: list[ToolItem] = []
        self._ended = False
        self._failed = False
        self.id = id

    async def __aenter__(self) -> Self:
        await self._emit(self._whole(status="pending"))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._ended:
            return
        if kind is None:
            await self.end("failed" if self._failed else "completed")
        else:
            # Not awaited to the end when cancelled: the event is out before anything can wait.
            cancelled = not issubclass(kind, Exception)
            self._ended = True
            status = "cancelled" if cancelled else "failed"
            self._client.emit(self._session_id, ToolCallChanged(self.id, status=status))

    async def start(self) -> None:
        """It runs now, after whatever it waited for."""
        await self._emit(ToolCallChanged(self.id, status="in_progress"))

    async def end(self, status: str, *, output: Any = UNSET) -> None:
        """End it before the block does, with a final status and perhaps its raw output."""
        self._ended = True
        await self._emit(ToolCallChanged(self.id, status=status, raw_output=output))

    async def fail(self, text: str) -> None:
        """End it as failed, with the reason as its last content."""
        await self.text(text)
        await self.end("failed")

    async def text(self, text: str) -> None:
        await self.add(ContentItem(Text(text)))

    async def content(self, block: Block) -> None:
        await self.add(ContentItem(block))

    async def diff(self, path: str, old: str | None, new: str | None) -> None:
        """Show a change of a file: `old` is `None` for a new one, `new` for a deleted one."""
        operation = "add" if old is None else "delete" if new is None else "modify"
        await self.add(DiffItem((FileChange(operation, path, old_text=old, new_text=new),)))

    async def terminal(self, id: str) -> None:
        """Show a terminal inside the call."""
        await self.add(TerminalItem(id))

    async def add(self, item: ToolItem) -> None:
        self._content.append(item)
        await self._emit(ToolContentAdded(self.id, item))

    async def update(
        self,
        *,
        title: str | None = None,
        input: Any = UNSET,
        output: Any = UNSET,
        locations: Iterable[Location] | None = None,
        cancellable: bool | None = None,
    ) -> None:
        """Change what is given; the rest stays."""
        if title is not None:
            self._title = title
        if input is not UNSET:
            self._input = input
        if locations is not None:
            self._locations = tuple(locations)
        await self._emit(
            ToolCallChanged(
                self.id,
                title=UNSET if title is None else title,
                raw_input=input,
                raw_output=output,
                locations=UNSET if locations is None else self._locations,
                cancellable=UNSET if cancellable is None else cancellable,
            )
        )

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
        question = PermissionQuestion(
            title or self._title, options, ToolCallSubject(self._whole()), description
        )
        answer = await self._client.ask(self._session_id, question)
        decision = decide(options, answer)
        if decision.allowed:
            await self.start()
        else:
            self._failed = True
        return decision

    def _whole(self, status: Any = UNSET) -> ToolCallChanged:
        return ToolCallChanged(
            self.id,
            title=self._title,
            name=self._name or UNSET,
            kind=self._kind,
            status=status,
            content=tuple(self._content) or UNSET,
            locations=self._locations or UNSET,
            raw_input=self._input,
        )
