"""Whole runs against agents in this process: what is shown, and how they end."""

import asyncio
import errno
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

import parley
from parley.errors import AuthRequired, ConnectionLost, RpcError
from parley.frontend.headless.context import Context, Image
from parley.frontend.headless.exit_code import ExitCode
from parley.frontend.headless.final_output import FinalOutput
from parley.frontend.headless.rules import Rules
from parley.frontend.headless.runner import Run
from parley.session.event import Cost, NoticeGiven, UsageChanged
from tests.frontend.headless.staging import PairLink, Person, Played, json_play, play, silent_agent


def talking(reason: str = "end_turn", text: str = "hello") -> parley.Agent:
    agent = parley.Agent("talking", "1")

    @agent.prompt
    async def answer(turn: parley.Turn) -> parley.Ending:
        await turn.say(text)
        return parley.Ending(reason)

    return agent


def asking(kind: str = "edit") -> parley.Agent:
    """Asks for a permission, and says what came of it."""
    agent = parley.Agent("asking")

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        await turn.say("let me see")
        async with turn.tool("Change a.py", kind=kind) as call:
            allowed = await call.ask()
        await turn.say("allowed" if allowed else "refused")

    return agent


class Waiting(parley.Agent):
    """Never ends a turn by itself."""

    def __init__(self) -> None:
        super().__init__("waiting")
        self.begun = asyncio.Event()
        self.prompt(self._answer)

    async def _answer(self, turn: parley.Turn) -> None:
        await turn.say("wait")
        self.begun.set()
        await asyncio.Event().wait()


@pytest.mark.parametrize("version", [1, 2])
def test_what_is_said_is_shown_in_both_versions(version: int) -> None:
    played = play(talking(), version=version)
    assert (played.code, played.out) == (ExitCode.DONE, "hello\n")


@pytest.mark.parametrize(
    ("reason", "code"),
    [("refusal", 3), ("max_tokens", 4), ("max_turn_requests", 4), ("cancelled", 5)],
)
def test_how_a_turn_ends_is_the_exit_status(reason: str, code: int) -> None:
    played = play(talking(reason))
    assert (played.code, played.out) == (code, "hello\n")
    assert played.err


def test_a_reason_nobody_knows_is_no_success() -> None:
    played = play(talking("_new_reason"), version=2)
    assert (played.code, played.out) == (ExitCode.FAILED, "hello\n")
    assert "a reason that is not known here: _new_reason" in played.err


def test_several_prompts_are_turns_of_one_session_until_one_fails() -> None:
    said: list[tuple[str, str]] = []
    agent = parley.Agent("counting")

    @agent.prompt
    async def answer(turn: parley.Turn) -> parley.Ending:
        said.append((turn.session.id, turn.text))
        await turn.say(turn.text.upper())
        return parley.Ending("refusal" if turn.text == "two" else "end_turn")

    played = play(agent, "one", "two", "three")
    assert (played.code, played.out) == (3, "ONE\nTWO\n")
    assert len({id_ for id_, _ in said}) == 1


def test_only_the_first_prompt_has_the_context() -> None:
    sizes: list[int] = []
    agent = parley.Agent("sizing")

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        sizes.append(len(turn.prompt))

    assert play(agent, "one", "two", context=Context(stdin="x")).code == 0
    assert sizes == [2, 1]


def test_an_agent_without_images_gets_none_and_the_user_is_told() -> None:
    played = play(silent_agent(), context=Context(images=(Image("AA==", "image/png"),)))
    assert played.code == ExitCode.USAGE
    assert "does not take images" in played.err


def test_a_permission_that_nobody_gives_is_refused_and_the_status_says_so() -> None:
    played = play(asking())
    assert (played.code, played.out) == (ExitCode.DENIED, "let me see\nrefused\n")
    assert "✗ refused (no rule allows it and nobody can be asked; --allow" in played.err


