"""Our agent asks the client of the official Python SDK: permissions, files, terminals, input."""

import acp
import pytest
from acp import schema

from tests.interop.bounds import bounded
from tests.interop.official_client import OfficialClient, official, official_session, text

VERDICTS = [
    ("allow_once", "allowed", "completed"),
    ("allow_always", "allowed always", "completed"),
    ("reject_once", "refused", "failed"),
    ("reject_always", "refused always", "failed"),
    (None, "dismissed", "failed"),
    ("not offered", "refused", "failed"),
]
"""What the user chose, what our agent makes of it, and how its tool call ends."""


def test_a_permission_is_what_the_user_chose() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            for choice, verdict, status in VERDICTS:
                client.choice = choice
                client.updates.clear()
                assert (await agent.prompt(session, text("permission"))).stop_reason == "end_turn"
                progress = [u for u in client.updates if u.session_update == "tool_call_update"]
                last = [update.status for update in progress if update.status][-1]
                assert (choice, client.said(), last) == (choice, verdict, status)
        _, (tool_call, options) = client.asked[0]
        assert (tool_call.tool_call_id, tool_call.title) == ("call-p", "May I write?")
        assert [option.kind for option in options] == [
            "allow_once",
            "allow_always",
            "reject_once",
            "reject_always",
        ]

    bounded(scenario())


def test_a_permission_that_is_about_no_tool_call_is_asked_all_the_same() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            await agent.prompt(session, text("command"))
        assert client.said() == "allowed"
        ((_, (tool_call, _)),) = client.asked
        assert tool_call.title == "Run `rm -r build`"

    bounded(scenario())


def test_files_are_read_and_written_through_the_client() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            await agent.prompt(session, text("files /project/a"))
        assert client.said() == "second"
        assert client.asked == [
            ("read", ("/project/a", 2, 1)),
            ("write", ("/project/a", "SECOND")),
        ]

    bounded(scenario())


def test_a_file_that_the_client_lacks_is_the_error_of_the_turn() -> None:
    async def scenario() -> None:
        async with official_session(OfficialClient()) as (agent, session):
            with pytest.raises(acp.RequestError) as failed:
                await agent.prompt(session, text("files /project/missing"))
            assert failed.value.code == -32002

    bounded(scenario())


def test_a_command_runs_in_a_terminal_of_the_client_and_is_released() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            await agent.prompt(session, text("terminal"))
        assert client.said() == "hi\n|False|0|None"
        assert client.asked == [
            ("create", ("echo", ["hi"], [("A", "b")], "/")),
            ("wait", "terminal-1"),
            ("output", "terminal-1"),
            ("release", "terminal-1"),
        ]
        progress = [u for u in client.updates if u.session_update == "tool_call_update"]
        items = [item for update in progress for item in update.content or ()]
        assert schema.TerminalToolCallContent(type="terminal", terminal_id="terminal-1") in items

    bounded(scenario())


def test_a_command_that_is_killed_ends_by_a_signal() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            await agent.prompt(session, text("terminal kill"))
        assert client.said() == "hi\n|False|None|SIGKILL"
        assert [name for name, _ in client.asked] == ["create", "kill", "wait", "output", "release"]

    bounded(scenario())


def test_a_client_without_files_and_terminals_is_never_asked_for_them() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official(client) as agent:
            await agent.initialize(1)
            session = (await agent.new_session("/project")).session_id
            for words in ("files /a", "terminal"):
                with pytest.raises(acp.RequestError) as failed:
                    await agent.prompt(session, text(words))
                assert failed.value.code == -32603
        assert client.asked == []

    bounded(scenario())


def test_a_form_is_filled_in() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client, unstable=True) as (agent, session):
            await agent.prompt(session, text("form"))
        assert client.said() == "{'name': 'Ada'}"
        ((_, (message, mode)),) = client.asked
        assert message == "Who are you?"
        assert mode.requested_schema.required == ["name"]

    bounded(scenario())


def test_an_address_is_visited_and_its_end_is_told() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client, unstable=True) as (agent, session):
            await agent.prompt(session, text("url"))
            # Notifications are handled side by side there, so the last one may still be on its way.
            await agent.ext_method("interop/echo", {})
        assert client.said() == "accepted"
        assert [name for name, _ in client.asked] == ["elicitation", "completed"]
        assert client.asked[1] == ("completed", "e-1")

    bounded(scenario())


def test_a_client_that_cannot_elicit_is_not_asked() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official(client) as agent:
            await agent.initialize(1)
            session = (await agent.new_session("/project")).session_id
            await agent.prompt(session, text("form"))
            await agent.prompt(session, text("url"))
        assert client.said() == "Nonenot accepted"
        assert client.asked == []

    bounded(scenario())


def test_extensions_go_both_ways() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            assert await agent.ext_method("interop/echo", {"a": [1, None]}) == {
                "echo": {"a": [1, None]}
            }
            await agent.ext_notification("interop/note", {"b": 2})
            assert await agent.ext_method("interop/heard", {}) == {"heard": ["note {'b': 2}"]}
            await agent.prompt(session, text("extensions"))
        assert client.said() == "{'answer': 42}"
        assert sorted(client.asked) == [("interop/ask", {"n": 2}), ("interop/told", {"n": 1})]

    bounded(scenario())
