"""Servers of a checkout over the wire: named, asked for, used, and asked for after a change."""

import json
import re
import shutil
import sys
from pathlib import Path

from bench import hostile_mcp
from tests.agent.raw_client import SECONDS, Json, allow
from tests.agent.stage import Scene, Stage, call, staged
from tests.transport.wires import until

SCRIPT: list[Json] = [
    {"when": "work", "calls": [call("helper__work")]},
    {"when": "work", "text": "Over."},
]
UNUSED = "the MCP server `helper`. Nothing of it is used"


def trusting(request: Json) -> Json:
    """Agrees to everything, whatever the kind of the options is called."""
    options = request["params"]["options"]
    chosen = next(each["optionId"] for each in options if each["kind"].startswith("allow"))
    return {"outcome": {"outcome": "selected", "optionId": chosen}}


def allowing_once(request: Json) -> Json:
    """Knows no other option than one that is not offered."""
    return {"outcome": {"outcome": "selected", "optionId": "allow_once"}}


def session_in(stage: Stage, checkout: Path) -> Scene:
    return Scene(stage.client, checkout, stage.client.open(checkout))


def is_used(scene: Scene) -> bool:
    """Whether the server is among those of the session."""
    scene.prompt("/mcp")
    return re.search("- `helper`: (?!waits)", scene.said()) is not None


def answers(scene: Scene) -> bool:
    def has_tools() -> bool:
        scene.prompt("/mcp")
        return "helper__work" in scene.said()

    return until(has_tools, SECONDS)


def has_heard(scene: Scene, words: str) -> bool:
    scene.client.wait(lambda: words in json.dumps(scene.updates()))
    return True


def made(folder: Path) -> Path:
    """A checkout that brings a server and its program along."""
    checkout = folder / "checkout"
    checkout.mkdir()
    shutil.copy(hostile_mcp.__file__, checkout / "server.py")
    args = ["-I", "-S", "./server.py", "honest"]
    named = {"helper": {"command": sys.executable, "args": args}}
    (checkout / ".mcp.json").write_text(json.dumps({"mcpServers": named}))
    return checkout


def test_a_server_of_a_checkout_is_used_once_it_is_trusted(tmp_path: Path, version: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    checkout = made(tmp_path)
    with staged(SCRIPT, home, version) as stage:
        scene = session_in(stage, checkout)
        assert has_heard(scene, UNUSED)
        assert not is_used(scene)
        scene.client.answers = allowing_once
        assert scene.stop_reason("/trust") == "end_turn"
        assert not is_used(scene)
        scene.client.answers = trusting
        assert scene.stop_reason("/trust") == "end_turn"
        asked = json.dumps(scene.questions()[-1])
        assert f"{checkout}/server.py" in asked
        assert "a change of it asks again" in asked
        assert answers(scene)
        scene.client.answers = allow
        assert scene.stop_reason("work") == "end_turn"
        assert scene.statuses("helper__work")[-1] == "completed"


def test_what_is_trusted_holds_for_that_folder_until_it_changes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    checkout = made(tmp_path)
    with staged(SCRIPT, home, 1) as stage:
        stage.client.answers = trusting
        session_in(stage, checkout).prompt("/trust")
    with staged(SCRIPT, home, 1) as stage:
        link = tmp_path / "link"
        link.symlink_to(checkout)
        scene = session_in(stage, link)
        assert answers(scene)
        assert "you trust" not in json.dumps(scene.updates())
        copy = session_in(stage, Path(shutil.copytree(checkout, tmp_path / "copy")))
        assert has_heard(copy, UNUSED)
        assert not is_used(copy)
        with (checkout / "server.py").open("a") as program:
            program.write("# Something else.\n")
        changed = session_in(stage, checkout)
        assert has_heard(changed, "`helper` (changed since you trusted it)")
        assert not is_used(changed)
