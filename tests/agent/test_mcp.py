"""MCP servers as a client of the agent sees them: tools, questions, notices, and no leftovers.

The whole campaign of servers that behave badly is `bench.mcp_servers`; this is a short form.
"""

import json
from pathlib import Path

from bench import mcp_servers
from bench.acp_process import all_gone
from tests.agent.raw_client import SECONDS, Json, RawClient, allow, refuse
from tests.agent.stage import Scene, Stage, call, staged
from tests.transport.wires import until

SCRIPT: list[Json] = [
    {"when": "work", "calls": [call("bad__work", deep={"a": [1]})]},
    {"when": "work", "text": "Over."},
]
BAD = ("missing", "hangs", "floods_notes", "huge_line", "dies_in_call", "slow_call", "breeds")


def opened(stage: Stage, *servers: Json) -> Scene:
    """A session with servers that have started."""
    room = stage.room()
    found = stage.client.call("session/new", cwd=str(room), mcpServers=list(servers))
    return started(Scene(stage.client, room, found["sessionId"]))


def started(scene: Scene) -> Scene:
    def is_ready() -> bool:
        scene.prompt("/mcp")
        return "bad__work" in scene.said()

    assert until(is_ready, SECONDS)
    return scene


def noticed(scene: Scene, words: str) -> None:
    """Wait for a notice, in whatever form the version has for it."""
    scene.client.wait(lambda: words in json.dumps(scene.updates()))


def test_clients_are_told_which_servers_can_be_named(agent: Stage) -> None:
    told = json.dumps(agent.greeting)
    assert '"mcp"' in told if agent.version == 2 else '"mcpCapabilities"' in told
    assert '"http"' in told


def test_a_tool_of_a_server_is_used_after_a_question_and_not_if_it_is_refused(
    agent: Stage,
) -> None:
    agent.client.answers = refuse
    scene = opened(agent, mcp_servers.server("dies_in_call"))
    assert scene.stop_reason("work") == "end_turn"
    assert scene.statuses("bad__work")[-1] == "failed"
    (question,) = scene.questions()
    assert 'with:\n{\n  "deep": {' in _description(question)
    # It would have died of the call.
    assert "its tools are gone" not in json.dumps(scene.updates())
    agent.client.answers = allow
    again = opened(agent, mcp_servers.server("dies_in_call"))
    assert again.stop_reason("work") == "end_turn"
    assert again.statuses("bad__work") == ["pending", "in_progress", "failed"]
    noticed(again, "its tools are gone: it ended with status 9")


def _description(question: Json) -> str:
    """What stands beside the question; version 1 has it in the content of the call."""
    return json.dumps(question).replace("\\n", "\n").replace('\\"', '"')


def test_servers_of_the_user_are_there_and_those_of_a_project_are_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    named = mcp_servers.server("honest")
    config = home / "mine.toml"
    config.write_text(
        f"[mcp.bad]\ncommand = {json.dumps(named['command'])}\nargs = {json.dumps(named['args'])}\n"
    )
    with staged(SCRIPT, home, 1, "--config", str(config)) as stage:
        room = stage.room()
        mark = tmp_path / "mark"
        bait = {"command": "touch", "args": [str(mark)]}
        (room / ".mcp.json").write_text(json.dumps({"mcpServers": {"bait": bait}}))
        scene = started(Scene(stage.client, room, stage.client.open(room)))
        noticed(scene, "the MCP server `bait`. Nothing of it is used")
        assert scene.stop_reason("work") == "end_turn"
        assert scene.statuses("bad__work")[-1] == "completed"
        assert not mark.exists()


def test_nobody_notices_bad_servers_of_other_sessions_and_none_is_left(
    tmp_path: Path, version: int
) -> None:
    ran = mcp_servers.one_run(tmp_path / "run", version, *BAD, seconds=0.5)
    assert ran.problem is None


def test_no_server_is_left_when_the_client_goes(tmp_path: Path) -> None:
    with RawClient("--provider", "offline", home=tmp_path) as client:
        client.begin()
        server = mcp_servers.server("ignores_signals")
        client.call("session/new", cwd=str(tmp_path), mcpServers=[server])
        assert client.end() == 0
    assert all_gone(tmp_path) is not None
