"""The sub-agents of a session: how many at once, what each may use, what tells them apart."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.settings import CoderSettings, SubagentLimits
from parley.coder.tools.job import BashOutput, StopJob
from parley.coder.tools.recall import Recall
from parley.coder.tools.tool import Outcome, Progress
from tests.coder.stage import BOUND, SmallTool, answered, calls, says
from tests.coder.subagents.stage import agent, call, cast_stage, played, shown

LOOK = SmallTool("look", "read", answered)
PUT = SmallTool("put", "write", answered)
PLAN = SmallTool("todo", "read", answered)
OUTPUT = BashOutput()
STOP = StopJob()
RECALL = Recall()


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ("read", ["look", "recall"]),
        ("full", ["look", "put", "bash_output", "stop_job", "recall"]),
        ("put", ["put", "recall"]),
        ("read, bash_output", ["look", "recall", "bash_output"]),
        ("`put`, read", ["put", "look", "recall"]),
    ],
)
def test_a_word_stands_for_tools(tmp_path: Path, wanted: str, names: list[str]) -> None:
    async def scenario() -> None:
        tools = (LOOK, PUT, PLAN, OUTPUT, STOP, RECALL)
        async with cast_stage(tmp_path, *tools, parts={}) as (s, _):
            crew = s.application.sessions.get(s.session_id).desk.crew
            assert crew is not None
            assert list(crew.equipment(wanted)) == names

    asyncio.run(scenario())


@pytest.mark.parametrize("wanted", ["agent", "todo", "fly", "look, fly", ",", "full, look"])
def test_what_sub_agents_cannot_have_is_refused(tmp_path: Path, wanted: str) -> None:
    async def scenario() -> None:
        async with cast_stage(tmp_path, LOOK, PUT, PLAN, STOP, RECALL, parts={}) as (s, _):
            crew = s.application.sessions.get(s.session_id).desk.crew
            assert crew is not None
            with pytest.raises(ToolError, match="`read`, `full`"):
                crew.equipment(wanted)

    asyncio.run(scenario())


def test_neighbouring_sub_agents_run_together_and_no_more_than_the_limit(tmp_path: Path) -> None:
    async def scenario() -> None:
        barrier = asyncio.Barrier(2)
        running, most = 0, 0

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            nonlocal running, most
            running += 1
            most = max(most, running)
            # Nobody passes alone.
            async with asyncio.timeout(BOUND):
                await barrier.wait()
            running -= 1
            return Outcome("done")

        parts = {
            f"p{n}": (calls(call("c", "look", n=n)), says(f"report {n}")) for n in (1, 2, 3, 4)
        }
        made = calls(*(agent(f"a{n}", f"p{n}") for n in (1, 2, 3, 4)))
        settings = CoderSettings(mode="full-access", subagents=SubagentLimits(at_once=2))
        look = SmallTool("look", "read", work)
        async with cast_stage(
            tmp_path, look, settings=settings, parts=played(go=(made, says("ok")), **parts)
        ) as (s, cast):
            await s.say()
            assert most == 2
            assert [r.text for r in cast.results()] == [f"report {n}" for n in (1, 2, 3, 4)]

    asyncio.run(scenario())


def test_a_call_between_sub_agents_runs_between_them(tmp_path: Path) -> None:
    async def scenario() -> None:
        done: list[str] = []

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            done.append(arguments["n"])
            return Outcome("done")

        look, put = SmallTool("look", "read", work), SmallTool("put", "write", work)
        made = calls(agent("a1", "p1"), call("w", "put", n="own"), agent("a2", "p2"))
        parts = {f"p{n}": (calls(call("c", "look", n=f"p{n}")), says("ok")) for n in (1, 2)}
        async with cast_stage(
            tmp_path, look, put, parts=played(go=(made, says("ok")), **parts)
        ) as (s, _):
            await s.say()
            assert done == ["p1", "own", "p2"]

    asyncio.run(scenario())


def test_two_with_one_description_are_told_apart(tmp_path: Path) -> None:
    async def scenario() -> None:
        made = calls(*(agent(f"a{n}", f"p{n}", description="Look") for n in (1, 2)))
        look = SmallTool("look", "read", answered)
        parts = {f"p{n}": (calls(call("c", "look")), says("ok")) for n in (1, 2)}
        async with cast_stage(tmp_path, look, parts=played(go=(made, says("ok")), **parts)) as (
            s,
            _,
        ):
            await s.say()
            assert sorted(shown(s)) == [
                ("Agent: Look", "completed"),
                ("Agent: Look (2)", "completed"),
                ("Look (2): Do look", "completed"),
                ("Look: Do look", "completed"),
            ]

    asyncio.run(scenario())
