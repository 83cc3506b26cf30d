"""Sessions as version 1 opens, lists and ends them, where an author or an agent is careless."""

import asyncio
from typing import Any

import pytest

from parley.errors import ResourceNotFound
from parley.protocol.settings import Settings
from parley.protocol.v1.client_side import ClientSide
from parley.session.option import Choice, Select
from parley.session.profile import AgentCapabilities, AgentProfile
from parley.session.role import SessionInfo, SessionPage, SessionRequest, SessionSetup
from tests.protocol.v1.roles import (
    HELLO,
    NEW,
    Losses,
    TestAgent,
    TestClient,
    answering,
    both,
    opened,
    run_agent,
    run_client,
)
from tests.protocol.wire import RawPeer

MODE = Select("mode", "Mode", "ask", (Choice("ask", "Ask"),), category="mode")
MODEL = Select("model", "Model", "big", (Choice("big", "Big"),), category="model")
OLD = {"sessionId": "s1", **NEW}
UNSTABLE = Settings(unstable=True)


def test_modes_and_models_come_with_every_way_of_opening_iac_06() -> None:
    agent = TestAgent(setup=SessionSetup("s1", (MODE, MODEL)))

    async def scenario(peer: RawPeer) -> None:
        for method in ("session/new", "session/load", "session/resume", "session/fork"):
            answer = await peer.result(method, NEW if method == "session/new" else OLD)
            assert answer["modes"]["currentModeId"] == "ask"
            assert answer["models"]["currentModelId"] == "big"
            # IAC-09: who resumes or loads has named the session.
            assert ("sessionId" in answer) is (method in ("session/new", "session/fork"))

    run_agent(scenario, agent, UNSTABLE)


def test_an_agent_with_credentials_of_its_own_offers_no_logins_iac_02() -> None:
    async def scenario(peer: RawPeer) -> None:
        answer = await peer.result("initialize", {"protocolVersion": 1})
        assert (answer["protocolVersion"], answer["authMethods"]) == (1, [])
        assert answer["agentInfo"]["name"] == "tested"

    run_agent(scenario, TestAgent(), initialize=None)


def test_extensions_are_announced_in_the_metadata_of_capabilities_ext_10() -> None:
    own = {"example.com/own": {"version": 1}}
    agent = TestAgent(profile=AgentProfile(capabilities=AgentCapabilities(meta=own)))

    async def scenario(peer: RawPeer) -> None:
        answer = await peer.result("initialize", {"protocolVersion": 1})
        assert answer["agentCapabilities"]["_meta"] == own

    run_agent(scenario, agent, initialize=None)


def test_only_sound_sessions_are_listed_v1_lst_08() -> None:
    agent = TestAgent()
    agent.pages = SessionPage(
        (
            SessionInfo("a", "/work", updated_at="2026-01-01T00:00:00Z"),
            SessionInfo("b", "work"),
            SessionInfo("c", "C:\\work", updated_at="yesterday"),
        )
    )
    losses = Losses()

    async def scenario(peer: RawPeer) -> None:
        assert (await peer.result("session/list"))["sessions"] == [
            {"sessionId": "a", "cwd": "/work", "updatedAt": "2026-01-01T00:00:00Z"},
            {"sessionId": "c", "cwd": "C:\\work"},
        ]

    run_agent(scenario, agent, Settings(on_loss=losses.append))
    assert losses.names() == ["session.cwd", "session.updated_at"]


def test_a_session_that_nobody_has_is_deleted_v1_del_03() -> None:
    class Strict(TestAgent):
        async def delete_session(self, session_id: str) -> None:
            raise ResourceNotFound

    async def scenario(peer: RawPeer) -> None:
        assert await peer.result("session/delete", {"sessionId": "nope"}) == {}

    run_agent(scenario, Strict())


def test_an_open_session_is_closed_before_it_is_archived_v1_u_06() -> None:
    started = asyncio.Event()

    async def work(*_: Any) -> Any:
        started.set()
        await asyncio.Event().wait()

    agent = TestAgent(work)
    agent.on_call = lambda method, params: {}

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        turn = peer.ask("session/prompt", HELLO)
        await started.wait()
        for _ in range(2):
            assert await peer.result("session/archive", {"sessionId": "s1"}) == {}
        assert (await peer.answer(turn))["result"] == {"stopReason": "cancelled"}
        archived = ("call", "session/archive", {"sessionId": "s1"})
        assert agent.calls[2:] == [("close", "s1"), archived, archived]
        assert (await peer.error("session/prompt", HELLO))["code"] == -32002

    run_agent(scenario, agent, UNSTABLE)


@pytest.mark.parametrize("how", ["load", "resume"])
def test_the_whole_list_of_roots_is_sent_again_v1_dir_03(how: str) -> None:
    request = SessionRequest("/work", ("/one", "/two"))

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        open_again = side.load_session if how == "load" else side.resume_session
        answer = answering(agent, f"session/{how}", {})
        params = await both(answer, open_again("s1", request))
        assert params["additionalDirectories"] == ["/one", "/two"]

    run_client(scenario)


def test_each_page_of_a_list_stands_for_itself_v1_dir_07() -> None:
    def entry(*more: str) -> dict[str, Any]:
        return {"sessionId": "s1", "cwd": "/work", "additionalDirectories": list(more)}

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        pages = [
            {"sessions": [entry("/one")], "nextCursor": "c"},
            {"sessions": [entry("/two")]},
        ]
        seen: list[Any] = []
        for answer in pages:
            page = await both(side.list_sessions(), answering(agent, "session/list", answer))
            seen.append((page.sessions[0].additional_directories, page.next_cursor))
        # V1-LST-04: without a cursor there is no more.
        assert seen == [(("/one",), "c"), (("/two",), None)]

    run_client(scenario)


def test_text_is_returned_as_it_is_v1_fs_09() -> None:
    client = TestClient()
    assert client.files is not None
    client.files.texts["/a"] = "one\r\ntwo\rthree"

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        read = await agent.result("fs/read_text_file", {"sessionId": "s1", "path": "/a"})
        assert read == {"content": "one\r\ntwo\rthree"}

    run_client(scenario, client)


def test_an_unknown_filter_of_archived_sessions_is_invalid_v1_u_07() -> None:
    agent = TestAgent()
    agent.pages = SessionPage((SessionInfo("a", "/work", archived=True),))

    async def scenario(peer: RawPeer) -> None:
        assert (await peer.error("session/list", {"archived": "maybe"}))["code"] == -32602
        assert agent.calls == []
        page = await peer.result("session/list", {"archived": "only"})
        assert page["sessions"] == [{"sessionId": "a", "cwd": "/work", "archived": True}]

    run_agent(scenario, agent, UNSTABLE)
