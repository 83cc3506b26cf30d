"""Defects that were measured in another agent, each turned into a promise: what a client sees.

The numbers are those of the list; those before nine are in the file beside this one.
"""

import time
from pathlib import Path

import pytest

from tests.agent.raw_client import RawClient
from tests.agent.raw_process import Json
from tests.agent.stage import PERMISSION, Scene, Script, Stage, asked_call, call, staged

EDIT = call("edit_file", path="a.txt", edits=[{"old_text": "two", "new_text": "three"}])
SCRIPT: Script = [
    {"when": "edit", "calls": [call("read_file", path="a.txt")]},
    {"when": "edit", "calls": [EDIT]},
    {"when": "edit", "text": "Edited."},
    {"when": "slow", "calls": [call("bash", command="sleep 20")]},
    {"when": "count", "calls": [call("list_files")], "usage": {"input": 1000, "output": 100}},
    {"when": "count", "calls": [call("list_files")], "usage": {"input": 1200, "output": 100}},
    {
        "when": "count",
        "text": "Counted.",
        "usage": {"input": 1250, "output": 100, "cached_read": 1000, "thought": 10},
    },
    {"when": "spend", "calls": [call("bash", command="sleep 20")], "usage": {"input": 70}},
    {"when": "one", "text": ["1", "2", "3", "4", "5"]},
    {"when": "two", "text": ["a", "b", "c", "d", "e"]},
    {"when": "/etc/hosts", "text": "That is a path."},
    {"when": "/help", "text": "That is a question."},
    {"when": "", "text": "Well.", "repeat": True},
]
MODELS = [
    {"id": "small", "name": "Small", "thinking": False},
    {"id": "large", "name": "Large", "thinking": False},
]


def test_09_a_call_is_announced_before_it_is_asked_about(agent: Stage) -> None:
    scene = agent.open()
    turn = scene.begin("edit")
    agent.client.ended(turn)
    (question,) = scene.questions()
    id = asked_call(question)["toolCallId"]
    messages = agent.client.messages[turn.since :]
    asked = next(i for i, each in enumerate(messages) if each.get("method") == PERMISSION)
    before = [each["params"]["update"] for each in messages[:asked] if "update" in str(each)]
    statuses = [each.get("status") for each in before if each.get("toolCallId") == id]
    assert statuses
    assert set(statuses) == {"pending"}


def test_10_a_call_shows_what_it_does_where_and_with_what(agent: Stage) -> None:
    scene = agent.open()
    scene.prompt("edit")
    told: Json = {}
    for update in scene.calls()["edit_file"]:
        told |= update
    file = str(scene.folder / "a.txt")
    assert told["title"] == "Edit a.txt"
    assert told["rawInput"] == EDIT["arguments"]
    assert told["rawOutput"]
    assert told["locations"][0] == {"path": file, "line": 2}
    (diff,) = [each for each in told["content"] if each["type"] == "diff"]
    if agent.version == 1:
        assert (diff["path"], diff["oldText"], diff["newText"]) == (
            file,
            "one\ntwo\n",
            "one\nthree\n",
        )
    else:
        assert diff["changes"][0]["path"] == file
        assert "-two\n+three\n" in diff["patch"]["text"]


def test_10_a_cancelled_call_comes_to_an_end(agent: Stage) -> None:
    scene = agent.open()
    turn = scene.begin("slow")
    _until_it_runs(scene)
    agent.client.cancel(scene.id)
    agent.client.ended(turn)
    assert scene.statuses("bash")[-1] == ("failed" if agent.version == 1 else "cancelled")


def test_11_the_tokens_of_all_requests_of_a_turn_are_counted(agent_v1: Stage) -> None:
    answer = agent_v1.open().prompt("count")
    usage = answer["usage"]
    assert (usage["inputTokens"], usage["outputTokens"]) == (3450, 300)
    assert usage["totalTokens"] == 3750
    assert answer["_meta"]["usage"] == usage


def test_11_a_cancelled_turn_counts_its_tokens_too(agent_v1: Stage) -> None:
    scene = agent_v1.open()
    turn = scene.begin("spend")
    _until_it_runs(scene)
    agent_v1.client.cancel(scene.id)
    answer = agent_v1.client.ended(turn)
    assert (answer["stopReason"], answer["usage"]["inputTokens"]) == ("cancelled", 70)


def test_11_the_context_in_use_is_told_after_each_request(agent: Stage) -> None:
    scene = agent.open()
    scene.prompt("count")
    assert [each["used"] for each in scene.updates("usage_update")] == [1100, 1300, 1350]


