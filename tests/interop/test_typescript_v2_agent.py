"""Our client drives an agent on version 2 of the official TypeScript SDK."""

import json

import pytest

from parley.errors import (
    AuthRequired,
    LocalProtocolError,
    MethodNotFound,
    ResourceNotFound,
    RpcError,
)
from parley.protocol.settings import Settings
from parley.session.content import (
    Audio,
    ContentItem,
    DiffItem,
    Image,
    Link,
    OtherBlock,
    Resource,
    Text,
)
from parley.session.event import ChunkAdded, MessageChanged, StateChanged
from parley.session.option import Toggle
from parley.session.question import (
    CommandSubject,
    FormQuestion,
    OtherSubject,
    PermissionQuestion,
    ToolCallSubject,
    UrlQuestion,
)
from parley.session.role import HttpServer, SessionInfo, SessionPage, StdioServer
from tests.interop.bounds import bounded
from tests.interop.node import script
from tests.interop.our_client import Record, driving

pytestmark = pytest.mark.usefixtures("typescript_packages")


def v2_agent(*flags: str) -> list[str]:
    return script("agent.mjs", "v2", *flags)


def test_the_agent_introduces_itself_and_learns_who_we_are() -> None:
    async def scenario() -> None:
        async with driving(v2_agent()) as agent:
            assert (agent.profile.version, agent.profile.info.name) == (2, "typescript")
            can = agent.profile.capabilities
            assert all((can.load, can.list, can.resume, can.close, can.delete))
            assert all((can.image, can.audio, can.embedded_context, can.mcp_http))
            assert [login.id for login in agent.profile.logins] == ["key"]
            about = await agent.call("_interop/client", {})
            assert about["info"] == {"name": "parley", "version": "1.0"}
            assert about["capabilities"]["elicitation"] == {"form": {}, "url": {}}

    bounded(scenario())


def test_login_and_logout() -> None:
    async def scenario() -> None:
        async with driving(v2_agent("--locked")) as agent:
            with pytest.raises(AuthRequired):
                await agent.new_session("/project")
            await agent.login("key")
            await agent.new_session("/project")
            await agent.logout()
            with pytest.raises(AuthRequired):
                await agent.new_session("/project")

    bounded(scenario())


def test_a_turn_begins_with_the_message_and_ends_when_the_session_is_idle() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(v2_agent(), record) as agent:
            session = await agent.new_session("/project")
            assert await session.ask("hello") == "hello"
            assert session.state.run.state == "idle"
            speakers = [message.speaker for message in session.state.messages.values()]
            assert speakers == ["user", "agent"]
        states = [event.state for event in record.events if isinstance(event, StateChanged)]
        assert states == ["running", "idle"]
        (inserted,) = [event for event in record.events if isinstance(event, MessageChanged)]
        assert inserted.content == (Text("hello"),)

    bounded(scenario())


def test_every_method_of_a_session_works() -> None:
    async def scenario() -> None:
        async with driving(v2_agent()) as agent:
            session = await agent.new_session(
                "/project",
                mcp_servers=[
                    StdioServer("local", "/bin/mcp", env={"A": "b"}),
                    HttpServer("remote", "https://example.org", (("A", "b"),)),
                ],
            )
            assert [command.name for command in session.state.commands] == ["greet"]
            options = await session.set_option("mode", "code")
            assert [getattr(option, "current", None) for option in options] == ["code", False]
            options = await session.set_option("quiet", True)
            assert options[1] == Toggle("quiet", "Quiet", True)
            with pytest.raises(LocalProtocolError):
                await session.set_option("mode", "made up")
            stored = SessionInfo("stored", "/", "A stored one")
            assert await agent.list_sessions() == SessionPage((stored,), "2")
            assert await agent.list_sessions(cursor="2") == SessionPage()
            await session.close()
            heard = (await agent.call("_interop/heard", {}))["heard"]
            assert heard == ["new /project local,remote", "closed true"]

    bounded(scenario())


def test_resume_brings_the_history_only_when_it_is_asked_for() -> None:
    async def scenario() -> None:
        async with driving(v2_agent()) as agent:
            resumed = await agent.resume_session("stored", "/project")
            assert dict(resumed.state.messages) == {}
            assert await resumed.ask("hello") == "hello"
            loaded = await agent.load_session("stored", "/project")
            told = [(m.speaker, m.text) for m in loaded.state.messages.values()]
            assert told[-2:] == [("user", "What was said"), ("agent", "What was answered")]
            await loaded.delete()
            with pytest.raises(ResourceNotFound):
                await agent.resume_session("unknown", "/project")

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
        async with driving(v2_agent(), record) as agent:
            await (await agent.new_session("/project")).prompt(sent)
        chunks = [event for event in record.events if isinstance(event, ChunkAdded)]
        assert tuple(chunk.content for chunk in chunks) == sent

    bounded(scenario())


