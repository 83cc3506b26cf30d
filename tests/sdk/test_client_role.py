"""A client on one connection: what it advertises, and what becomes of what an agent says."""

import logging
from typing import Any

import pytest

from parley.errors import MethodNotFound
from parley.sdk.client import Client
from parley.sdk.client_role import ClientRegistry, ConnectedClient
from parley.session.event import ChunkAdded, Event, NoticeGiven
from parley.session.profile import ClientCapabilities, Implementation
from parley.session.question import (
    Accepted,
    Cancelled,
    FormQuestion,
    RequestScope,
)
from tests.sdk.stage import VERSIONS, joined, run
from tests.sdk.test_remote_turn import _talker

both = pytest.mark.parametrize("version", VERSIONS)
QUESTION = FormQuestion("Who?", {"type": "object", "properties": {}}, RequestScope(1))


class Disk:
    """Files that can be read and not written."""

    can_read = True
    can_write = False

    async def read(self, session_id: str, path: str, **_: Any) -> str:
        return path

    async def write(self, session_id: str, path: str, content: str) -> None: ...


class Shell:
    async def create(self, session_id: str, command: str, *args: Any, **more: Any) -> Any: ...


def test_a_client_advertises_what_it_was_given() -> None:
    plain = ClientRegistry(Implementation("c", "1"))
    always = ClientCapabilities(boolean_options=True, notices=True, compaction=True, plans=True)
    assert plain.profile.capabilities == always
    client = Client("c", files=Disk(), terminals=Shell())

    @client.elicitation
    async def fill_in(question: object) -> None: ...

    role = ConnectedClient(client.registry)
    can = role.profile.capabilities
    assert (can.read_files, can.write_files, can.terminals) == (True, False, True)
    assert (can.elicitation_form, can.elicitation_url) == (True, True)
    assert (role.files, role.terminals) == (client.registry.files, client.registry.terminals)


def test_what_is_said_before_the_introduction_goes_nowhere() -> None:
    role = ConnectedClient(ClientRegistry(Implementation("c", "1")))
    role.emit("s", NoticeGiven("x"))
    assert role.blocked is False


@both
def test_every_event_reaches_the_handler_after_the_state(version: int) -> None:
    client = Client("c")
    seen: list[tuple[str, str]] = []

    @client.event
    def show(session: Any, event: Event) -> None:
        if isinstance(event, ChunkAdded):
            seen.append((session.id, list(session.state.messages.values())[-1].text))

    async def scenario() -> None:
        async with joined(_talker(2), version, client) as agent:
            session = await agent.new_session("/")
            await session.prompt("a")
            assert seen == [(session.id, "a0 "), (session.id, "a0 a1 ")]

    run(scenario())


@both
def test_a_handler_that_fails_is_logged_and_hurts_nobody(
    version: int, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client("c")

    @client.event
    def fail(session: Any, event: Event) -> None:
        raise ZeroDivisionError("my mistake")

    async def scenario() -> None:
        async with joined(_talker(2), version, client) as agent:
            session = await agent.new_session("/")
            events = [event async for event in session.prompt("a")]
            assert sum(isinstance(event, ChunkAdded) for event in events) == 2
            assert await session.ask("b") == "b0 b1 "

    with caplog.at_level(logging.ERROR, "parley.sdk"):
        run(scenario())
    assert "the event handler of the client failed" in caplog.text
    assert "my mistake" in caplog.text


def test_input_is_asked_of_the_handler_if_there_is_one() -> None:
    async def scenario() -> None:
        registry = ClientRegistry(Implementation("c", "1"))
        role = ConnectedClient(registry)
        assert await role.elicit(QUESTION) == Cancelled()

        async def fill_in(question: object) -> dict[str, Any]:
            assert question == QUESTION
            return {"name": "x"}

        registry.elicitation = fill_in
        assert await role.elicit(QUESTION) == Accepted({"name": "x"})

    run(scenario())


def test_extensions_and_completions_reach_their_handlers() -> None:
    async def scenario() -> None:
        log: list[Any] = []
        client = Client("c")
        role = ConnectedClient(client.registry)
        role.complete_elicitation("e")
        role.tell("_x/note", 1)
        with pytest.raises(MethodNotFound, match="Method not found: _x/add"):
            await role.call("_x/add", [1])

        @client.method("_x/add")
        async def add(params: list[int]) -> int:
            return sum(params)

        client.notification("_x/note")(log.append)
        client.elicitation_completed(log.append)
        role.complete_elicitation("e")
        role.tell("_x/note", 2)
        assert await role.call("_x/add", [1, 2]) == 3
        assert log == ["e", 2]

    run(scenario())
