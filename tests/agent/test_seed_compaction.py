"""What the seed says of a conversation that becomes too long, and what a client sees of it."""

from tests.agent.stage import Scene, Script, Stage, texts

LONG = "word " * 3_000
SUMMARY = "The user sends words."
SCRIPT: Script = {
    "models": [{"id": "small", "context_window": 16_000, "max_output": 2_000}],
    "answers": [
        {"when": "Write the summary of this transcript.", "text": SUMMARY, "repeat": True},
        {"when": "word", "text": "Read.", "repeat": True},
    ],
}


def test_a_compaction_is_told_as_text_or_as_what_it_is_and_every_message_is_kept(
    agent: Stage,
) -> None:
    scene = agent.open()
    for number in range(3):
        assert scene.stop_reason(f"{number} {LONG}") == "end_turn"
    if agent.version == 1:
        _is_told_as_text(scene)
    else:
        _is_told_as_a_compaction(scene)
    agent.client.call("session/close", sessionId=scene.id)
    loaded = str(agent.client.load(scene.id, scene.folder))
    assert [f"{number} {LONG}" in loaded for number in range(3)] == [True] * 3
    assert scene.stop_reason("one more word") == "end_turn"


def _is_told_as_text(scene: Scene) -> None:
    """A client that does not say that it knows compactions is told in words."""
    assert not any(each["sessionUpdate"].startswith("compaction") for each in scene.updates())
    assert "[warning] The context of the model was nearly full" in scene.said()


def _is_told_as_a_compaction(scene: Scene) -> None:
    begun, grown, done = (
        each for each in scene.updates() if each["sessionUpdate"].startswith("compaction")
    )
    assert (begun["status"], done["status"]) == ("in_progress", "completed")
    assert texts([grown]) == [SUMMARY]
    assert begun["compactionId"] == grown["compactionId"] == done["compactionId"]
    (usage,) = scene.updates("usage_update")
    assert usage["size"] == 16_000
    assert 5_000 < usage["used"] < 12_800
