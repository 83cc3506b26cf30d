"""Permission and cancelling: what holds for a session holds for its sub-agents."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parley.coder.calls import CANCELLED
from parley.coder.message import ToolResult
from parley.coder.permission.rule import parse_rules
from parley.coder.sandbox.sandbox import Sandbox
from parley.coder.settings import CoderSettings
from parley.coder.tools.bash import Bash
from parley.coder.tools.tool import Outcome, Progress
from parley.session.event import PARENT_CALL
from parley.session.question import (
    Dismissed,
    PermissionAnswer,
    PermissionQuestion,
    ToolCallSubject,
)
from tests.coder.sandbox.test_sandbox import nothing
from tests.coder.stage import BOUND, Gate, SmallTool, Watcher, answered, calls, choosing, says
from tests.coder.subagents.stage import agent, call, cast_stage, notices, played, shown, told

ASK = CoderSettings(mode="ask")
WRITER = calls(agent("a1", "write", tools="full"))
WRITE = (calls(call("w1", "put", n=1)), says("written"))


class Hesitant(Watcher):
    """Says at once whether there may be sub-agents, and waits with everything else."""

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        if question.title.startswith("Agent: "):
            return self.answer(question)
        return await super().ask(session_id, question)


def _put() -> SmallTool:
    return SmallTool("put", "write", answered)


def test_the_call_that_starts_it_is_asked_for_with_the_whole_task(tmp_path: Path) -> None:
    async def scenario() -> None:
        client = Watcher(choosing("reject_once"))
        parts = played(go=(WRITER, says("ok")))
        async with cast_stage(tmp_path, _put(), settings=ASK, client=client, parts=parts) as (s, c):
            await s.say()
            (question,) = client.questions
            assert question.title == "Agent: Write"
            assert question.description == (
                "Start a sub-agent that may use `put`, for this task:\nwrite\n"
                "A sub-agent asks for its calls as usual."
            )
            assert c.results()[0].text == "Permission denied. This call was refused."

    asyncio.run(scenario())


def test_a_question_of_a_sub_agent_names_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        client = Watcher(choosing("allow_once"))
        parts = played(go=(WRITER, says("ok")), write=WRITE)
        async with cast_stage(tmp_path, _put(), settings=ASK, client=client, parts=parts) as (s, _):
            await s.say()
            _, question = client.questions
            assert question.title == "Write: Do put"
            assert question.description is not None
            assert question.description.startswith("The sub-agent `Write` asks.\nWrite /")
            assert isinstance(question.subject, ToolCallSubject)
            assert question.subject.tool_call.title == "Write: Do put"
            assert question.subject.tool_call.meta == {PARENT_CALL: "a1"}

    asyncio.run(scenario())


def test_a_refusal_is_a_result_for_the_sub_agent_and_it_goes_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        def answer(question: PermissionQuestion) -> PermissionAnswer:
            mine = question.title.startswith("Agent")
            return choosing("allow_once" if mine else "reject_once")(question)

        put = _put()
        parts = played(go=(WRITER, says("ok")), write=WRITE)
        async with cast_stage(tmp_path, put, settings=ASK, client=Watcher(answer), parts=parts) as (
            s,
            cast,
        ):
            await s.say()
            assert put.ran == []
            assert cast.results("write")[0].text.startswith("Permission denied.")
            assert cast.results()[0].text == "written"

    asyncio.run(scenario())


def test_who_closes_the_question_of_a_sub_agent_stops_that_one_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        def answer(question: PermissionQuestion) -> PermissionAnswer:
            closed = question.title.startswith("Write: ")
            return Dismissed() if closed else choosing("allow_once")(question)

        put = _put()
        start = calls(agent("a1", "write", tools="full"), agent("a2", "other", tools="full"))
        other = (calls(call("w2", "put", n=2)), says("fine"))
        parts = played(go=(start, says("ok")), write=WRITE, other=other)
        async with cast_stage(tmp_path, put, settings=ASK, client=Watcher(answer), parts=parts) as (
            s,
            cast,
        ):
            assert (await s.say()).stop_reason == "end_turn"
            assert put.ran == [{"n": 2}]
            assert cast.results() == (
                ToolResult("a1", "agent", CANCELLED, is_error=True),
                ToolResult("a2", "agent", "fine"),
            )
            assert sorted(shown(s)) == [
                ("Agent: Other", "completed"),
                ("Agent: Write", "cancelled"),
                ("Other: Do put", "completed"),
                ("Write: Do put", "failed"),
            ]

    asyncio.run(scenario())


def test_answers_for_the_session_hold_for_all_of_them(tmp_path: Path) -> None:
    async def scenario() -> None:
        client = Watcher(choosing("allow_always"))
        start = calls(*(agent(f"a{n}", f"w{n}", tools="full") for n in (1, 2)))
        own = calls(call("own", "put", n=0))
        put = _put()
        parts = played(
            go=(start, own, says("ok")),
            w1=(calls(call("c", "put", n=1)), says("ok")),
            w2=(calls(call("c", "put", n=2)), says("ok")),
        )
        async with cast_stage(tmp_path, put, settings=ASK, client=client, parts=parts) as (s, _):
            await s.say()
            assert len(put.ran) == 3
            assert len(client.questions) == 2
            history = s.application.sessions.get(s.session_id).history
            assert [each.tool for each in history.remembered] == ["agent", "put"]

    asyncio.run(scenario())


def test_rules_of_the_user_hold_for_them(tmp_path: Path) -> None:
    async def scenario() -> None:
        put = _put()
        parts = played(go=(WRITER, says("ok")), write=WRITE)
        async with cast_stage(tmp_path, put, parts=parts) as (s, cast):
            s.runtime.rules = tuple(parse_rules("deny put"))
            await s.say()
            assert put.ran == []
            assert "The rule `deny put` denies this." in cast.results("write")[0].text

    asyncio.run(scenario())


def test_where_nothing_confines_commands_it_is_said_once_and_they_are_asked_for(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        start = calls(*(agent(f"a{n}", f"w{n}", tools="full") for n in (1, 2)))
        work = (calls(call("c", "bash", command="ls")), says("ok"))
        parts = played(go=(start, says("ok")), w1=work, w2=work)
        client = Watcher(choosing("allow_once"))
        async with cast_stage(tmp_path, Bash(), client=client, parts=parts) as (s, _):
            s.runtime.sandbox = Sandbox("auto", mechanisms=nothing)
            await s.new()
            await s.say()
            assert len(client.questions) == 2
            (notice,) = notices(s)
            assert notice.endswith(
                ": No sandbox works on this machine, so you are asked about every command."
            )

    asyncio.run(scenario())


def test_plan_mode_starts_only_those_that_read(tmp_path: Path) -> None:
    async def scenario() -> None:
        look = SmallTool("look", "read", answered)
        start = calls(agent("a1", "write", tools="full"), agent("a2", "read"))
        parts = played(go=(start, says("ok")), read=(calls(call("c", "look")), says("seen")))
        client = Watcher(choosing("allow_once"))
        plan = CoderSettings(mode="plan")
        async with cast_stage(
            tmp_path, look, _put(), settings=plan, client=client, parts=parts
        ) as (s, cast):
            await s.say()
            first, second = cast.results()
            assert first.text.startswith(
                "Permission denied. Plan mode only reads: start the sub-agent with the tools `read`"
            )
            assert second.text == "seen"

    asyncio.run(scenario())


def test_a_mode_that_is_chosen_meanwhile_holds_at_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate, put = Gate(), _put()
        write = ([gate, *calls(call("w1", "put", n=1))], says("ok"))
        parts = played(go=(WRITER, says("ok")), write=write)
        async with cast_stage(tmp_path, put, parts=parts) as (s, cast), asyncio.TaskGroup() as g:
            turn = g.create_task(s.say())
            async with asyncio.timeout(BOUND):
                await gate.reached.wait()
            await s.application.set_option(s.session_id, "mode", "plan")
            gate.opened.set()
            await turn
            assert put.ran == []
            assert "Plan mode only reads" in cast.results("write")[0].text

    asyncio.run(scenario())


@pytest.mark.parametrize("where", ["streaming", "in a call", "asked"])
def test_cancelling_the_turn_ends_all_of_them(tmp_path: Path, where: str) -> None:
    async def scenario() -> None:
        gate = Gate()

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            await gate.passed()
            return Outcome("done")

        begun = calls(call("c", "put"))
        write = ([*begun[:-1], gate, begun[-1]],) if where == "streaming" else (begun,)
        start = calls(*(agent(f"a{n}", f"w{n}", tools="full") for n in (1, 2)))
        parts = played(go=(start,), w1=write, w2=write)
        client = Hesitant(choosing("allow_once"), gate)
        settings = CoderSettings(mode="ask" if where == "asked" else "full-access")
        put = SmallTool("put", "write", work)
        async with cast_stage(tmp_path, put, settings=settings, client=client, parts=parts) as (
            s,
            _,
        ):
            await s.cancelled_at(gate.reached)
            assert set(dict(shown(s)).values()) == {"cancelled"}
            history = s.application.sessions.get(s.session_id).history
            assert history.open_calls == {}
            assert history.turn is None

    asyncio.run(scenario())


def test_one_of_them_can_be_cancelled_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            await gate.passed()
            return Outcome("done")

        look = SmallTool("look", "read", work)
        start = calls(agent("a1", "slow"), agent("a2", "quick"))
        slow = (calls(call("c", "look")),)
        parts = played(go=(start, says("ok")), slow=slow, quick=(says("fine"),))
        async with cast_stage(tmp_path, look, parts=parts) as (s, c), asyncio.TaskGroup() as g:
            turn = g.create_task(s.say())
            async with asyncio.timeout(BOUND):
                await gate.reached.wait()
                await s.client.until(lambda: told(s, "a2").get("status") == "completed")
            await s.application.cancel_tool_call(s.session_id, "a1")
            assert (await turn).stop_reason == "end_turn"
            assert [result.text for result in c.results()] == [CANCELLED, "fine"]
            assert told(s, "c")["status"] == "cancelled"
            assert s.application.sessions.get(s.session_id).stops == {}

    asyncio.run(scenario())


def test_one_call_of_a_sub_agent_can_be_cancelled_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            await gate.passed()
            return Outcome("done")

        look = SmallTool("look", "read", work)
        slow = (calls(call("c", "look")), says("went on"))
        parts = played(go=(calls(agent("a1", "slow")), says("ok")), slow=slow)
        async with cast_stage(tmp_path, look, parts=parts) as (s, c), asyncio.TaskGroup() as g:
            turn = g.create_task(s.say())
            async with asyncio.timeout(BOUND):
                await gate.reached.wait()
            await s.application.cancel_tool_call(s.session_id, "c")
            await turn
            assert c.results()[0].text == "went on"

    asyncio.run(scenario())