def test_every_kind_of_update_is_understood() -> None:
    async def scenario() -> None:
        async with driving(v2_agent()) as agent:
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
        text, diff = call.content
        assert text == ContentItem(Text("Working"))
        assert isinstance(diff, DiffItem)
        assert diff.changes[0].path == "/a"
        assert diff.patch is not None
        assert "+new" in diff.patch.text
        told = {(m.speaker, m.text) for m in state.messages.values()}
        assert told == {("user", "everything"), ("thought", "Hm hm"), ("agent", "Hello")}
        terminal = state.terminals["term-1"]
        assert (terminal.command, bytes(terminal.output)) == ("make", b"built\n")
        assert [command.name for command in state.commands] == ["bye"]
        assert state.mode is not None
        assert state.mode.current == "code"
        assert state.info.title == "A title"
        assert state.usage is not None
        assert [notice.title for notice in state.notices] == ["A notice"]
        assert state.compactions["c-1"].status == "completed"
        assert set(state.plans) == {"p-1"}

    bounded(scenario())


def test_what_nobody_knows_is_kept_as_it_came() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(v2_agent(), record) as agent:
            session = await agent.new_session("/project")
            assert (await session.prompt("strange")).stop_reason == "_tired"
            (other,) = session.state.others
            assert (other.kind, other.raw["value"]) == ("_made_up", [1, None])
        (chunk,) = [event for event in record.events if isinstance(event, ChunkAdded)]
        assert chunk.content == OtherBlock("_hologram", {"type": "_hologram", "depth": 3})

    bounded(scenario())


def test_a_permission_names_its_subject_and_is_answered() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(v2_agent(), record) as agent:
            session = await agent.new_session("/project")
            for choice, words, outcome, subject in (
                ("y", "permission", "y", ToolCallSubject),
                ("n", "permission command", "n", CommandSubject),
                (None, "permission strange", "cancelled", OtherSubject),
            ):
                record.choice = choice
                assert await session.ask(words) == outcome
                question = record.asked[-1]
                assert isinstance(question, PermissionQuestion)
                assert (question.title, question.description) == ("May I?", "Really")
                assert isinstance(question.subject, subject)
        states = [event.state for event in record.events if isinstance(event, StateChanged)]
        assert states == ["running", "requires_action", "running", "idle"] * 3

    bounded(scenario())


def test_forms_addresses_and_extensions_are_served() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(v2_agent(), record) as agent:
            session = await agent.new_session("/project")
            accepted = {"action": "accept", "content": {"name": "Ada"}}
            assert json.loads(await session.ask("form")) == accepted
            assert await session.ask("url") == "accept"
            assert await session.ask("extensions") == '{"answer":42}'
            record.decline()
            assert await session.ask("form") == '{"action":"decline"}'
        form, url, *rest = record.asked
        assert isinstance(form, FormQuestion)
        assert isinstance(url, UrlQuestion)
        assert rest[:-1] == [("completed", "e-1"), ("told", {"n": 1}), ("ask", {"n": 2})]

    bounded(scenario())


def test_a_cancelled_turn_ends_as_cancelled() -> None:
    async def scenario() -> None:
        async with driving(v2_agent()) as agent:
            session = await agent.new_session("/project")
            async for event in (turn := session.prompt("wait")):
                if isinstance(event, ChunkAdded):
                    await session.cancel()
            assert turn.result().stop_reason == "cancelled"
            assert session.state.tool_calls["call-w"].status == "cancelled"
            assert await session.ask("hello") == "hello"

    bounded(scenario())


def test_work_that_fails_ends_with_the_error_of_the_agent() -> None:
    async def scenario() -> None:
        async with driving(v2_agent()) as agent:
            session = await agent.new_session("/project")
            ending = await session.prompt("fail")
            assert ending.failure is not None
            assert (ending.stop_reason, ending.failure.message) == ("error", "It broke")
            with pytest.raises(RpcError):
                await session.ask("fail")
            with pytest.raises(MethodNotFound):
                await agent.call("_made/up", {})
            assert await session.ask("hello") == "hello"

    bounded(scenario())


def test_the_unstable_entry_point_forks_a_session() -> None:
    async def scenario() -> None:
        command = script("agent.mjs", "v2u")
        async with driving(command, settings=Settings(unstable=True)) as agent:
            session = await agent.new_session("/project")
            fork = await agent.fork_session(session.id, "/project")
            assert fork.id == f"{session.id}-fork"
            assert await fork.ask("hello") == "hello"

    bounded(scenario())
