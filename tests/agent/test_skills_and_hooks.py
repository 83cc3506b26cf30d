"""Skills and hooks of the user over the wire, and a checkout that brings its own."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agent.raw_process import Json
from tests.agent.stage import Scene, Stage, asked_call, call, select, staged
from tests.coder.skills.folders import add_skill

SCRIPT = [
    {"when": "load it", "calls": [call("skill", name="release")]},
    {"when": "read its notes", "calls": [call("skill", name="release", file="notes.md")]},
    {"when": "Say hello to the world", "text": "Hello."},
    {"when": "Cut the branch", "text": "Followed."},
    {"when": "use bash", "calls": [call("bash", command="echo one\necho two")]},
    {"when": "edit", "calls": [call("write_file", path="new.txt", content="x\n")]},
    {"when": "look at a.txt", "calls": [call("read_file", path="a.txt")]},
    {"text": "Done.", "repeat": True},
]


def trust(request: Json) -> Json:
    """Answers every question with the option that allows it."""
    options: list[Json] = request["params"]["options"]
    return select(next(each["optionId"] for each in options if "allow" in each["kind"]))


def configure(home: Path, text: str) -> None:
    folder = home / ".config" / "parley"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text)


def hook(home: Path, name: str, script: str) -> str:
    """Make a program of the user; its path as a TOML string."""
    path = home / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return json.dumps(str(path))


def commands(stage: Stage, scene: Scene) -> set[str]:
    """The commands that were announced last."""
    answers = [each["result"] for each in stage.client.messages if "result" in each]
    told = [*answers, *scene.updates("available_commands_update")]
    found = [each["availableCommands"] for each in told if "availableCommands" in each]
    return {each["name"] for each in found[-1]} if found else set()


def soon(condition: Callable[[], bool]) -> bool:
    """Whether something that no message tells of becomes true."""
    deadline = time.monotonic() + 5
    while not condition() and time.monotonic() < deadline:
        os.sched_yield()
    return condition()


def ended(pids: Path) -> bool:
    """Whether all processes of a list end."""
    return soon(lambda: not any(map(_lives, pids.read_text().split())))


def _lives(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def outcome(scene: Scene, tool: str) -> Json:
    return scene.calls()[tool][-1]


@pytest.mark.parametrize("version", [1, 2])
def test_skills_of_the_user_are_offered_loaded_and_typed(tmp_path: Path, version: int) -> None:
    own = tmp_path / ".config" / "parley" / "skills"
    add_skill(own, "release", "Cut the branch, then tag.", notes_md="Tag with v1.")
    add_skill(tmp_path / ".claude" / "skills", "hello", "Say hello to $ARGUMENTS.")
    add_skill(tmp_path / ".agents" / "skills", "third")
    with staged(SCRIPT, tmp_path, version) as stage:
        scene = stage.open()
        stage.client.wait(lambda: {"release", "hello", "third"} <= commands(stage, scene))
        assert scene.stop_reason("load it") == "end_turn"
        assert "Cut the branch, then tag." in str(outcome(scene, "skill"))
        assert scene.stop_reason("/hello the world") == "end_turn"
        assert scene.said().endswith("Hello.")
        assert scene.questions() == []
        other = stage.open()
        assert other.stop_reason("read its notes") == "end_turn"
        assert "Tag with v1." in str(outcome(other, "skill"))


def test_a_skill_of_a_project_is_used_when_it_is_trusted(tmp_path: Path) -> None:
    with staged(SCRIPT, tmp_path, 1) as stage:
        room = stage.room()
        add_skill(room / ".claude" / "skills", "release", "Cut the branch.")
        scene = Scene(stage.client, room, stage.client.open(room))
        assert scene.stop_reason("load it") == "end_turn"
        assert "There is no tool `skill`" in str(outcome(scene, "skill"))
        stage.client.answers = trust
        assert scene.stop_reason("/trust") == "end_turn"
        (question,) = scene.questions()
        assert "release" in str(asked_call(question))
        assert scene.stop_reason("/release now") == "end_turn"
        assert scene.said().endswith("Followed.")


@pytest.mark.parametrize("version", [1, 2])
def test_hooks_stop_ask_and_add(tmp_path: Path, version: int) -> None:
    log = tmp_path / "log"
    no = hook(tmp_path, "no", "cat >> " + str(log) + "; echo no shell today >&2; exit 2")
    ask = hook(tmp_path, "ask", """echo '{"decision": "ask", "reason": "Really?"}'""")
    note = hook(tmp_path, "note", "cat > /dev/null; env > " + str(tmp_path / "env") + "; echo seen")
    configure(
        tmp_path,
        f"""
        [[hooks.before_tool]]
        tools = ["bash"]
        command = [{no}]
        [[hooks.before_tool]]
        tools = ["read_*"]
        command = {ask}
        [[hooks.after_tool]]
        tools = ["write_file"]
        command = [{note}]
        """,
    )
    key = {"ANTHROPIC_API_KEY": "canary-key", "MY_TOKEN": "canary-token"}
    with staged(SCRIPT, tmp_path, version, "--mode", "full-access", env=key) as stage:
        scene = stage.open()
        assert scene.stop_reason("use bash") == "end_turn"
        assert scene.statuses("bash")[-1] == "failed"
        assert "no shell today" in str(outcome(scene, "bash"))
        told = json.loads(log.read_text())
        assert told["session_id"] == scene.id
        assert told["arguments"] == {"command": "echo one\necho two"}
        assert scene.questions() == []
        assert scene.stop_reason("edit") == "end_turn"
        assert scene.statuses("write_file")[-1] == "completed"
        assert "adds:\\nseen" in str(outcome(scene, "write_file")).replace("\n", "\\n")
        assert "canary" not in (tmp_path / "env").read_text()
        assert scene.stop_reason("look at a.txt") == "end_turn"
        (question,) = scene.questions()
        assert asked_call(question)["kind"] == "read"
        assert scene.statuses("read_file")[-1] == "completed"


def test_a_hook_that_is_missing_blocks_and_is_named(tmp_path: Path) -> None:
    configure(tmp_path, "[[hooks.before_tool]]\ncommand = ['/nowhere/guard']\n")
    with staged(SCRIPT, tmp_path, 2, "--mode", "full-access") as stage:
        scene = stage.open()
        assert scene.stop_reason("edit") == "end_turn"
        assert not (scene.folder / "new.txt").exists()
        assert "`hooks.before_tool[0]` (`/nowhere/guard`)" in str(scene.updates())


def test_a_hook_that_cannot_be_read_makes_sessions_ask(tmp_path: Path) -> None:
    configure(tmp_path, "[[hooks.before_tool]]\ncomand = ['/nowhere/guard']\n")
    with staged(SCRIPT, tmp_path, 1, "--mode", "full-access") as stage:
        scene = stage.open()
        assert scene.stop_reason("edit") == "end_turn"
        assert len(scene.questions()) == 1


def test_no_hook_outlives_a_cancelled_turn_or_a_killed_agent(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    slow = hook(tmp_path, "slow", f"trap '' TERM\nsleep 60 &\necho $$ $! >> {pids}\nwait")
    configure(tmp_path, f"[[hooks.before_tool]]\ncommand = [{slow}]\n")
    with staged(SCRIPT, tmp_path, 1, "--mode", "full-access") as stage:
        scene = stage.open()
        turn = scene.begin("edit")
        assert soon(lambda: pids.exists() and pids.read_text().count("\n") == 1)
        started = time.monotonic()
        stage.client.cancel(scene.id)
        assert stage.client.ended(turn)["stopReason"] == "cancelled"
        assert time.monotonic() - started < 2
        assert ended(pids)
        scene.begin("look at a.txt")
        assert soon(lambda: pids.read_text().count("\n") == 2)
        stage.client.process.kill()
        assert ended(pids)
        assert not (scene.folder / "new.txt").exists()


def test_hooks_that_a_project_ships_are_ignored(tmp_path: Path) -> None:
    with staged(SCRIPT, tmp_path, 1, "--mode", "full-access") as stage:
        room = stage.room()
        mark = tmp_path / "mark"
        entry = {"matcher": "*", "hooks": [{"type": "command", "command": f"touch {mark}"}]}
        (room / ".claude").mkdir()
        (room / ".claude" / "settings.json").write_text(
            json.dumps({"hooks": {"PreToolUse": [entry], "PostToolUse": [entry]}})
        )
        (room / ".parley").mkdir()
        (room / ".parley" / "config.toml").write_text(
            f'[[hooks.before_tool]]\ncommand = ["touch", "{mark}"]\n'
        )
        scene = Scene(stage.client, room, stage.client.open(room))
        assert scene.stop_reason("edit") == "end_turn"
        assert (room / "new.txt").exists()
        assert not mark.exists()