def test_12_options_modes_and_models_are_set_and_kept(tmp_path: Path) -> None:
    script: Json = {"models": MODELS, "answers": SCRIPT}
    with staged(script, tmp_path, 1) as stage:
        scene = stage.open()
        id = {"sessionId": scene.id}
        stage.client.wait(lambda: len(_models(scene)) == 2)
        answer = stage.client.call(
            "session/set_config_option", **id, configId="prompt_size", value="small"
        )
        assert _values(answer["configOptions"])["prompt_size"] == "small"
        stage.client.call("session/set_mode", **id, modeId="plan")
        stage.client.call("session/set_model", **id, modelId="scripted/large")
        now = _values(scene.updates("config_option_update")[-1]["configOptions"])
        assert (now["mode"], now["model"]) == ("plan", "scripted/large")
        for method, member in (("session/set_mode", "modeId"), ("session/set_model", "modelId")):
            assert stage.error(method, **id, **{member: "unknown"})["code"] == -32602
    with staged(script, tmp_path, 1) as stage:
        loaded = stage.client.call("session/load", **id, cwd=str(scene.folder))
        values = _values(loaded["configOptions"])
        assert values["prompt_size"] == "small"
        assert loaded["modes"]["currentModeId"] == "plan"
        assert loaded["models"]["currentModelId"] == "scripted/large"


def test_12_the_login_that_is_offered_works(tmp_path: Path) -> None:
    with RawClient(home=tmp_path) as client:
        offered = client.begin()["authMethods"]
        (method,) = [each["id"] for each in offered if each.get("type") != "terminal"]
        refused = client.answer(client.start("authenticate", methodId=method))
        assert refused["error"]["code"] == -32000
        config = tmp_path / ".config" / "parley" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text('[providers.openai]\nkey = "k"\nmodels = ["m"]\n')
        config.chmod(0o600)
        assert client.call("authenticate", methodId=method) == {}
        opened = client.call("session/new", cwd=str(tmp_path), mcpServers=[])
        assert opened["models"]["currentModelId"].startswith("openai/")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{not json", -32700),
        (b"\xff\xfe", -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc": "2.0", "method": "x"}]', -32600),
        (b"42", -32600),
        (b"null", -32600),
        (b'"text"', -32600),
    ],
)
def test_13_a_bad_line_is_answered_and_ends_nothing(agent: Stage, line: bytes, code: int) -> None:
    since = len(agent.client.messages)
    agent.client.send_line(line)
    agent.client.wait(lambda: len(agent.client.messages) > since)
    assert agent.client.messages[since]["error"]["code"] == code
    assert agent.open().stop_reason("anything") == "end_turn"


def test_14_nothing_is_told_of_a_session_before_its_id(tmp_path: Path, version: int) -> None:
    # A mistake in the configuration is told in every session.
    config = tmp_path / "config.toml"
    config.write_text('[agent]\nmode = "no such mode"\n')
    with staged(SCRIPT, tmp_path, version, "--config", str(config)) as stage:
        scene = stage.open()
        stage.client.wait(lambda: "is none of its values" in str(scene.updates()))
        positions = [i for i, each in enumerate(stage.client.messages) if scene.id in str(each)]
        assert "result" in stage.client.messages[positions[0]]


@pytest.mark.parametrize("folder", ["/", "/usr"])
def test_15_a_session_works_anywhere(agent: Stage, folder: str) -> None:
    session = agent.client.open(Path(folder))
    assert agent.client.prompt(session, "anything")["stopReason"] == "end_turn"


def test_16_prompts_of_one_session_take_their_turns(agent: Stage) -> None:
    scene = agent.open()
    turns = [scene.begin("one"), scene.begin("two")]
    # In version 2 the second is not taken before the first is over.
    for turn in turns:
        agent.client.ended(turn)
    agent.client.wait(lambda: "e" in scene.said())
    assert scene.said() == "12345abcde"


def test_16_a_large_prompt_does_not_hold_up_another_session(agent: Stage) -> None:
    large, small = agent.open(), agent.open()
    turn = large.begin("x" * 4_000_000)
    began = time.monotonic()
    assert small.stop_reason("anything") == "end_turn"
    assert time.monotonic() - began < 3
    assert agent.client.ended(turn)["stopReason"] == "end_turn"


@pytest.mark.parametrize("size", [65_535, 65_536, 1_000_000])
def test_17_a_long_line_is_a_line(agent: Stage, size: int) -> None:
    assert agent.open().stop_reason("é" * size) == "end_turn"


@pytest.mark.parametrize(
    ("prompt", "said"),
    [("/etc/hosts looks odd", "That is a path."), ("/help.md is empty", "That is a question.")],
)
def test_17_a_prompt_that_begins_with_a_path_reaches_the_model(
    agent: Stage, prompt: str, said: str
) -> None:
    scene = agent.open()
    assert scene.stop_reason(prompt) == "end_turn"
    assert scene.said() == said


def _until_it_runs(scene: Scene) -> None:
    scene.client.wait(lambda: "bash" in scene.calls())
    scene.client.wait(lambda: "in_progress" in scene.statuses("bash"))


def _values(options: list[Json]) -> dict[str, str]:
    return {each["id"]: each["currentValue"] for each in options}


def _models(scene: Scene) -> list[Json]:
    """The models that were announced last."""
    announced = scene.updates("config_option_update")
    options = announced[-1]["configOptions"] if announced else []
    return [choice for each in options if each["id"] == "model" for choice in each["options"]]
