"""A loss is reported when something is lost, and not again when it is only sent once more."""

import asyncio
from contextlib import suppress
from typing import Any

from parley.errors import InternalError, RequestTimeout
from parley.protocol.settings import Loss, Settings
from parley.session.content import Location
from parley.session.event import ToolCallChanged, TurnUsage
from parley.session.option import Choice, Select
from parley.session.profile import AgentLogin
from parley.session.question import (
    Cancelled,
    FormQuestion,
    PermissionOption,
    PermissionQuestion,
    RequestScope,
    SessionScope,
    ToolCallSubject,
)
from parley.session.role import Ending, Prompt, SessionSetup
from tests.protocol.v2.roles import ScriptedAgent, ScriptedClient
from tests.protocol.v2.wire import BOUND, driven, served, text

HELLO = {"sessionId": "s1", "prompt": [text("hi")]}
CHANGE = ToolCallChanged("t", title="T", status="completed", locations=(Location("/a", -1),))
YES = PermissionOption("y", "Yes", "allow_once")


def _run(scenario: Any) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(BOUND):
            await scenario()

    asyncio.run(bounded())


def test_a_tool_call_that_is_asked_about_loses_once() -> None:
    lost: list[str] = []

    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        question = PermissionQuestion("T", (YES,), ToolCallSubject(CHANGE))
        agent.client.emit(session_id, CHANGE)
        for _ in range(2):
            await agent.client.ask(session_id, question)
        return Ending()

    async def scenario() -> None:
        settings = Settings(on_loss=lambda loss: lost.append(loss.what))
        async with served(ScriptedAgent(work), settings) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            for _ in range(2):
                request = await peer.requested("session/request_permission")
                assert request["params"]["subject"]["toolCall"]["locations"] == [{"path": "/a"}]
                peer.reply(request, {"outcome": {"outcome": "cancelled"}})
            await peer.state("idle")
            assert lost == ["location.line"]

    _run(scenario)


def test_an_answer_nobody_knows_is_reported() -> None:
    lost: list[tuple[str, str | None]] = []
    form = {"type": "object", "properties": {}}

    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        for scope in (SessionScope(session_id), RequestScope(5)):
            assert await agent.client.elicit(FormQuestion("Who?", form, scope)) == Cancelled()
        return Ending()

    async def scenario() -> None:
        settings = Settings(on_loss=lambda loss: lost.append((loss.what, loss.session_id)))
        async with served(ScriptedAgent(work), settings) as peer:
            form_only = {"capabilities": {"elicitation": {"form": {}}}}
            await peer.initialize(**form_only)
            await peer.call("session/new", {"cwd": "/w"})
            peer.ask("session/prompt", HELLO)
            for _ in range(2):
                peer.reply(await peer.requested("elicitation/create"), {"action": "_shrug"})
            await peer.state("idle")
            assert lost == [("elicitation.action", "s1"), ("elicitation.action", None)]

    _run(scenario)


def _refuse(loss: Loss) -> None:
    raise InternalError(f"not without `{loss.what}`")


def test_a_turn_whose_end_cannot_be_told_ends_with_an_error() -> None:
    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        return Ending(usage=TurnUsage(2, 1, 1))

    async def scenario() -> None:
        async with served(ScriptedAgent(work), Settings(on_loss=_refuse)) as peer:
            await peer.open()
            for _ in range(2):
                peer.ask("session/prompt", HELLO)
                idle = await peer.state("idle")
                assert idle["stopReason"] == "error"
                assert idle["error"]["message"] == "not without `state.usage`"

    _run(scenario)


def test_a_session_whose_answer_cannot_be_told_is_not_open() -> None:
    empty = SessionSetup("s1", (Select("o", "O", "a"),))
    agent = ScriptedAgent()

    async def scenario() -> None:
        async with served(agent, Settings(on_loss=_refuse)) as peer:
            agent.setup = empty
            await peer.initialize()
            assert await peer.refused("session/new", {"cwd": "/w"}) == -32603
            resume = {"sessionId": "old", "cwd": "/w"}
            assert await peer.refused("session/resume", resume) == -32603
            for session_id in ("s1", "old"):
                prompt = {**HELLO, "sessionId": session_id}
                assert await peer.refused("session/prompt", prompt) == -32002
            agent.setup = SessionSetup("s1", (Select("o", "O", "a", (Choice("a", "A"),)),))
            await peer.call("session/new", {"cwd": "/w"})
            peer.ask("session/prompt", HELLO)
            await peer.state("idle")

    _run(scenario)


def test_a_client_that_cancels_where_nothing_runs_interrupts_the_agent() -> None:
    interrupted: list[str] = []

    class Busy(ScriptedAgent):
        async def interrupt(self, session_id: str) -> None:
            interrupted.append(session_id)

    async def scenario() -> None:
        async with served(Busy()) as peer:
            await peer.open()
            peer.tell("session/cancel", {"sessionId": "s1"})
            peer.tell("session/cancel", {"sessionId": "unknown"})
            await peer.settled()
            assert interrupted == ["s1"]

    _run(scenario)


def test_a_login_takes_as_long_as_a_person_takes() -> None:
    async def scenario() -> None:
        logins = [{"type": "agent", "methodId": "web", "name": "Web"}]
        settings = Settings(versions=(2,), deadline=1.0)
        async with driven(ScriptedClient(), settings, authMethods=logins) as (agent, peer):
            assert agent.profile.logins == (AgentLogin("web", "Web"),)
            async with asyncio.TaskGroup() as group:
                logging_in = group.create_task(agent.login("web"))
                request = await peer.requested("auth/login")
                with suppress(RequestTimeout):  # A request that has the deadline is over before.
                    await agent.logout()
                assert not logging_in.done()
                peer.reply(request, {})

    _run(scenario)
