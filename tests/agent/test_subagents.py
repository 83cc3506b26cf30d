"""Sub-agents over the wire: who did what, in both versions, live and after a load."""

import base64
import json
import os
import select
import time
from pathlib import Path

from tests.agent.raw_client import RawClient
from tests.agent.raw_process import Json
from tests.agent.stage import Scene, Script, Stage, asked_call, call, staged
from tests.agent.stage import select as chosen
from tests.agent.transcript import Transcript, said_by_user

PARENT = "parley.dev/parentToolCallId"
CLOSED = {"outcome": {"outcome": "cancelled"}}
SOON = 2.0
"""Seconds for what takes a moment on a quiet machine."""


def agent(name: str, tools: str = "full") -> Json:
    """The call that starts a sub-agent; the script knows it by its task."""
    return call("agent", description=name, prompt=f"TASK {name}", tools=tools)


FOUR: list[Json] = [
    {
        "when": "Delegate",
        "text": "I let four work.",
        "calls": [agent("Survey", "read"), agent("Build"), agent("Ask"), agent("Write")],
        "usage": {"input": 100, "output": 10},
    },
    {
        "when": "Delegate",
        "expect": "It has two lines.",
        "text": "All have reported.",
        "usage": {"input": 200, "output": 10},
    },
    {
        "when": "TASK Survey",
        "text": "I read it.",
        "calls": [call("read_file", path="a.txt")],
        "usage": {"input": 1, "output": 1},
    },
    {
        "when": "TASK Survey",
        "expect": "two",
        "text": "It has two lines.",
        "usage": {"input": 1, "output": 1},
    },
    {"when": "TASK Build", "calls": [call("glob", pattern="*.txt")]},
    {"when": "TASK Build", "text": "I try", "fault": {"text": "The model is gone.", "after": 1}},
    {"when": "TASK Ask", "calls": [call("bash", command="touch never.txt")]},
    {"when": "TASK Ask", "text": "It is not reached."},
    {"when": "TASK Write", "calls": [call("write_file", path="new.txt", content="new\n")]},
    {"when": "TASK Write", "expect": "Made `new.txt`", "text": "Written."},
    {"when": "And now", "text": "I go on."},
]
ENDS = {
    "Agent: Survey": ("", "completed"),
    "Agent: Build": ("", "failed"),
    "Agent: Ask": ("", "cancelled"),
    "Agent: Write": ("", "completed"),
    "Survey: Read a.txt": ("Agent: Survey", "completed"),
    "Build: Find *.txt": ("Agent: Build", "completed"),
    "Ask: Run `touch never.txt`": ("Agent: Ask", "failed"),
    "Write: Create new.txt": ("Agent: Write", "completed"),
}
"""Every call of the turn: which one started whoever made it, and how it ended."""


def answers(request: Json) -> Json:
    """Closes the question of one sub-agent, and says yes to all else."""
    title = asked_call(request["params"])["title"]
    return CLOSED if title.startswith("Ask: ") else chosen("allow_once")


def who_did_what(transcript: Transcript) -> dict[str, tuple[str, str]]:
    titles = {id: each["title"] for id, each in transcript.calls.items()}
    return {
        each["title"]: (titles.get(each.get("_meta", {}).get(PARENT), ""), each["status"])
        for each in transcript.calls.values()
    }


def expected(version: int) -> dict[str, tuple[str, str]]:
    if version == 2:
        return ENDS
    # Version 1 has no word for a call that was cancelled.
    return {
        title: (parent, status.replace("cancelled", "failed"))
        for title, (parent, status) in ENDS.items()
    }


def test_of_four_at_once_one_fails_one_is_stopped_one_asks_and_all_can_be_told_apart(
    tmp_path: Path, version: int
) -> None:
    # The tokens of a turn are a stable part of version 1 only.
    flags = ("--unstable",) if version == 2 else ()
    with staged(FOUR, tmp_path, version, *flags) as stage:
        stage.client.answers = answers
        scene = stage.open()
        ending = scene.prompt("Delegate this.")
        assert ending["stopReason"] == "end_turn"
        told = scene.updates()
        live = Transcript([*_prompt(version, "Delegate this."), *told])
        _check_the_turn(scene, live, ending)
        assert stage.client.end() == 0
    with staged(FOUR, tmp_path, version) as again:
        replayed = Transcript(again.client.load(scene.id, scene.folder))
        assert replayed.parts() == live.parts()
        assert again.again(scene).stop_reason("And now?") == "end_turn"
    with staged(FOUR, tmp_path, 3 - version) as other:
        seen = Transcript(other.client.load(scene.id, scene.folder))
        assert who_did_what(seen) == expected(3 - version)


def _prompt(version: int, text: str) -> list[Json]:
    return [said_by_user(text)] if version == 1 else []


def _check_the_turn(scene: Scene, live: Transcript, ending: Json) -> None:
    version = scene.client.version
    assert who_did_what(live) == expected(version)
    outputs = {each["title"]: each.get("rawOutput") for each in live.calls.values()}
    assert outputs["Agent: Survey"] == "It has two lines."
    assert outputs["Agent: Write"] == "Written."
    assert outputs["Agent: Ask"] == "The call was cancelled by the user."
    assert outputs["Agent: Build"] == (
        "The sub-agent did not finish. The model is gone.\n\nWhat it said last:\nI try"
    )
    # Of what sub-agents say the session itself says nothing.
    assert scene.said() == "I let four work.All have reported."
    titles = sorted(asked_call(each)["title"] for each in scene.questions())
    assert titles == [
        "Agent: Ask",
        "Agent: Build",
        "Agent: Survey",
        "Agent: Write",
        "Ask: Run `touch never.txt`",
        "Write: Create new.txt",
    ]
    assert sorted(path.name for path in scene.folder.iterdir()) == ["a.txt", "new.txt"]
    used = ending["usage"] if version == 2 else ending["_meta"]["usage"]
    assert (used["inputTokens"], used["outputTokens"]) == (302, 22)


