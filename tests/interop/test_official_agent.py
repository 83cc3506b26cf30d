"""Our client drives an agent on the official Python SDK, over stdio: what works."""

import pytest

from parley.errors import AuthRequired, LocalProtocolError
from parley.protocol.settings import Settings
from parley.session.content import Audio, ContentItem, DiffItem, Image, Link, Resource, Text
from parley.session.event import (
    ChunkAdded,
    CommandsChanged,
    InfoChanged,
    OptionsChanged,
    PlanChanged,
    UsageChanged,
)
from parley.session.option import PlanEntry, PlanItems, Toggle
from parley.session.question import FormQuestion, PermissionQuestion
from parley.session.role import HttpServer, SessionInfo, SessionPage, StdioServer
from tests.interop.bounds import bounded, program
from tests.interop.our_client import Record, driving

AGENT = program("official_agent.py", "--unstable")


def test_the_agent_introduces_itself_and_learns_who_we_are() -> None:
    async def scenario() -> None:
        async with driving(AGENT) as agent:
            profile = agent.profile
            assert (profile.version, profile.info.name, profile.info.version) == (
                1,
                "official",
                "0.12.1",
            )
            can = profile.capabilities
            assert all((can.load, can.list, can.resume, can.close, can.additional_directories))
            assert all((can.image, can.audio, can.embedded_context, can.mcp_http, can.mcp_sse))
            assert not can.delete
            assert [login.id for login in profile.logins] == ["key"]
            assert await agent.call("_interop/client") == {"name": "parley"}

    bounded(scenario())


def test_a_login_opens_the_door() -> None:
    async def scenario() -> None:
        async with driving([*AGENT, "--locked"]) as agent:
            with pytest.raises(AuthRequired):
                await agent.new_session("/project")
            await agent.login("key")
            assert (await agent.new_session("/project")).id == "s1"
            with pytest.raises(LocalProtocolError):
                await agent.login("made up")

    bounded(scenario())


def test_a_new_session_carries_directories_servers_and_options() -> None:
    async def scenario() -> None:
        async with driving(AGENT) as agent:
            session = await agent.new_session(
                "/project",
                additional_directories=["/more"],
                mcp_servers=[
                    StdioServer("local", "/bin/mcp", env={"A": "b"}),
                    HttpServer("remote", "https://example.org", (("A", "b"),)),
                    HttpServer("older", "https://example.org/sse", sse=True),
                ],
            )
            heard = await agent.call("_interop/heard")
            assert heard == {"heard": ["new /project ['/more'] ['local', 'remote', 'older']"]}
            assert [option.id for option in session.options] == ["quiet", "mode"]
            assert session.state.mode is not None
            assert session.state.mode.current == "ask"

    bounded(scenario())


def test_load_brings_the_whole_history() -> None:
    async def scenario() -> None:
        async with driving(AGENT) as agent:
            session = await agent.load_session("stored", "/project")
            told = [
                (message.speaker, message.content.blocks)
                for message in session.state.messages.values()
            ]
            assert told == [
                ("user", (Text("What was said"),)),
                ("thought", (Text("long ago"),)),
                ("agent", (Text("What was answered"),)),
            ]

    bounded(scenario())


def test_resume_brings_the_options_and_no_history() -> None:
    async def scenario() -> None:
        async with driving(AGENT) as agent:
            session = await agent.resume_session("stored", "/project")
            assert session.state.messages == {}
            assert [option.id for option in session.options] == ["mode"]
            assert await session.ask("none") == "nothing"

    bounded(scenario())


def test_sessions_are_listed_forked_and_closed() -> None:
    async def scenario() -> None:
        async with driving(AGENT, settings=Settings(unstable=True)) as agent:
            stored = SessionInfo("stored", "/", "A stored one")
            assert await agent.list_sessions() == SessionPage((stored,), "2")
            assert await agent.list_sessions(cursor="2") == SessionPage()
            session = await agent.new_session("/project")
            fork = await agent.fork_session(session.id, "/project")
            assert fork.id == "s1-fork"
            assert await fork.ask("none") == "nothing"
            await session.close()
            with pytest.raises(LocalProtocolError):
                await session.prompt("none")
            assert (await agent.call("_interop/heard"))["heard"][-1] == "closed s1"

    bounded(scenario())


