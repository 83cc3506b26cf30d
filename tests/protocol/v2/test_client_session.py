"""How updates reach the application of a client: all of them, in order, at its own pace."""

import asyncio

from parley.session.content import Text
from parley.session.event import ChunkAdded, OptionsChanged, OtherHappened, StateChanged
from parley.session.option import Toggle
from tests.protocol.v2.roles import ScriptedClient
from tests.protocol.v2.wire import Json, driven, opened, text

LOUD = {"type": "boolean", "configId": "loud", "name": "Loud", "currentValue": False}
RUNNING: Json = {"sessionUpdate": "state_update", "state": "running"}


def chunk(words: str) -> Json:
    return {"sessionUpdate": "agent_message_chunk", "messageId": "a1", "content": text(words)}


def test_updates_are_passed_on_in_the_order_they_come() -> None:
    """V2-MSG-05, RPC-27"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (_, peer):
            for number in range(200):
                peer.update(chunk(str(number)), f"s{number % 3}")
            await peer.settled()
            expected = [
                (f"s{number % 3}", ChunkAdded("agent", Text(str(number)), "a1"))
                for number in range(200)
            ]
            assert client.events == expected

    asyncio.run(scenario())


def test_a_slow_application_slows_the_agent_down() -> None:
    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (_, peer):
            client.blocked = True
            peer.update(chunk("x"))
            peer.update(chunk("y"))
            await peer.settled()
            assert client.drained == 1
            assert len(client.events) == 2

    asyncio.run(scenario())


def test_a_state_that_came_before_the_answer_stands() -> None:
    """V2-SES-02, V2-RES-06"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            peer.update(RUNNING)
            await opened(agent, peer)
            assert client.events == [("s1", StateChanged("running"))]

    asyncio.run(scenario())


def test_options_that_an_update_replaced_stay_replaced() -> None:
    """V2-SES-03"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            update = {"sessionUpdate": "config_option_update", "configOptions": [LOUD]}
            peer.update(update)
            await opened(agent, peer)
            assert client.of(OptionsChanged) == [OptionsChanged((Toggle("loud", "Loud", False),))]
            setting = agent.set_option("s1", "loud", True)
            served = peer.serve("session/set_config_option", {"configOptions": []})
            await asyncio.gather(setting, served)

    asyncio.run(scenario())


def test_updates_of_version_1_are_noticed_as_a_mix_up() -> None:
    """DEC-16"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            for kind in ("tool_call", "plan", "current_mode_update", "_own", "future"):
                peer.update({"sessionUpdate": kind, "x": 1})
            await peer.settled()
            assert [event.kind for event in client.of(OtherHappened)] == [
                "tool_call",
                "plan",
                "current_mode_update",
                "_own",
                "future",
            ]
            assert agent.endpoint.connection.faults == {
                "an update `tool_call` of version 1": 1,
                "an update `plan` of version 1": 1,
                "an update `current_mode_update` of version 1": 1,
            }

    asyncio.run(scenario())


def test_a_malformed_update_is_counted_and_nothing_else() -> None:
    """RPC-05, DEC-07"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            peer.update({"sessionUpdate": "agent_message_chunk", "messageId": "a1"})
            peer.update({"sessionUpdate": "terminal_output_chunk", "terminalId": "x", "data": "§"})
            peer.tell("session/update", {"sessionId": "s1"})
            peer.tell("session/update")
            assert await peer.settled() == []
            assert client.events == []
            assert agent.endpoint.connection.faults.total() == 4

    asyncio.run(scenario())


def test_the_older_form_of_updates_is_understood_and_counted() -> None:
    """SEE-07"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            group = {"group": "g", "name": "G", "options": [{"value": "v", "name": "V"}]}
            option = {"type": "select", "id": "o", "name": "O", "currentValue": "v"}
            plan = {"type": "items", "id": "p", "entries": []}
            commands = [
                {"name": "a", "description": "A", "input": {"hint": "h"}},
                {"name": "b", "description": "B", "input": {"type": "unstructured", "hint": "i"}},
            ]
            old = [
                {"sessionUpdate": "plan_update", "plan": plan},
                {
                    "sessionUpdate": "config_option_update",
                    "configOptions": [{**option, "options": [group]}],
                },
                {"sessionUpdate": "available_commands_update", "availableCommands": commands},
            ]
            for update in old:
                peer.update(update)
            await peer.settled()
            (_, planned), (_, options), (_, listed) = client.events
            assert planned.id == "p"
            assert [choice.id for choice in options.options[0].choices] == ["g"]
            assert [command.hint for command in listed.commands] == ["h", "i"]
            assert agent.endpoint.dialects == {"v2-2026-06": 3}

    asyncio.run(scenario())
