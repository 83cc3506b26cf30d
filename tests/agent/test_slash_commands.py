"""Slash commands over the wire: announced, answered, and files as before after an undo."""

from pathlib import Path

import pytest

from tests.agent.raw_process import Json
from tests.agent.stage import Scene, Stage, call, staged

SCRIPT = [
    {
        "when": "work",
        "calls": [
            call("bash", command="printf three >> a.txt && mkdir made && mv a.txt made/b.txt"),
        ],
    },
    {"text": "Done."},
    {"when": "Greet the world", "text": "Hello."},
]


def _announced(stage: Stage, scene: Scene) -> list[Json]:
    """The commands of the answer that opened the session, or what followed it."""
    answers = [each["result"] for each in stage.client.messages if "result" in each]
    told = [*answers, *scene.updates("available_commands_update")]
    return next(
        (each["availableCommands"] for each in told if "availableCommands" in each), list[Json]()
    )


@pytest.mark.parametrize("version", [1, 2])
def test_commands_are_announced_and_a_turn_is_taken_back(tmp_path: Path, version: int) -> None:
    folder = tmp_path / ".config" / "parley" / "commands"
    folder.mkdir(parents=True)
    (folder / "greet.md").write_text(
        "---\ndescription: Greets\nhint: whom\n---\nGreet $ARGUMENTS", encoding="utf-8"
    )
    with staged(SCRIPT, tmp_path, version) as stage:
        scene = stage.open()
        stage.client.wait(lambda: _announced(stage, scene))
        commands = {each["name"]: each for each in _announced(stage, scene)}
        assert {"help", "undo", "review", "greet"} <= commands.keys()
        assert commands["greet"]["description"] == "Greets"
        assert commands["greet"]["input"]["hint"] == "whom"
        assert "input" not in commands["help"]
        assert scene.stop_reason("/help") == "end_turn"
        assert "`/greet [whom]`: Greets" in scene.said()
        assert scene.stop_reason("work") == "end_turn"
        assert (scene.folder / "made" / "b.txt").read_text(encoding="utf-8") == "one\ntwo\nthree"
        assert scene.stop_reason("/undo") == "end_turn"
        assert [each.name for each in scene.folder.iterdir()] == ["a.txt"]
        assert (scene.folder / "a.txt").read_text(encoding="utf-8") == "one\ntwo\n"
        assert scene.stop_reason("/greet the world") == "end_turn"
        assert scene.said().endswith("Hello.")
