"""A project is looked at once, and nothing of it is used before it is trusted."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from parley.coder.trust import project as project_module
from parley.coder.trust.book import TrustBook
from parley.coder.trust.content import Content
from parley.coder.trust.project import Brought, Look, Project, Waiting, notice_of

A = Content("MCP server", "a", "/project", ".mcp.json", "one", "one")
B = replace(A, kind="skill", name="b")


class Plain:
    """A source whose content the test chooses."""

    def __init__(self, *contents: Content, problems: tuple[str, ...] = ()) -> None:
        self.contents = contents
        self.problems = problems
        self.adopted: list[tuple[Content, ...]] = []

    def found(self) -> Brought:
        return Brought(self.contents, self.problems)

    def adopt(self, contents: Sequence[Content]) -> Sequence[Content]:
        self.adopted.append(tuple(contents))
        return [content for content in contents if content.digest == "one"]


def play(scenario: Callable[[], Coroutine[None, None, None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(5):
            await scenario()

    asyncio.run(bounded())


def test_untrusted_content_is_named_and_not_used(tmp_path: Path) -> None:
    async def scenario() -> None:
        said: list[str] = []
        source = Plain(A, B, problems=("A problem.",))
        project = Project(TrustBook(tmp_path), [source], said.append)
        project.start()
        await project.settled()
        await asyncio.sleep(0)
        assert source.adopted == [()]
        assert said[0] == "A problem."
        assert "the MCP server `a`, the skill `b`. Nothing of it is used" in said[1]
        assert "`/trust`" in said[1]
        await project.aclose()

    play(scenario)


def test_trusted_content_is_used_without_a_word(tmp_path: Path) -> None:
    async def scenario() -> None:
        said: list[str] = []
        TrustBook(tmp_path).add([A])
        source = Plain(A)
        project = Project(TrustBook(tmp_path), [source], said.append)
        project.start()
        await project.settled()
        await project.aclose()
        assert (source.adopted, said) == ([(A,)], [])

    play(scenario)


def test_an_agreement_holds_from_the_next_look_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        source, other = Plain(A), Plain(B)
        project = Project(TrustBook(tmp_path), [source, other], print)
        assert await project.look() == Look((Waiting(A, False), Waiting(B, False)))
        await project.agree([A])
        assert await project.look() == Look((Waiting(B, False),), (A,))
        source.contents = (replace(A, digest="two"),)
        assert (await project.look()).waiting[0] == Waiting(source.contents[0], True)
        assert source.adopted == [(), (A,), ()]
        await project.agree(source.contents)
        assert await project.look() == Look((Waiting(B, False),), source.contents, source.contents)
        assert await project.forget("/project") == 1

    play(scenario)


def test_a_look_that_takes_long_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        monkeypatch.setattr(project_module, "PATIENCE", 0.01)
        await Project(TrustBook(tmp_path), [], print).settled()

    play(scenario)


def test_a_change_is_named_and_a_long_list_is_cut() -> None:
    said = notice_of([Waiting(replace(A, name=f"a{n}\x1b"), n == 0) for n in range(12)])
    assert "`a0\\u001b` (changed since you trusted it), the MCP server `a1\\u001b`" in said
    assert "`a9\\u001b` and 2 more." in said
