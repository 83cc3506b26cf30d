"""What the seed says of beginning: `initialize`, and every way to open, list, change and end."""

from pathlib import Path

import pytest

from tests.agent.raw_client import RawClient
from tests.agent.raw_process import Json
from tests.agent.stage import Scene, Script, Stage, call, staged

SCRIPT: Script = [
    {"when": "hello", "text": "Hello."},
    {"when": "hold", "text": ["I wait", " no more."], "wait": {"for": "go", "after": 1}},
    {"when": "first", "text": "This is the first answer."},
    {"when": "second", "text": "This is the second answer."},
    {"when": "work", "calls": [call("bash", command="touch begun; sleep 30")]},
    {"when": "and now", "text": "I go on."},
]
UNKNOWN = "there-is-no-such-session"


# initialize


def test_initialize_must_come_first(tmp_path: Path, version: int) -> None:
    with RawClient(home=tmp_path, version=version) as client:
        early = client.answer(client.start("session/new", cwd=str(tmp_path), mcpServers=[]))
        assert early["error"]["code"] == -32600
        assert client.begin()["protocolVersion"] == version
        assert client.open(tmp_path)


def test_initialize_agrees_on_a_version_and_names_the_agent(agent: Stage) -> None:
    answer = agent.greeting
    assert answer["protocolVersion"] == agent.version
    info = answer["agentInfo" if agent.version == 1 else "info"]
    assert info["name"] == "parley"
    assert info["version"]


def test_the_client_may_introduce_itself(tmp_path: Path, version: int) -> None:
    named = "clientInfo" if version == 1 else "info"
    with RawClient(home=tmp_path, version=version) as client:
        params = {"protocolVersion": version, named: {"name": "raw", "version": "1"}}
        params["clientCapabilities" if version == 1 else "capabilities"] = {}
        assert client.call("initialize", **params)["protocolVersion"] == version


def test_nobody_need_log_in_where_credentials_are_there(agent: Stage) -> None:
    assert agent.greeting.get("authMethods", []) == []


def test_the_capabilities_are_those_of_the_seed(agent_v1: Stage) -> None:
    can = agent_v1.greeting["agentCapabilities"]
    assert can["loadSession"] is True
    assert can["promptCapabilities"] == {"embeddedContext": True, "image": False, "audio": False}
    assert can["sessionCapabilities"]["list"] == {}
    assert can["sessionCapabilities"]["close"] == {}


def test_the_capabilities_are_the_same_in_version_2(agent_v2: Stage) -> None:
    # Loading, listing and closing need no word there: every agent does it.
    assert agent_v2.greeting["capabilities"]["session"]["prompt"] == {"embeddedContext": {}}


# session/new


def test_a_new_session_has_an_id_of_its_own(agent: Stage) -> None:
    room = agent.room()
    one, other = agent.client.open(room), agent.client.open(room)
    assert one
    assert one != other


def test_a_new_session_lists_modes_and_models(agent_v1: Stage) -> None:
    answer = agent_v1.client.call("session/new", cwd=str(agent_v1.room()))
    _check_modes_and_models(answer)


def test_a_new_session_lists_modes_and_models_as_options(agent_v2: Stage) -> None:
    answer = agent_v2.client.call("session/new", cwd=str(agent_v2.room()), mcpServers=[])
    categories = {each.get("category") for each in answer["configOptions"]}
    assert {"mode", "model"} <= categories
    assert "models" not in answer
    assert "modes" not in answer


@pytest.mark.parametrize("cwd", ["relative/path", "", "/there/is/no/such/folder"])
def test_the_working_directory_must_be_an_absolute_folder(agent: Stage, cwd: str) -> None:
    assert agent.error("session/new", cwd=cwd, mcpServers=[])["code"] == -32602


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"mcpServers": None},
        {"mcpServers": {}},
        {"mcpServers": {"docs": {"command": "docs-server", "args": ["--stdio"]}}},
        {"mcpServers": [{"name": "docs", "command": "docs-server", "args": [], "env": []}]},
    ],
    ids=["missing", "null", "no names", "by name", "listed"],
)
def test_servers_are_accepted_though_they_do_nothing_yet(agent_v1: Stage, given: Json) -> None:
    session = agent_v1.client.call("session/new", cwd=str(agent_v1.room()), **given)["sessionId"]
    assert agent_v1.client.prompt(session, "hello")["stopReason"] == "end_turn"


def test_servers_are_accepted_in_version_2_as_well(agent_v2: Stage) -> None:
    server = {"type": "stdio", "name": "docs", "command": "docs-server", "args": [], "env": []}
    room = str(agent_v2.room())
    session = agent_v2.client.call("session/new", cwd=room, mcpServers=[server])["sessionId"]
    assert agent_v2.client.prompt(session, "hello")["stopReason"] == "end_turn"