HOLD = "exec 3> {}.held; echo BEG''UN; sleep 60"
"""A command that holds a pipe open as long as it, or anything it started, lives."""
SLOW: Script = [
    {"when": "Delegate", "calls": [agent(f"T{n}") for n in range(4)]},
    *({"when": f"TASK T{n}", "calls": [call("bash", command=HOLD.format(n))]} for n in (0, 1)),
    *(
        {"when": f"TASK T{n}", "text": ["I", " wait"], "wait": {"for": "never", "after": 1}}
        for n in (2, 3)
    ),
    {"when": "And now", "text": "I go on."},
]


class AtWork:
    """A turn in which four sub-agents are at work, two of them in a command."""

    def __init__(self, stage: Stage) -> None:
        self.scene = stage.open()
        self._held = [self._pipe(self.scene.folder / f"{n}.held") for n in (0, 1)]
        self.turn = self.scene.begin("Delegate this.")
        stage.client.wait(self._have_begun)

    def commands_are_gone(self) -> bool:
        """Whether nothing is left of the commands; waits for that, within bounds."""
        gone: list[bool] = []
        for pipe in self._held:
            watch = select.poll()
            watch.register(pipe, select.POLLHUP)
            gone.append(bool(watch.poll(5_000)))
            os.close(pipe)
        return all(gone)

    def _have_begun(self) -> bool:
        told = self.scene.updates()
        outputs = {
            each.get("toolCallId") or each.get("terminalId") for each in told if _begun(each)
        }
        begun = {each["toolCallId"] for each in told if each.get("status") == "in_progress"}
        return len(outputs) == 2 and len(begun) == 6

    def _pipe(self, path: Path) -> int:
        os.mkfifo(path)
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK)


def _begun(update: Json) -> bool:
    text = json.dumps(update)
    return "BEGUN" in text or base64.b64encode(b"BEGUN").decode()[:6] in text


def test_cancelling_the_turn_reaches_all_of_them(tmp_path: Path, version: int) -> None:
    with staged(SLOW, tmp_path, version, "--mode", "full-access") as stage:
        work = AtWork(stage)
        asked = time.monotonic()
        stage.client.cancel(work.scene.id)
        assert stage.client.ended(work.turn)["stopReason"] == "cancelled"
        assert time.monotonic() - asked < SOON
        statuses = {status for _, status in Transcript(work.scene.updates()).statuses()}
        assert statuses == {"failed" if version == 1 else "cancelled"}
        assert work.commands_are_gone()
        assert work.scene.stop_reason("And now?") == "end_turn"


def test_those_of_a_process_that_is_killed_are_interrupted_calls(
    tmp_path: Path, version: int
) -> None:
    with staged(SLOW, tmp_path, version, "--mode", "full-access") as stage:
        work = AtWork(stage)
        stage.client.process.kill()
        assert work.commands_are_gone()
        scene = work.scene
    with staged(SLOW, tmp_path, version) as again:
        seen = Transcript(again.client.load(scene.id, scene.folder))
        assert {status for _, status in seen.statuses()} == {"failed"}
        assert len(seen.calls) == 6
        shown = [json.dumps(each["content"]) for each in seen.calls.values()]
        assert all("The call was interrupted" in each for each in shown)
        assert again.again(scene).stop_reason("And now?") == "end_turn"


def test_version_2_can_cancel_one_of_them(tmp_path: Path) -> None:
    with staged(SLOW, tmp_path, 2, "--mode", "full-access") as stage:
        work = AtWork(stage)
        scene = work.scene
        titles = {each["title"]: id for id, each in Transcript(scene.updates()).calls.items()}
        _cancel(stage.client, scene, titles["Agent: T0"])
        _cancel(stage.client, scene, titles["Agent: T2"])
        statuses = dict(Transcript(scene.updates()).statuses())
        assert statuses["Agent: T1"] == statuses["Agent: T3"] == "in_progress"
        stage.client.cancel(scene.id)
        stage.client.ended(work.turn)
        assert work.commands_are_gone()


def _cancel(client: RawClient, scene: Scene, id: str) -> None:
    client.call("tool_call/cancel", sessionId=scene.id, toolCallId=id)
    client.wait(lambda: Transcript(scene.updates()).calls[id]["status"] == "cancelled")


def test_a_client_that_cannot_be_asked_lets_nothing_happen(tmp_path: Path, version: int) -> None:
    script: Script = [{"when": "Delegate", "calls": [agent("Write")]}, *FOUR]
    error = {"error": {"code": -32601, "message": "Method not found"}}
    with staged(script, tmp_path, version) as stage:
        for question in ("Agent: Write", "Write: Create new.txt"):

            def unless(request: Json, question: str = question) -> Json:
                asked = asked_call(request["params"])["title"]
                return error if asked == question else chosen("allow_once")

            stage.client.answers = unless
            scene = stage.open()
            scene.prompt("Delegate this.")
            assert question in [asked_call(each)["title"] for each in scene.questions()]
            assert not (scene.folder / "new.txt").exists()
