"""What the seed says of permission: what is asked, what can be answered, and what it does."""

import pytest

from tests.agent.raw_process import Json
from tests.agent.stage import Scene, Script, Stage, asked_call, call, select

SCRIPT: Script = [
    {"when": "write 1", "calls": [call("write_file", path="1.txt", content="1\n")]},
    {"when": "write 2", "calls": [call("write_file", path="2.txt", content="2\n")]},
    {"when": "run 1", "calls": [call("bash", command="touch 1.txt")]},
    {"when": "run 2", "calls": [call("bash", command="touch 2.txt")]},
    {"when": "run other", "calls": [call("bash", command="mkdir other")]},
    {"when": "granted", "text": "It ran.", "repeat": True},
    {"when": "denied", "text": "I see.", "expect": "Permission denied.", "repeat": True},
    {"when": "", "text": "Well.", "repeat": True},
]
IDS = ["allow_once", "allow_always", "reject_once", "reject_always"]
TOOLS = ["write", "run"]


def test_a_question_names_the_session_the_options_and_the_call(agent: Stage) -> None:
    scene = agent.open()
    scene.prompt("write 1")
    (question,) = scene.questions()
    about = asked_call(question)
    assert question["sessionId"] == scene.id
    assert about["title"] == "Create 1.txt"
    assert about["kind"] == "edit"
    assert about["rawInput"] == {"path": "1.txt", "content": "1\n"}
    # The call was announced before, and does not run while the question is open.
    assert about["toolCallId"] == scene.calls()["write_file"][0]["toolCallId"]
    assert about["status"] == "pending"


@pytest.mark.parametrize("tool", TOOLS)
def test_a_question_offers_the_four_options(agent: Stage, tool: str) -> None:
    scene = agent.open()
    scene.prompt(f"{tool} 1")
    (question,) = scene.questions()
    assert [each["optionId"] for each in question["options"]] == IDS
    assert [each["kind"] for each in question["options"]] == IDS
    assert all(each["name"] for each in question["options"])


@pytest.mark.parametrize("tool", TOOLS)
def test_allow_once_holds_for_one_call(agent: Stage, tool: str) -> None:
    scene = _answered(agent, select("allow_once"))
    scene.prompt(f"{tool} 1 granted")
    scene.prompt(f"{tool} 2 granted")
    assert _made(scene) == ["1.txt", "2.txt"]
    assert len(scene.questions()) == 2


@pytest.mark.parametrize("tool", TOOLS)
def test_allow_always_holds_for_the_tool_in_the_session(agent: Stage, tool: str) -> None:
    scene = _answered(agent, select("allow_always"))
    scene.prompt(f"{tool} 1 granted")
    scene.prompt(f"{tool} 2 granted")
    assert _made(scene) == ["1.txt", "2.txt"]
    assert len(scene.questions()) == 1
    other = agent.open()
    other.prompt(f"{tool} 1 granted")
    assert len(other.questions()) == 1


def test_allow_always_for_a_command_holds_for_that_command(agent: Stage) -> None:
    # A shell can do everything, so the option says what it covers, and covers no more.
    scene = _answered(agent, select("allow_always"))
    scene.prompt("run 1 granted")
    scene.prompt("run other")
    assert [each["options"][1]["name"] for each in scene.questions()] == [
        "Always allow `touch …` in this session",
        "Always allow `mkdir …` in this session",
    ]


@pytest.mark.parametrize("tool", TOOLS)
def test_reject_once_holds_for_one_call(agent: Stage, tool: str) -> None:
    scene = _answered(agent, select("reject_once"))
    assert scene.stop_reason(f"{tool} 1 denied") == "end_turn"
    assert scene.stop_reason(f"{tool} 2 denied") == "end_turn"
    assert _made(scene) == []
    assert len(scene.questions()) == 2


@pytest.mark.parametrize("tool", TOOLS)
def test_reject_always_holds_for_the_tool_in_the_session(agent: Stage, tool: str) -> None:
    scene = _answered(agent, select("reject_always"))
    assert scene.stop_reason(f"{tool} 1 denied") == "end_turn"
    assert scene.stop_reason(f"{tool} 2 denied") == "end_turn"
    assert _made(scene) == []
    assert len(scene.questions()) == 1


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "answer",
    [
        select("allow_once"),
        {"outcome": "allowed", "option_id": "allow_once"},
        {"outcome": "allowed", "optionId": "allow_once"},
        {"outcome": "selected", "optionId": "allow_once"},
    ],
    ids=["standard", "printed", "mixed", "flat"],
)
def test_a_yes_is_understood_as_it_is_printed(agent_v1: Stage, answer: Json, tool: str) -> None:
    scene = _answered(agent_v1, answer)
    assert scene.stop_reason(f"{tool} 1 granted") == "end_turn"
    assert _made(scene) == ["1.txt"]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "answer",
    [{"outcome": {"outcome": "cancelled"}}, {"outcome": "denied"}, {"outcome": "cancelled"}],
    ids=["standard", "printed", "flat"],
)
def test_a_no_is_understood_as_it_is_printed(agent_v1: Stage, answer: Json, tool: str) -> None:
    scene = _answered(agent_v1, answer)
    assert scene.stop_reason(f"{tool} 1 denied") == "end_turn"
    assert _made(scene) == []


def test_version_2_knows_the_standard_answer_alone(agent_v2: Stage) -> None:
    scene = _answered(agent_v2, {"outcome": "allowed", "option_id": "allow_once"})
    assert scene.stop_reason("write 1 denied") == "end_turn"
    assert _made(scene) == []
    agent_v2.client.answers = lambda _: select("allow_once")
    assert scene.stop_reason("write 2 granted") == "end_turn"
    assert _made(scene) == ["2.txt"]


def test_a_denied_tool_is_skipped_and_the_model_is_told(agent: Stage) -> None:
    scene = _answered(agent, {"outcome": {"outcome": "cancelled"}})
    # The script goes on only if the result of the call says so.
    assert scene.stop_reason("write 1 denied") == "end_turn"
    assert scene.statuses("write_file") == ["pending", "failed"]
    assert scene.calls()["write_file"][-1]["rawOutput"].startswith("Permission denied.")
    assert _made(scene) == []


def _answered(agent: Stage, answer: Json) -> Scene:
    """A session in which every question gets this answer."""
    agent.client.answers = lambda _: answer
    return agent.open()


def _made(scene: Scene) -> list[str]:
    return sorted(each.name for each in scene.folder.iterdir() if each.name != "a.txt")