def test_sessions_run_at_the_same_time_and_know_nothing_of_each_other(agent: Stage) -> None:
    slow, quick = agent.open(), agent.open()
    (agent.home / "go").unlink(missing_ok=True)
    turn = slow.begin("hold")
    agent.client.wait(lambda: "I wait" in slow.said())
    assert quick.stop_reason("hello") == "end_turn"
    assert quick.said() == "Hello."
    (agent.home / "go").touch()
    assert agent.client.ended(turn)["stopReason"] == "end_turn"
    assert slow.said() == "I wait no more."


# session/load, session/fork, session/resume


def test_a_loaded_session_tells_its_history_before_the_answer(agent: Stage) -> None:
    scene = _with_history(agent)
    told = agent.client.load(scene.id, scene.folder)
    kinds = [each["sessionUpdate"] for each in told]
    assert any(each.startswith("user_message") for each in kinds)
    assert "first answer" in _text_of(told)


def test_a_loaded_session_answers_with_modes_and_models(agent_v1: Stage) -> None:
    scene = _with_history(agent_v1)
    answer = agent_v1.client.call("session/load", sessionId=scene.id, cwd=str(scene.folder))
    _check_modes_and_models(answer)


def test_a_session_that_broke_off_is_repaired(tmp_path: Path, version: int) -> None:
    with staged(SCRIPT, tmp_path, version) as stage:
        scene = stage.open()
        scene.begin("work")
        stage.client.wait(lambda: "bash" in scene.calls())
        stage.client.wait(lambda: "in_progress" in scene.statuses("bash"))
        stage.client.process.kill()
    with staged(SCRIPT, tmp_path, version) as stage:
        told = stage.client.load(scene.id, scene.folder)
        statuses = [each["status"] for each in told if "status" in each]
        assert statuses[-1] in ("failed", "cancelled")
        # The script refuses a conversation in which a call has no result.
        assert stage.again(scene).stop_reason("and now") == "end_turn"


def test_a_fork_has_the_history_and_goes_its_own_way(agent_v1: Stage) -> None:
    _check_fork(agent_v1)


def test_a_fork_in_version_2_is_part_of_what_is_unstable(tmp_path: Path) -> None:
    with staged(SCRIPT, tmp_path, 2, "--unstable") as stage:
        _check_fork(stage)


def test_a_fork_answers_with_modes_and_models(agent_v1: Stage) -> None:
    scene = _with_history(agent_v1)
    answer = agent_v1.client.call("session/fork", sessionId=scene.id, cwd=str(scene.folder))
    _check_modes_and_models(answer)


def test_a_resumed_session_goes_on_without_telling_its_history(
    tmp_path: Path, version: int
) -> None:
    with staged(SCRIPT, tmp_path, version) as stage:
        scene = _with_history(stage)
    with staged(SCRIPT, tmp_path, version) as stage:
        answer = _resumed(stage, scene)
        assert "sessionId" not in answer
        after = stage.again(scene)
        assert "first answer" not in after.said()
        # The script goes on behind the answer that the conversation holds already.
        assert after.stop_reason("second") == "end_turn"
        assert after.said() == "This is the second answer."


def test_a_session_that_is_open_can_be_resumed(agent: Stage) -> None:
    scene = _with_history(agent)
    assert "sessionId" not in _resumed(agent, scene)
    assert scene.stop_reason("second") == "end_turn"


def test_a_resumed_session_answers_with_modes_and_models(agent_v1: Stage) -> None:
    _check_modes_and_models(_resumed(agent_v1, _with_history(agent_v1)))


# session/close, sessions/list, config/set


def test_a_closed_session_takes_no_prompts_and_keeps_its_history(agent: Stage) -> None:
    scene = _with_history(agent)
    assert agent.client.call("session/close", sessionId=scene.id) == {}
    blocks = [{"type": "text", "text": "second"}]
    refused = agent.error("session/prompt", sessionId=scene.id, prompt=blocks)
    assert refused["code"] == (-32602 if agent.version == 1 else -32002)
    assert "first answer" in _text_of(agent.client.load(scene.id, scene.folder))


def test_sessions_are_listed_for_one_directory(agent: Stage) -> None:
    scene, other = _with_history(agent), _with_history(agent)
    names = ("sessions/list", "session/list") if agent.version == 1 else ("session/list",)
    for name in names:
        listed = agent.client.call(name, cwd=str(scene.folder))["sessions"]
        assert [each["sessionId"] for each in listed] == [scene.id]
        assert listed[0]["cwd"] == str(scene.folder)
        assert listed[0]["title"] == "first"
        assert listed[0]["updatedAt"]
    everything = agent.client.call(names[-1])["sessions"]
    assert {scene.id, other.id} <= {each["sessionId"] for each in everything}


