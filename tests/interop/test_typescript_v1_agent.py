"""Our client drives an agent on version 1 of the official TypeScript SDK."""

import pytest

from parley.errors import (
    AuthRequired,
    InternalError,
    LocalProtocolError,
    MethodNotFound,
    ResourceNotFound,
)
from parley.protocol.settings import Settings
from parley.session.content import Audio, DiffItem, Image, Link, Resource, Text
from parley.session.event import ChunkAdded
from parley.session.option import Toggle
from parley.session.question import FormQuestion, PermissionQuestion
from parley.session.role import HttpServer, SessionInfo, SessionPage, StdioServer
from tests.interop.bounds import bounded
from tests.interop.node import script
from tests.interop.our_client import Record, driving

pytestmark = pytest.mark.usefixtures("typescript_packages")


def v1_agent(*flags: str) -> list[str]:
    return script("agent.mjs", "v1", *flags)


def test_the_agent_introduces_itself_and_learns_who_we_are() -> None:
    async def scenario() -> None:
        async with driving(v1_agent()) as agent:
            assert (agent.profile.version, agent.profile.info.name) == (1, "typescript")
            can = agent.profile.capabilities
            assert all((can.load, can.list, can.resume, can.close, can.delete, can.logout))
            about = await agent.call("_interop/client", {})
            assert about["protocolVersion"] == 1
            assert about["clientInfo"] == {"name": "parley", "version": "1.0"}
            assert about["clientCapabilities"]["fs"] == {
                "readTextFile": True,
                "writeTextFile": True,
            }
            assert about["clientCapabilities"]["elicitation"] == {"form": {}, "url": {}}

    bounded(scenario())


def test_login_and_logout() -> None:
    async def scenario() -> None:
        async with driving(v1_agent("--locked")) as agent:
            with pytest.raises(AuthRequired):
                await agent.new_session("/project")
            await agent.login("key")
            await agent.new_session("/project")
            await agent.logout()
            with pytest.raises(AuthRequired):
                await agent.new_session("/project")

    bounded(scenario())


def test_every_method_of_a_session_works() -> None:
    async def scenario() -> None:
        async with driving(v1_agent()) as agent:
            session = await agent.new_session(
                "/project",
                mcp_servers=[
                    StdioServer("local", "/bin/mcp"),
                    HttpServer("remote", "https://example.org"),
                ],
            )
            assert await session.ask("hello") == "hello"
            options = await session.set_option("mode", "code")
            assert [getattr(option, "current", None) for option in options] == [False, "code"]
            options = await session.set_option("quiet", True)
            assert options[0] == Toggle("quiet", "Quiet", True)
            loaded = await agent.load_session("stored", "/project")
            told = [(m.speaker, m.text) for m in loaded.state.messages.values()]
            assert told == [("user", "What was said"), ("agent", "What was answered")]
            resumed = await agent.resume_session("other", "/project")
            assert await resumed.ask("hello") == "hello"
            stored = SessionInfo("stored", "/", "A stored one")
            assert await agent.list_sessions() == SessionPage((stored,), "2")
            assert await agent.list_sessions(cursor="2") == SessionPage()
            await session.close()
            await loaded.delete()
            agent.tell("_interop/note", {"b": 2})
            heard = (await agent.call("_interop/heard", {}))["heard"]
            assert heard == [
                "new /project local,remote",
                "closed true",
                "deleted stored",
                '_interop/note {"b":2}',
            ]

    bounded(scenario())


def test_the_unstable_entry_point_forks_a_session() -> None:
    async def scenario() -> None:
        command = script("agent.mjs", "v1u")
        async with driving(command, settings=Settings(unstable=True)) as agent:
            session = await agent.new_session("/project")
            fork = await agent.fork_session(session.id, "/project")
            assert fork.id == f"{session.id}-fork"
            assert await fork.ask("hello") == "hello"

    bounded(scenario())


def test_every_block_of_a_prompt_arrives_and_comes_back() -> None:
    async def scenario() -> None:
        sent = (
            Text("blocks größer"),
            Image("iVBORw0KGgo=", "image/png", "file:///a.png"),
            Audio("UklGRg==", "audio/wav"),
            Link("file:///a", "a", mime_type="text/plain", size=3),
            Resource("file:///t", text="text"),
            Resource("file:///b", blob="AAEC"),
        )
        record = Record()
        async with driving(v1_agent(), record) as agent:
            await (await agent.new_session("/project")).prompt(sent)
        chunks = [event for event in record.events if isinstance(event, ChunkAdded)]
        assert tuple(chunk.content for chunk in chunks) == sent

    bounded(scenario())


