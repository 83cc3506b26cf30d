"""The rounds of a model: what ends them, and what becomes of calls in an answer that is cut off."""

import asyncio
from pathlib import Path

import pytest

from parley.coder.message import CallPart, TextPart, ToolMessage, UserMessage
from parley.coder.providers.provider import StopCause
from parley.coder.rounds import Stop, rounds
from parley.coder.store.entry import Said
from parley.coder.turn import Turn
from tests.coder.stage import SmallTool, answered, calls, says, staged

LOOK = CallPart("c1", "look_up", {"n": 7})
ASKED = Said(UserMessage((TextPart("go"),)))


def test_the_model_works_until_it_calls_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = SmallTool("look_up", "read", answered)
        async with staged(tmp_path, calls(LOOK), says("ok"), tools=(tool,)) as s:
            session = s.application.sessions.get(s.session_id)
            session.append(ASKED)
            assert await rounds(session, Turn(session), lambda: "") == Stop("end_turn")
            assert session.tally.requests == 2
            assert len(tool.ran) == 1

    asyncio.run(scenario())


def test_a_limit_ends_the_rounds_and_is_named(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = SmallTool("look_up", "read", answered)
        async with staged(tmp_path, calls(LOOK), says("ok"), tools=(tool,)) as s:
            session = s.application.sessions.get(s.session_id)
            session.append(ASKED)
            stop = await rounds(session, Turn(session), lambda: "enough" if tool.ran else "")
            assert stop == Stop("max_turn_requests", "enough")
            assert len(s.provider.requests) == 1

    asyncio.run(scenario())


@pytest.mark.parametrize("cause", ["max_tokens", "refusal"])
def test_calls_of_an_answer_that_is_cut_off_do_not_run(tmp_path: Path, cause: StopCause) -> None:
    async def scenario() -> None:
        tool = SmallTool("look_up", "read", answered)
        async with staged(tmp_path, calls(LOOK, cause=cause), tools=(tool,)) as s:
            session = s.application.sessions.get(s.session_id)
            session.append(ASKED)
            assert await rounds(session, Turn(session), lambda: "") == Stop(cause)
            last = session.history.conversation()[-1]
            assert isinstance(last, ToolMessage)
            assert last.results[0].text.startswith("The call was not run: ")
            assert tool.ran == []

    asyncio.run(scenario())
