"""The first words of a connection on the client's side: one version is settled, or none."""

import asyncio
from typing import Any

import pytest

from parley.errors import InternalError, RemoteProtocolError, RpcError, VersionMismatch
from parley.protocol.connect import connect
from parley.protocol.settings import Settings
from parley.sdk.client_role import ClientRegistry, ConnectedClient
from parley.sdk.tasks import Tasks
from parley.session.profile import AgentProfile, Implementation
from parley.session.role import SessionRequest, Terminals
from parley.transport.memory import memory_pair
from tests.protocol.wire import RawPeer
from tests.sdk.stage import INITIALIZED, run

Reply = dict[str, Any]
OLD: Reply = {"result": {"protocolVersion": 1, "agentInfo": {"name": "old", "version": "1"}}}
LOADS: Reply = {"result": INITIALIZED[1]}
NEW: Reply = {"result": INITIALIZED[2]}
REFUSED: Reply = {"error": {"code": -32603, "message": "once is enough"}}


async def _profile(
    versions: tuple[int, ...], *replies: Reply
) -> tuple[AgentProfile, list[dict[str, Any]]]:
    """Connect to an agent that answers `initialize` so; its profile, and what it was asked."""
    near, far = memory_pair()
    peer = RawPeer(far)
    asked: list[dict[str, Any]] = []

    async def answer() -> None:
        for reply in replies:
            request = await peer.request("initialize")
            asked.append(request["params"])
            peer.send({"id": request["id"], **reply})

    role = ConnectedClient(ClientRegistry(Implementation("c", "1")))
    async with Tasks() as tasks:
        tasks.start(answer())
        async with connect(near, role, Settings(versions=versions, deadline=1)) as agent:
            return agent.profile, asked


def test_neg_01_a_client_of_both_asks_for_the_newest() -> None:
    async def scenario() -> None:
        profile, asked = await _profile((1, 2), NEW)
        assert profile.version == 2
        assert [params["protocolVersion"] for params in asked] == [2]

    run(scenario())


def test_an_agent_of_version_1_is_asked_again_in_its_own_form() -> None:
    async def scenario() -> None:
        profile, (first, second) = await _profile((1, 2), OLD, LOADS)
        assert (profile.version, profile.capabilities.load) == (1, True)
        assert ("clientCapabilities" in first, "clientCapabilities" in second) == (False, True)
        assert ("capabilities" in first, "capabilities" in second) == (True, False)
        assert second["protocolVersion"] == 1

    run(scenario())


def test_an_agent_that_minds_being_asked_twice_is_taken_at_its_first_word() -> None:
    async def scenario() -> None:
        profile, asked = await _profile((1, 2), LOADS, REFUSED)
        assert (profile.version, profile.capabilities.load, len(asked)) == (1, True, 2)

    run(scenario())


def test_a_first_word_that_cannot_be_read_is_the_agent_s_mistake() -> None:
    async def scenario() -> None:
        broken = {"result": {"protocolVersion": 1, "agentCapabilities": 5, "authMethods": 5}}
        with pytest.raises((RemoteProtocolError, RpcError)):
            await _profile((1,), {"result": {"protocolVersion": "one"}})
        profile, _ = await _profile((1, 2), broken, REFUSED)
        assert profile.version == 1

    run(scenario())


def test_neg_07_an_answer_with_a_version_nobody_asked_for_is_refused() -> None:
    async def scenario() -> None:
        with pytest.raises(RemoteProtocolError, match="does not speak version 2"):
            await _profile((2,), OLD)
        with pytest.raises(RemoteProtocolError, match="was not asked for"):
            await _profile((1,), NEW)
        with pytest.raises(RemoteProtocolError, match="unknown version"):
            await _profile((1, 2), {"result": {"protocolVersion": 7}})

    run(scenario())


def test_an_agent_that_names_version_1_in_its_refusal_is_asked_for_it() -> None:
    async def scenario() -> None:
        mismatch = {"code": -32022, "message": "no", "data": {"requested": 2, "supported": [1]}}
        profile, asked = await _profile((1, 2), {"error": mismatch}, LOADS)
        assert (profile.version, len(asked)) == (1, 2)
        with pytest.raises(InternalError, match="once is enough"):
            await _profile((1, 2), {"error": mismatch}, REFUSED)
        with pytest.raises(VersionMismatch):
            await _profile((1, 2), {"error": {**mismatch, "data": {"supported": [9]}}})

    run(scenario())


def test_an_agent_that_refuses_version_1_refuses() -> None:
    async def scenario() -> None:
        with pytest.raises(RpcError, match="once is enough"):
            await _profile((1,), REFUSED)

    run(scenario())


class Shell:
    """Terminals that note whether they were given back."""

    def __init__(self) -> None:
        self.released = asyncio.Event()

    async def create(self, session_id: str, command: str, *args: Any, **more: Any) -> Any:
        return self

    id = "t"

    async def release(self) -> None:
        self.released.set()


def test_what_a_version_1_agent_leaves_behind_is_given_back_at_the_end() -> None:
    async def scenario() -> None:
        near, far = memory_pair()
        peer, shell = RawPeer(far), Shell()
        terminals: Terminals = shell  # pyright: ignore
        registry = ClientRegistry(Implementation("c", "1"), terminals=terminals)

        async def answer() -> None:
            request = await peer.request("initialize")
            peer.reply(request, INITIALIZED[1])
            peer.reply(await peer.request("session/new"), {"sessionId": "s"})
            await peer.result("terminal/create", {"sessionId": "s", "command": "make"})

        async with Tasks() as tasks:
            answering = tasks.start(answer())
            role = ConnectedClient(registry)
            async with connect(near, role, Settings(versions=(1,))) as agent:
                await agent.new_session(SessionRequest("/"))
                await answering
                assert not shell.released.is_set()
        assert shell.released.is_set()

    run(scenario())
