"""What the project of one session brings along: looked at once it is open, used as far as trusted.

Nothing of it is used before the user has agreed to exactly that content; agreed and unchanged
content is used without a word. What kinds of content there are is the business of the sources.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from parley.coder.background import Background
from parley.coder.tools.title import one_line
from parley.coder.trust.book import TrustBook
from parley.coder.trust.content import Content

PATIENCE = 5.0
"""Seconds that the first request to the model waits for the look at the project."""
_MOST_NAMES = 10


class Brought(Struct, frozen=True):
    """What a source has found in a project."""

    contents: tuple[Content, ...] = ()
    problems: tuple[str, ...] = ()
    """What can neither be used nor be trusted, and why: sentences for a notice."""


class Source(Protocol):
    """One kind of content."""

    def found(self) -> Brought:
        """Look at the folder; in a thread. Nothing that lies there may make it fail or wait."""
        ...

    def adopt(self, contents: Sequence[Content]) -> Sequence[Content]:
        """Use what the last look has found and the user trusts; it may be in use already.

        Those that are in use now, since some may have to wait for the next session.
        """
        ...


class Waiting(Struct, frozen=True):
    """Content that the user has not agreed to."""

    content: Content
    changed: bool
    """Whether it was agreed to before it became this."""


class Look(Struct, frozen=True):
    """What a look at the project came to."""

    waiting: tuple[Waiting, ...] = ()
    trusted: tuple[Content, ...] = ()
    later: tuple[Content, ...] = ()
    """Those of the trusted ones that this session does not use."""
    problems: tuple[str, ...] = ()


class Project:
    def __init__(
        self, book: TrustBook, sources: Sequence[Source], notify: Callable[[str], None]
    ) -> None:
        self._book = book
        self._sources = tuple(sources)
        self._notify = notify
        self._background = Background()
        self._looked = asyncio.Event()
        self._looking = asyncio.Lock()

    def start(self) -> None:
        """Look at the project in the background, and tell the user what waits to be trusted."""
        self._background.start(self._first_look())

    async def settled(self) -> None:
        """Wait until the first look is over, though not for long."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._looked.wait()
        except TimeoutError:
            return

    async def look(self) -> Look:
        """Look at everything anew, and use what is trusted."""
        async with self._looking:
            waiting: list[Waiting] = []
            trusted: list[Content] = []
            later: list[Content] = []
            problems: list[str] = []
            for source in self._sources:
                found = await asyncio.to_thread(source.found)
                standings = await asyncio.to_thread(self._book.standing, found.contents)
                pairs = tuple(zip(found.contents, standings, strict=True))
                usable = [content for content, standing in pairs if standing == "trusted"]
                used = source.adopt(usable)
                trusted += usable
                later += [content for content in usable if content not in used]
                waiting += [Waiting(c, s == "changed") for c, s in pairs if s != "trusted"]
                problems += found.problems
            return Look(tuple(waiting), tuple(trusted), tuple(later), tuple(problems))

    async def agree(self, contents: Sequence[Content]) -> None:
        """The user trusts these; `look` will use them, if they still are what they were.

        Raises:
            TrustNotKept: it cannot be written down, and so it does not hold.
        """
        await asyncio.to_thread(self._book.add, contents)

    async def forget(self, root: str) -> int:
        """The user trusts nothing of the project in this folder any more; how much it was.

        Raises:
            TrustNotKept: it cannot be written down.
        """
        return await asyncio.to_thread(self._book.forget, root)

    async def aclose(self) -> None:
        await self._background.aclose()

    async def _first_look(self) -> None:
        try:
            look = await self.look()
        finally:
            self._looked.set()
        for problem in look.problems:
            self._notify(problem)
        if look.waiting:
            self._notify(notice_of(look.waiting))


def notice_of(waiting: Sequence[Waiting]) -> str:
    """What the user is told of content that is not used."""
    names = [_named(each) for each in waiting[:_MOST_NAMES]]
    more = f" and {len(waiting) - _MOST_NAMES} more" if len(waiting) > _MOST_NAMES else ""
    return (
        f"This project brings {', '.join(names)}{more}. Nothing of it is used before you trust it:"
        " type `/trust` to see it and to decide."
    )


def _named(waiting: Waiting) -> str:
    content = waiting.content
    changed = " (changed since you trusted it)" if waiting.changed else ""
    return f"the {content.kind} `{one_line(content.name, 40)}`{changed}"