def test_an_option_is_set_under_either_name(agent_v1: Stage) -> None:
    scene = agent_v1.open()
    for name, value in (("config/set", "plan"), ("session/set_config_option", "ask")):
        answer = agent_v1.client.call(name, sessionId=scene.id, configId="mode", value=value)
        assert _current(answer, "mode") == value
    listed = [each["currentModeId"] for each in scene.updates("current_mode_update")]
    assert listed == ["plan", "ask"]


def test_an_option_is_set_in_version_2(agent_v2: Stage) -> None:
    scene = agent_v2.open()
    change = {"configId": "mode", "type": "id", "value": "plan"}
    answer = agent_v2.client.call("session/set_config_option", sessionId=scene.id, **change)
    assert _current(answer, "mode") == "plan"


@pytest.mark.parametrize("value", ["no such mode", 3, None, [], {}, True])
def test_a_value_that_is_not_offered_changes_nothing(agent_v1: Stage, value: object) -> None:
    scene = agent_v1.open()
    params = {"sessionId": scene.id, "configId": "mode", "value": value}
    assert agent_v1.error("config/set", **params)["code"] == -32602
    unknown = {"sessionId": scene.id, "configId": "no such option", "value": "ask"}
    assert agent_v1.error("config/set", **unknown)["code"] == -32602


# Unknown sessions.

PROMPT = [{"type": "text", "text": "hello"}]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/prompt", {"prompt": PROMPT}),
        ("session/load", {"cwd": "/"}),
        ("session/fork", {"cwd": "/"}),
        ("session/resume", {"cwd": "/"}),
        ("config/set", {"configId": "mode", "value": "ask"}),
        ("session/set_mode", {"modeId": "ask"}),
        ("session/set_model", {"modelId": "scripted/scripted"}),
    ],
)
def test_an_unknown_session_is_an_invalid_parameter(
    agent_v1: Stage, method: str, params: Json
) -> None:
    error = agent_v1.error(method, sessionId=UNKNOWN, **params)
    assert error == {
        "code": -32602,
        "message": "Invalid params",
        "data": {"session_id": "Session not found"},
    }


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/prompt", {"prompt": PROMPT}),
        ("session/resume", {"cwd": "/", "mcpServers": []}),
        ("session/set_config_option", {"configId": "mode", "type": "id", "value": "ask"}),
    ],
)
def test_an_unknown_session_has_its_own_code_in_version_2(
    agent_v2: Stage, method: str, params: Json
) -> None:
    error = agent_v2.error(method, sessionId=UNKNOWN, **params)
    assert (error["code"], error["data"]) == (-32002, {"sessionId": UNKNOWN})


def _with_history(agent: Stage) -> Scene:
    scene = agent.open()
    assert scene.stop_reason("first") == "end_turn"
    return scene


def _resumed(agent: Stage, scene: Scene) -> Json:
    servers = {} if agent.version == 1 else {"mcpServers": []}
    where = {"sessionId": scene.id, "cwd": str(scene.folder)}
    return agent.client.call("session/resume", **where, **servers)


def _check_fork(agent: Stage) -> None:
    scene = _with_history(agent)
    where = {"sessionId": scene.id, "cwd": str(scene.folder)}
    servers = {} if agent.version == 1 else {"mcpServers": []}
    fork = Scene(
        agent.client,
        scene.folder,
        agent.client.call("session/fork", **where, **servers)["sessionId"],
    )
    assert fork.id != scene.id
    assert fork.stop_reason("second") == "end_turn"
    assert fork.said() == "This is the second answer."
    assert "second" not in scene.said()
    assert scene.stop_reason("and now") == "end_turn"
    told = _text_of(agent.client.load(fork.id, fork.folder))
    assert told == "This is the first answer.This is the second answer."


def _check_modes_and_models(answer: Json) -> None:
    modes, models = answer["modes"], answer["models"]
    assert modes["currentModeId"] == "ask"
    assert modes["currentModeId"] in {each["id"] for each in modes["availableModes"]}
    offered = {each["modelId"] for each in models["availableModels"]}
    assert models["currentModelId"] in offered
    assert all(each["name"] for each in models["availableModels"])


def _current(answer: Json, option: str) -> str:
    (found,) = (
        each["currentValue"]
        for each in answer["configOptions"]
        if option in (each.get("id"), each.get("configId"))
    )
    return found


def _text_of(updates: list[Json]) -> str:
    found: list[str] = []
    for each in updates:
        if each["sessionUpdate"] == "agent_message_chunk":
            found.append(each["content"]["text"])
        elif each["sessionUpdate"] == "agent_message":
            found += [block["text"] for block in each["content"]]
    return "".join(found)
