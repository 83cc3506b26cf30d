"""No file tool leaves the workspace, whichever way it is asked to."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.tools.grep import Grep
from parley.coder.tools.read_file import ReadFile
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress, Tool
from parley.session.event import ToolKind
from tests.coder.tools.file_desk import desk_on
from tests.coder.tools.witness import Witness, call
from tests.security.path_campaign import (
    CASES,
    CONFINED,
    FILES,
    FOLDERS,
    Case,
    races,
    refused_ways,
    seeming_ways,
)
from tests.security.ways_out import REFUSED, SECRET, SEEMING, Field

EVERY_TOOL = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
ROUNDS = 60


def test_there_are_enough_ways_out() -> None:
    assert len({*REFUSED, *SEEMING}) >= 280


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Field:
    """One tree for all tools: no call changes it, which is checked."""
    return Field(tmp_path_factory.mktemp("traps") / "field")


@EVERY_TOOL
def test_every_tool_refuses_every_way_out(case: Case, field: Field) -> None:
    assert refused_ways(case, field) == []


class _Careless:
    """Reads whatever it is asked for."""

    spec = ReadFile.spec
    kind: ToolKind = "read"
    category: Category = "read"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        async def run(progress: Progress) -> Outcome:
            try:
                file = os.open(
                    os.path.join(desk.workspace.roots[0], arguments["path"]),
                    os.O_RDONLY | os.O_NONBLOCK,
                )
                with os.fdopen(file, "rb", buffering=0) as source:
                    return Outcome(str(source.read(100)))
            except (OSError, ValueError) as error:
                raise ToolError(str(error)) from None

        return Prepared("", (), run)


def test_a_tool_without_a_guard_would_be_noticed(field: Field) -> None:
    assert len(refused_ways(Case(_Careless(), {}), field)) > 50


@pytest.mark.parametrize("case", FILES, ids=lambda case: case.name)
def test_no_tool_makes_an_editor_reach_outside(case: Case, field: Field, tmp_path: Path) -> None:
    assert refused_ways(case, field, editor=True) == []
    assert seeming_ways(case, tmp_path / "seeming", editor=True) == []


@EVERY_TOOL
def test_names_that_look_like_ways_out_are_names(case: Case, tmp_path: Path) -> None:
    assert seeming_ways(case, tmp_path / "seeming") == []


@EVERY_TOOL
def test_a_link_swapped_in_at_any_moment_leads_nowhere(case: Case, tmp_path: Path) -> None:
    failures, _ = races(case, tmp_path / "race", ROUNDS)
    assert failures == []


@EVERY_TOOL
def test_a_link_put_in_after_the_permission_leads_nowhere(case: Case, tmp_path: Path) -> None:
    field = Field(tmp_path / "field")
    (field.root / "work" / "deep").mkdir(parents=True)
    (field.root / "work" / "deep" / "secret").write_text("top secret of mine")
    desk = desk_on(field.root)
    arguments = case.arguments("work/deep" if case in FOLDERS else "work/deep/secret")

    async def scenario() -> str:
        await call(ReadFile(), desk, {"path": "work/deep/secret"})
        ready = await case.tool.prepare(arguments, desk)
        os.rename(field.root / "work", field.root / "moved")
        (field.root / "work").symlink_to(field.out)
        return (await ready.run(Witness())).text

    before = field.outside()
    try:
        told = asyncio.run(scenario())
    except ToolError as error:
        told = str(error)
    assert "somebody else" not in told
    assert "secret" not in told.replace("work/deep/secret", "").replace("top secret of mine", "")
    assert field.outside() == before


@pytest.mark.parametrize("case", CONFINED, ids=lambda case: case.name)
def test_no_tool_follows_links_that_it_comes_upon(case: Case, field: Field) -> None:
    told = _told(case.tool, field, **case.arguments("."))
    assert SECRET not in told
    assert "deep/secret" not in told


@pytest.mark.parametrize("glob", ["../out/*", "folder/*", "folder/**", "hard", "/etc/*"])
def test_no_glob_of_a_search_leads_out(glob: str, field: Field) -> None:
    for tool in (Grep(), Grep(lambda workspace, path: None)):
        told = _told(tool, field, pattern="secret", glob=glob)
        assert told == "No matches found" or "glob" in told


def _told(tool: Tool, field: Field, **arguments: object) -> str:
    try:
        return asyncio.run(asyncio.wait_for(call(tool, desk_on(field.root), arguments), 5)).text
    except ToolError as error:
        return str(error)