def test_mode_and_toggle_are_set_in_the_form_the_agent_offers() -> None:
    async def scenario() -> None:
        async with driving(AGENT) as agent:
            session = await agent.new_session("/project")
            options = await session.set_option("mode", "code")
            assert [getattr(option, "current", None) for option in options] == [False, "code"]
            options = await session.set_option("quiet", True)
            assert options[0] == Toggle("quiet", "Quiet", True)
            with pytest.raises(LocalProtocolError):
                await session.set_option("mode", "made up")
            heard = (await agent.call("_interop/heard"))["heard"]
            assert heard[1:] == ["mode code", "quiet True"]

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
        async with driving(AGENT, record) as agent:
            session = await agent.new_session("/project")
            assert (await session.prompt(sent)).stop_reason == "end_turn"
        chunks = [event for event in record.events if isinstance(event, ChunkAdded)]
        assert tuple(chunk.content for chunk in chunks) == sent

    bounded(scenario())


def test_every_kind_of_update_is_understood() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(AGENT, record) as agent:
            session = await agent.new_session("/project")
            record.events.clear()
            assert (await session.prompt("everything")).stop_reason == "max_tokens"
            state = session.state
        kinds = [type(event) for event in record.events]
        for kind in (CommandsChanged, OptionsChanged, InfoChanged, UsageChanged, PlanChanged):
            assert kind in kinds
        call = state.tool_calls["call-1"]
        assert (call.title, call.kind, call.status) == ("Edit a file", "edit", "completed")
        assert (call.raw_input, call.raw_output) == ({"path": "/a"}, {"ok": True})
        assert [(at.path, at.line) for at in call.locations] == [("/a", 3)]
        text, diff = call.content
        assert text == ContentItem(Text("Working"))
        assert isinstance(diff, DiffItem)
        (change,) = diff.changes
        assert (change.path, change.old_text, change.new_text) == ("/a", "old\n", "new\n")
        plan = state.plans["main"].plan
        assert plan == PlanItems((PlanEntry("First", "high", "completed"),))
        assert [command.name for command in state.commands] == ["bye"]
        assert state.info.title == "A title"
        assert state.usage is not None
        assert (state.usage.used, state.usage.size) == (10, 100)
        assert state.mode is not None
        assert state.mode.current == "code"
        assert Toggle("quiet", "Quiet", True) in state.options
        assert state.run.stop_reason == "max_tokens"

    bounded(scenario())


def test_a_permission_is_answered_with_what_was_chosen() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(AGENT, record) as agent:
            session = await agent.new_session("/project")
            for choice, outcome in (("y", "y"), ("n", "n"), (None, "cancelled")):
                record.choice = choice
                assert await session.ask("permission") == outcome
            assert session.state.tool_calls["call-p"].title == "Write"
        question = record.asked[0]
        assert isinstance(question, PermissionQuestion)
        assert [(option.id, option.kind) for option in question.options] == [
            ("y", "allow_once"),
            ("n", "reject_once"),
        ]

    bounded(scenario())


def test_files_and_terminals_are_served() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(AGENT, record) as agent:
            session = await agent.new_session("/project")
            assert (await session.ask("files /project/a")).startswith("second|")
            assert await session.ask("terminal") == "hi\n|False|0|None"
            assert await session.ask("terminal kill") == "hi\n|False|None|SIGKILL"
        created = ("create", "run", ("a", "b"), {"GREETING": "hi"}, "/", 100)
        assert record.asked == [
            ("read", "/project/a", 2, 1),
            ("write", "/project/a", "SECOND"),
            *(created, "wait", "output", "release"),
            *(created, "kill", "wait", "output", "release"),
        ]

    bounded(scenario())


def test_a_form_is_filled_in_or_declined() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(AGENT, record) as agent:
            session = await agent.new_session("/project")
            assert await session.ask("form") == "accept {'name': 'Ada'}"
            record.decline()
            assert await session.ask("form") == "decline None"
        assert isinstance(record.asked[0], FormQuestion)
        assert record.asked[0].message == "Who are you?"

    bounded(scenario())


def test_extensions_go_both_ways() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving(AGENT, record) as agent:
            assert await agent.call("_interop/echo", {"a": [1, None]}) == {"echo": {"a": [1, None]}}
            agent.tell("_interop/note", {"b": 2})
            session = await agent.new_session("/project")
            assert await session.ask("extensions") == "{'answer': 42}"
            heard = (await agent.call("_interop/heard"))["heard"]
            assert "note interop/note {'b': 2}" in heard
        assert record.asked == [("told", {"n": 1}), ("ask", {"n": 2})]

    bounded(scenario())