def test_a_rule_or_a_person_gives_it() -> None:
    assert play(asking(), rules=Rules(otherwise="allow")).out == "let me see\nallowed\n"
    played = play(asking(), person=Person("a"))
    assert (played.code, played.out) == (ExitCode.DONE, "let me see\nallowed\n")
    assert "✓ Change a.py" in played.err


def test_what_a_person_refuses_is_done_as_the_person_wanted() -> None:
    assert play(asking(), person=Person("r")).code == ExitCode.DONE


def test_the_answer_alone_is_what_comes_last() -> None:
    assert play(asking(), output=FinalOutput, rules=Rules(otherwise="allow")).out == "allowed\n"


def test_events_tell_the_whole_story_and_end_with_the_result() -> None:
    code, lines = json_play(asking(), rules=Rules(otherwise="refuse"))
    kinds = [line["event"] for line in lines]
    assert kinds[0] == "session_opened"
    assert kinds[-2:] == ["turn_ended", "result"]
    assert {"chunk_added", "tool_call_changed", "permission_answered", "state_changed"} <= {*kinds}
    assert lines[-1]["exitCode"] == code == 6
    assert lines[-1]["refusedPermissions"] == 1
    assert all(line["sessionId"] == lines[0]["sessionId"] for line in lines)


def test_a_turn_that_fails_says_why() -> None:
    agent = parley.Agent("failing")

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        raise RpcError(-32050, "the model is on fire")

    played = play(agent)
    assert played.code == ExitCode.FAILED
    assert "the agent could not go on: the model is on fire" in played.err


def test_a_login_that_is_missing_is_named() -> None:
    agent = silent_agent()

    @agent.new_session
    async def refuse(session: parley.Session) -> None:
        raise AuthRequired

    played = play(agent)
    assert played.code == ExitCode.NO_AGENT
    assert "wants a login first" in played.err


def test_notices_before_the_first_turn_are_shown() -> None:
    agent = parley.Agent("noticing")

    @agent.new_session
    async def begin(session: parley.Session) -> None:
        await session.emit(NoticeGiven("at the start"))

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        await turn.say("hello")

    assert "info: at the start" in play(agent).err


def test_what_comes_behind_the_end_of_a_turn_is_shown_too() -> None:
    agent = parley.Agent("late")
    told = asyncio.Event()
    working: list[asyncio.Future[None]] = []

    async def tell(session: parley.Session) -> None:
        await session.emit(NoticeGiven("late news"))
        told.set()

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        await turn.say(turn.text)
        if turn.text == "first":
            loop = asyncio.get_running_loop()
            loop.call_soon(lambda: working.append(asyncio.ensure_future(tell(turn.session))))
        else:
            await told.wait()

    played = play(agent, "first", "second")
    assert (played.out, played.err) == ("first\nsecond\n", "info: late news\n")


def test_a_flood_of_text_comes_out_whole() -> None:
    agent = parley.Agent("flooding")

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        for _ in range(5):
            await turn.say("x" * 200_000)

    assert play(agent).out == "x" * 1_000_000 + "\n"


def test_the_result_has_the_usage_of_the_session() -> None:
    agent = parley.Agent("spending")

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        await turn.emit(UsageChanged(10, 100, Cost(0.5, "USD")))

    _, lines = json_play(agent)
    assert lines[-1]["context"] == {"used": 10, "size": 100, "cost": 0.5, "currency": "USD"}


def test_input_is_given_by_options() -> None:
    agent = parley.Agent("form")

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        values = await turn.form("Who?", {**schema, "required": ["name"]})
        await turn.say(str(values))

    assert play(agent, answers={"name": "Ada"}).out == "{'name': 'Ada'}\n"
    assert play(agent).out == "None\n"


def test_a_timeout_cancels_the_turn_properly() -> None:
    played = play(Waiting(), timeout=1)
    assert (played.code, played.out) == (ExitCode.CANCELLED, "wait\n")
    assert "cancelled after 1 s (--timeout)" in played.err


