"""The servers of a session: they cost nothing but their tools, whatever they do."""

import asyncio
from pathlib import Path

import pytest

from parley.coder.mcp import package, servers
from parley.coder.mcp.link import Terms
from parley.coder.mcp.servers import MOST_SERVERS, ServerReport, Servers
from tests.coder.mcp.peers import BOUND, Stand, by_hand, shell, standing, until


def test_servers_are_ready_each_in_its_own_time(tmp_path: Path) -> None:
    async def scenario() -> None:
        wanted = (by_hand(tmp_path), shell("exit 1", name="gone"), shell("sleep 60", name="slow"))
        async with standing(tmp_path, *wanted) as stand:
            await until(lambda: stand.servers.reports[0].state == "ready")
            said = await stand.notice()
            assert said == ("The MCP server `gone` could not be started: it ended with status 1.")
            assert stand.servers.reports == (
                ServerReport("odd", "ready", ("odd__work",)),
                ServerReport("gone", "ended", problem="it ended with status 1"),
                ServerReport("slow", "starting"),
            )
            assert list(stand.servers.tools) == ["odd__work"]

    asyncio.run(scenario())


def test_the_tools_of_a_server_that_dies_are_gone_and_the_user_is_told(tmp_path: Path) -> None:
    changes = f"""
        import threading
        def dies():
            while not os.path.exists({str(tmp_path / "die")!r}):
                time.sleep(0.01)
            sys.stderr.write("out of memory")
            sys.stderr.flush()
            os._exit(7)
        threading.Thread(target=dies, daemon=True).start()
    """

    async def scenario() -> None:
        async with standing(tmp_path, by_hand(tmp_path, changes)) as stand:
            tools = stand.servers.tools
            await stand.ready()
            assert list(tools) == ["odd__work"]
            (tmp_path / "die").touch()
            assert await stand.notice() == (
                "The MCP server `odd` ended, and its tools are gone:"
                " it ended with status 7: out of memory."
            )
            assert tools == {}

    asyncio.run(scenario())


def test_a_turn_waits_a_moment_for_servers_that_start_but_no_longer(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with standing(tmp_path) as stand:
            await stand.servers.settled()
        async with standing(tmp_path, by_hand(tmp_path)) as stand:
            await stand.servers.settled()
            assert list(stand.servers.tools) == ["odd__work"]
        told = Servers((str(tmp_path),), lambda text: None, terms=Terms(patience=0.2))
        told.start([shell("sleep 60")])
        began = asyncio.get_running_loop().time()
        await told.settled()
        assert 0.1 < asyncio.get_running_loop().time() - began < BOUND
        await told.settled()
        assert told.reports[0].state == "starting"
        await told.aclose()
        assert told.reports == ()

    asyncio.run(asyncio.wait_for(scenario(), BOUND))


def test_tools_that_cannot_be_offered_are_named(tmp_path: Path) -> None:
    changes = """
        schema = {"type": "object", "x": "y" * 70000}
        TOOLS.append({**TOOLS[0], "name": "bad\\x1b", "inputSchema": schema})
    """

    async def scenario() -> None:
        async with standing(tmp_path, by_hand(tmp_path, changes)) as stand:
            said = await stand.notice()
            assert said.endswith("has tools that no model can be offered (1): `bad\\u001b`.")
            assert list(stand.servers.tools) == ["odd__work"]

    asyncio.run(scenario())


def test_what_nobody_foresaw_costs_the_server_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*terms: object) -> str:
        raise ExceptionGroup("several", [ValueError("odd"), KeyError("more")])

    monkeypatch.setattr(servers, "_loaded", lambda: broken)

    async def scenario() -> None:
        async with standing(tmp_path, shell("true")) as stand:
            said = await stand.notice()
            assert said == "The MCP server `odd` could not be started: it failed: ValueError odd."

    asyncio.run(scenario())


def test_without_the_package_the_user_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package, "PACKAGE", "no_such_package_at_all")

    async def scenario() -> None:
        async with standing(tmp_path, shell("true")) as stand:
            assert "pip install" in await stand.notice()
            assert stand.servers.reports == ()
        async with standing(tmp_path) as stand:
            await stand.servers.settled()
            assert stand.notices == []

    asyncio.run(scenario())


def test_there_is_a_limit_to_how_many_are_started(tmp_path: Path) -> None:
    async def scenario() -> None:
        wanted = [shell("true", name=f"s{n}") for n in range(MOST_SERVERS + 1)]
        stand = Stand(tmp_path, Terms())
        stand.servers.start(wanted)
        assert len(stand.servers.reports) == MOST_SERVERS
        assert stand.notices == ["Only 32 MCP servers are started; the others are left out."]
        await stand.servers.aclose()

    asyncio.run(scenario())


def test_servers_that_come_later_take_no_name_and_no_room_of_the_first(tmp_path: Path) -> None:
    async def scenario() -> None:
        stand = Stand(tmp_path, Terms())
        stand.servers.start([shell("true", name="docs"), shell("true", name="docs")])
        stand.servers.start([shell("true", name="docs")])
        assert [each.name for each in stand.servers.reports] == ["docs", "docs_2", "docs_3"]
        stand.servers.start([shell("true", name=f"s{n}") for n in range(MOST_SERVERS)])
        assert len(stand.servers.reports) == MOST_SERVERS
        assert stand.notices == ["Only 32 MCP servers are started; the others are left out."]
        await stand.servers.aclose()

    asyncio.run(scenario())


def test_a_server_that_may_not_be_started_any_more_is_not_started(tmp_path: Path) -> None:
    mark = tmp_path / "mark"

    async def scenario() -> None:
        stand = Stand(tmp_path, Terms())
        stand.servers.start([shell(f"touch {mark}")], lambda server: False)
        said = await stand.notice()
        assert "could not be started: it has changed since you trusted it" in said
        stand.servers.start([shell("true")])
        assert [each.state for each in stand.servers.reports] == ["starting"]
        await stand.servers.aclose()

    asyncio.run(asyncio.wait_for(scenario(), BOUND))
    assert not mark.exists()
