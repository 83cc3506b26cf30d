"""Our client and an agent on the official Python SDK, when something is wrong."""

import asyncio

import pytest

from parley.errors import (
    AuthRequired,
    InternalError,
    InvalidParams,
    LocalProtocolError,
    MethodNotFound,
    RemoteProtocolError,
    ResourceNotFound,
)
from parley.protocol.settings import Settings
from parley.session.content import Text
from parley.session.event import ChunkAdded
from tests.interop.bounds import bounded, program
from tests.interop.our_client import Record, driving

AGENT = program("official_agent.py", "--unstable")
GATED = program("official_agent.py")


def test_an_unknown_session_cannot_be_loaded() -> None:
    async def scenario() -> None:
        async with driving(AGENT) as agent:
            with pytest.raises(ResourceNotFound):
                await agent.load_session("unknown", "/project")
            assert (await agent.new_session("/project")).id == "s1"

    bounded(scenario())


def test_a_failing_turn_ends_with_the_error_of_the_agent() -> None:
    async def scenario() -> None:
        async with driving(AGENT) as agent:
            session = await agent.new_session("/project")
            for words, error in (("fail", InternalError), ("login", AuthRequired)):
                ending = await session.prompt(words)
                assert ending.stop_reason == "error"
                assert ending.failure is not None
                assert ending.failure.code == error.CODE
                with pytest.raises(error):
                    await session.ask(words)
            assert await session.ask("none") == "nothing"

    bounded(scenario())


def test_a_file_that_we_lack_is_an_error_at_the_agent() -> None:
    async def scenario() -> None:
        async with driving(AGENT) as agent:
            session = await agent.new_session("/project")
            ending = await session.prompt("files /project/missing")
            assert ending.failure is not None
            assert ending.failure.code == -32002

    bounded(scenario())


def test_a_cancelled_turn_ends_as_cancelled() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(AGENT, record) as agent:
            session = await agent.new_session("/project")
            async for event in (turn := session.prompt("wait")):
                if isinstance(event, ChunkAdded):
                    assert event.content == Text("Waiting")
                    await session.cancel()
            assert turn.ending is not None
            assert turn.ending.stop_reason == "cancelled"
            assert session.state.tool_calls["call-w"].status == "cancelled"
            assert await session.ask("none") == "nothing"

    bounded(scenario())


def test_methods_that_the_sdk_gates_although_they_are_advertised_are_errors() -> None:
    """Without its unstable switch the SDK answers them with -32601."""

    async def scenario() -> None:
        async with driving(GATED, settings=Settings(unstable=True)) as agent:
            session = await agent.new_session("/project")
            for attempt in (
                agent.resume_session("stored", "/project"),
                agent.session("other").close(),
                agent.fork_session("s1", "/project"),
            ):
                with pytest.raises(MethodNotFound):
                    await attempt
            assert await session.ask("none") == "nothing"

    bounded(scenario())


def test_what_the_agent_does_not_advertise_is_refused_before_anything_is_sent() -> None:
    async def scenario() -> None:
        async with driving(AGENT) as agent:
            session = await agent.new_session("/project")
            with pytest.raises(LocalProtocolError):
                await session.delete()
            with pytest.raises(LocalProtocolError):
                await agent.logout()

    bounded(scenario())


def test_w02_methods_that_were_never_written_are_not_called_because_nobody_advertised_them() -> (
    None
):
    async def scenario() -> None:
        async with driving(program("bare_official_agent.py")) as agent:
            for attempt in (
                agent.load_session("stored", "/project"),
                agent.list_sessions(),
                agent.resume_session("stored", "/project"),
                agent.login("key"),
            ):
                with pytest.raises(LocalProtocolError):
                    await attempt
            assert await agent.call("_made/up", {}) is None  # The SDK says so of any extension.
            session = await agent.new_session("/project")
            assert await session.ask("hello") == "hello"

    bounded(scenario())


def test_w02_a_list_that_was_advertised_and_never_written_is_an_error_and_not_a_crash() -> None:
    async def scenario() -> None:
        async with driving(program("bare_official_agent.py", "--lists")) as agent:
            with pytest.raises(RemoteProtocolError):
                await agent.list_sessions()
            assert await (await agent.new_session("/project")).ask("hello") == "hello"

    bounded(scenario())


def test_w01_meta_that_takes_over_the_session_of_the_agent_leaves_ours_alone() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(AGENT, record) as agent:
            session = await agent.new_session("/project")
            evil = {"session_id": "EVIL", "self": 1}
            ending = await session.prompt("none", meta=evil)
            assert ending.stop_reason == "error"  # The SDK passes `self` twice.
            ending = await session.prompt("none", meta={"session_id": "EVIL"})
            assert ending.stop_reason == "end_turn"
            assert all(message.speaker == "user" for message in session.state.messages.values())
            assert await session.ask("none") == "nothing"

    bounded(scenario())


def test_w05_a_turn_that_is_never_answered_ends_when_it_is_cancelled() -> None:
    async def scenario() -> None:
        async with driving(AGENT, settings=Settings(deadline=3.0)) as agent:
            session = await agent.new_session("/project")
            async for event in (turn := session.prompt("stubborn")):
                if isinstance(event, ChunkAdded):
                    await session.cancel()
            assert turn.ending is not None
            assert turn.ending.stop_reason == "cancelled"

    bounded(scenario())


def test_w08_an_agent_that_complains_at_length_does_not_block() -> None:
    async def scenario() -> None:
        async with driving(AGENT) as agent:
            session = await agent.new_session("/project")
            assert await session.ask("noise") == "done"

    bounded(scenario())


def test_w18_null_data_is_no_data_and_the_details_of_a_refusal_are_kept() -> None:
    async def scenario() -> None:
        async with driving([*AGENT, "--locked"], settings=Settings(unstable=True)) as agent:
            with pytest.raises(AuthRequired) as refused:
                await agent.new_session("/project")
            assert refused.value.data is None
            with pytest.raises(InvalidParams) as bad:
                await agent.call("session/prompt", {"sessionId": 5})
            assert {error["type"] for error in bad.value.data["errors"]} >= {"string_type"}

    bounded(scenario())


def test_an_agent_that_echoes_the_version_it_was_asked_for_is_driven_over_version_1() -> None:
    async def scenario() -> None:
        async with driving([*AGENT, "--echo"]) as agent:
            assert agent.profile.version == 1
            assert agent.profile.capabilities.load
            session = await agent.new_session("/project")
            async with asyncio.timeout(5):
                assert await session.ask("none") == "nothing"

    bounded(scenario())