class DeafLink(PairLink):
    """An agent that does not hear that it is to end its turn."""

    def __init__(self) -> None:
        self.agent = Waiting()
        super().__init__(self.agent)

    @asynccontextmanager
    async def connect(self, client: parley.Client) -> AsyncGenerator[parley.AgentConnection]:
        async def nothing(session_id: str) -> None:
            pass

        async with super().connect(client) as agent:
            agent._line.agent.cancel = nothing
            yield agent


def test_an_agent_that_ignores_the_cancellation_is_left() -> None:
    link = DeafLink()
    played = signalled(link, link.agent, signal.SIGTERM, grace=0.1)
    assert played.code == ExitCode.TERMINATED
    assert "did not end the turn within 0.1 s" in played.err


class LateLink(PairLink):
    """An agent that never introduces itself."""

    def __init__(self) -> None:
        super().__init__(silent_agent())

    @asynccontextmanager
    async def connect(self, client: parley.Client) -> AsyncGenerator[parley.AgentConnection]:
        await asyncio.Event().wait()
        async with super().connect(client) as agent:
            yield agent


def test_a_timeout_before_the_first_prompt_leaves_at_once() -> None:
    assert play(LateLink(), timeout=0.1).code == ExitCode.CANCELLED


class BrokenLink(PairLink):
    def __init__(self) -> None:
        super().__init__(silent_agent())

    @asynccontextmanager
    async def connect(self, client: parley.Client) -> AsyncGenerator[parley.AgentConnection]:
        raise ConnectionLost("cannot start `x`: there is no program `x`")
        yield


def test_an_agent_that_does_not_start_has_its_own_status() -> None:
    code, lines = json_play(BrokenLink())
    assert code == ExitCode.NO_AGENT
    assert [line["event"] for line in lines] == ["failed", "result"]
    assert lines[0]["agent"] == "an-agent --acp"


def signalled(
    played: PairLink | parley.Agent, agent: Waiting, *numbers: signal.Signals, **more: Any
) -> Played:
    """Send signals once the turn runs."""

    async def meanwhile(run: Run) -> None:
        await agent.begun.wait()
        for number in numbers:
            os.kill(os.getpid(), number)
            await asyncio.sleep(0)

    return play(played, meanwhile=meanwhile, **more)


def test_the_first_ctrl_c_cancels_the_turn_and_says_so() -> None:
    agent = Waiting()
    played = signalled(agent, agent, signal.SIGINT)
    assert played.code == ExitCode.CANCELLED
    assert "Ctrl-C again leaves at once" in played.err


def test_the_second_ctrl_c_leaves() -> None:
    link = DeafLink()
    assert signalled(link, link.agent, signal.SIGINT, signal.SIGINT).code == ExitCode.LEFT


def test_other_signals_cancel_the_turn_and_leave() -> None:
    agent = Waiting()
    assert signalled(agent, agent, signal.SIGTERM).code == ExitCode.TERMINATED
    agent = Waiting()
    assert signalled(agent, agent, signal.SIGHUP).code == ExitCode.HUNG_UP


def test_ctrl_c_before_a_turn_leaves_at_once() -> None:
    async def meanwhile(run: Run) -> None:
        await asyncio.sleep(0)
        run.interrupt(signal.SIGINT)

    assert play(LateLink(), meanwhile=meanwhile).code == ExitCode.LEFT


@pytest.mark.parametrize(
    ("error", "code"),
    [(BrokenPipeError(), ExitCode.BROKEN_PIPE), (OSError(errno.ENOSPC, "full"), ExitCode.FAILED)],
)
def test_an_output_that_cannot_be_written_ends_the_turn(error: OSError, code: ExitCode) -> None:
    agent = Waiting()

    async def meanwhile(run: Run) -> None:
        await agent.begun.wait()
        run.output_broke(error)
        run.output_broke(error)

    assert play(agent, meanwhile=meanwhile).code == code