def test_every_kind_of_update_is_understood() -> None:
    async def scenario() -> None:
        async with driving(v1_agent()) as agent:
            session = await agent.new_session("/project")
            assert (await session.prompt("everything")).stop_reason == "max_tokens"
            state = session.state
        call = state.tool_calls["call-1"]
        assert (call.title, call.kind, call.status, call.name) == (
            "Edit",
            "edit",
            "completed",
            "edit_file",
        )
        assert call.raw_output == [1]
        (diff,) = call.content
        assert isinstance(diff, DiffItem)
        assert (diff.changes[0].old_text, diff.changes[0].new_text) == ("old\n", "new\n")
        assert [command.name for command in state.commands] == ["bye"]
        assert state.mode is not None
        assert state.mode.current == "code"
        assert Toggle("quiet", "Quiet", True) in state.options
        assert state.info.title == "A title"
        assert state.usage is not None
        assert state.usage.cost is not None
        assert [notice.title for notice in state.notices] == ["A notice"]
        assert state.compactions["c-1"].status == "completed"
        assert set(state.plans) == {"main"}

    bounded(scenario())


def test_an_update_that_nobody_knows_is_kept_as_it_came() -> None:
    async def scenario() -> None:
        async with driving(v1_agent()) as agent:
            session = await agent.new_session("/project")
            assert await session.ask("stranger") == "done"
            (other,) = session.state.others
            assert (other.kind, other.raw["value"]) == ("_made_up", 1)

    bounded(scenario())


def test_a_permission_is_answered_with_what_was_chosen() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(v1_agent(), record) as agent:
            session = await agent.new_session("/project")
            for choice, outcome in (("y", "y"), ("n", "n"), (None, "cancelled")):
                record.choice = choice
                assert await session.ask("permission") == outcome
        question = record.asked[0]
        assert isinstance(question, PermissionQuestion)
        assert question.title == "Write"

    bounded(scenario())


def test_files_terminals_input_and_extensions_are_served() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(v1_agent(), record) as agent:
            session = await agent.new_session("/project")
            assert await session.ask("files /a") == "second"
            assert await session.ask("terminal") == "hi\n|SIGKILL"
            assert await session.ask("form") == '{"action":"accept","content":{"name":"Ada"}}'
            assert await session.ask("extensions") == '{"answer":42}'
            assert await agent.call("_interop/echo", {"a": [1, None]}) == {"echo": {"a": [1, None]}}
        form = record.asked.pop(-3)
        assert isinstance(form, FormQuestion)
        assert record.asked == [
            ("read", "/a", 2, 1),
            ("write", "/a", "SECOND"),
            *(("create", "run", ("a",), {}, None, None), "kill", "wait", "output", "release"),
            ("told", {"n": 1}),
            ("ask", {"n": 2}),
        ]

    bounded(scenario())


def test_a_cancelled_turn_ends_as_cancelled() -> None:
    async def scenario() -> None:
        async with driving(v1_agent()) as agent:
            session = await agent.new_session("/project")
            async for event in (turn := session.prompt("wait")):
                if isinstance(event, ChunkAdded):
                    await session.cancel()
            assert turn.result().stop_reason == "cancelled"
            assert session.state.tool_calls["call-w"].status == "cancelled"
            assert await session.ask("hello") == "hello"

    bounded(scenario())


def test_errors_arrive_as_what_they_are() -> None:
    async def scenario() -> None:
        async with driving(v1_agent()) as agent:
            session = await agent.new_session("/project")
            with pytest.raises(InternalError):
                await session.ask("fail")
            with pytest.raises(AuthRequired):
                await session.ask("login")
            with pytest.raises(ResourceNotFound):
                await agent.load_session("unknown", "/project")
            with pytest.raises(MethodNotFound):
                await agent.call("_made/up", {})
            with pytest.raises(LocalProtocolError):
                await session.set_option("mode", "made up")
            assert await session.ask("hello") == "hello"

    bounded(scenario())
