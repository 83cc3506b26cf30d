"""What the seed says of a turn: what is sent in, what comes out meanwhile, and how it ends."""

import time
from pathlib import Path

import pytest

from tests.agent.raw_process import Json
from tests.agent.stage import Script, Stage, asked_call, block_of, call, staged, texts

EVERY_TOOL = [
    call("read_file", path="a.txt"),
    call("list_files"),
    call("glob", pattern="*.txt"),
    call("grep", pattern="one"),
    call("write_file", path="new.txt", content="new\n"),
    call("edit_file", path="a.txt", edits=[{"old_text": "two", "new_text": "three"}]),
    call("bash", command="echo made > by_bash"),
    # A private address: refused without a question, and without a network.
    call("web_fetch", url="http://192.168.0.1/"),
    call("todo", items=[{"content": "Look", "status": "pending"}]),
    call("no_such_tool"),
]
KINDS = {
    "read_file": "read",
    "list_files": "read",
    "glob": "search",
    "grep": "search",
    "write_file": "edit",
    "edit_file": "edit",
    "bash": "execute",
    "web_fetch": "fetch",
    "todo": "other",
    "no_such_tool": "other",
}
SCRIPT: Script = [
    {"when": "plain words", "text": "Text arrived."},
    {"when": "file:///notes.txt\n```\ninside\n```", "text": "The resource arrived."},
    {"when": "[notes](file:///link.txt)", "text": "The link arrived."},
    {"when": "[image: image/png]", "text": "A marker of the image arrived."},
    {"when": "[audio: audio/wav]", "text": "A marker of the sound arrived."},
    {"when": "stream", "thought": ["Let me ", "think."], "text": ["One ", "two ", "three."]},
    {"when": "end", "text": "Done."},
    {"when": "long", "text": "cut o", "cause": "max_tokens"},
    {"when": "refuse", "cause": "refusal"},
    {"when": "loop", "repeat": True, "calls": [call("list_files")]},
    {
        "when": "count",
        "calls": [call("list_files")],
        "usage": {"input": 1000, "output": 20, "cached_read": 400},
    },
    {"when": "count", "text": "Counted.", "usage": {"input": 1200, "output": 30}},
    {"when": "wait", "text": ["I begin", " and end."], "wait": {"for": "never", "after": 1}},
    {"when": "slow tool", "calls": [call("bash", command="echo BEG''UN; sleep 20; touch late")]},
    {"when": "go on", "text": "I go on."},
    {"when": "break", "fault": {"text": "The model is on fire."}},
    {"when": "every tool", "calls": EVERY_TOOL},
    {"when": "every tool", "text": "All done."},
    {"when": "delegate", "calls": [call("agent", description="Look", prompt="Look around.")]},
    {"when": "delegate", "expect": "Nothing there.", "text": "Well."},
    {"when": "Look around.", "text": "Nothing there."},
    {"when": "good tool", "calls": [call("bash", command="echo well; touch done")]},
    {"when": "good tool", "text": "It worked.", "expect": "well"},
    {"when": "bad tool", "calls": [call("bash", command="echo oh no; touch done; exit 3")]},
    {"when": "bad tool", "text": "It failed.", "expect": "oh no"},
]


# Content blocks.

RESOURCE = {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": "inside"}}
LINK = {"type": "resource_link", "name": "notes", "uri": "file:///link.txt"}


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ({"type": "text", "text": "plain words"}, "Text arrived."),
        (RESOURCE, "The resource arrived."),
        (LINK, "The link arrived."),
    ],
    ids=["text", "resource", "link"],
)
def test_the_model_gets_text_resources_and_links(agent: Stage, block: Json, said: str) -> None:
    scene = agent.open()
    assert scene.stop_reason(block) == "end_turn"
    assert scene.said() == said


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (block_of("image", "image/png"), "A marker of the image arrived."),
        (block_of("audio", "audio/wav"), "A marker of the sound arrived."),
    ],
    ids=["image", "audio"],
)
def test_the_model_gets_a_marker_for_media(agent_v1: Stage, block: Json, said: str) -> None:
    scene = agent_v1.open()
    assert scene.stop_reason("look: ", block) == "end_turn"
    assert scene.said() == said


@pytest.mark.parametrize(
    "block",
    [block_of("image", "image/png"), block_of("audio", "audio/wav")],
    ids=["image", "audio"],
)
def test_media_are_refused_in_version_2(agent_v2: Stage, block: Json) -> None:
    scene = agent_v2.open()
    assert agent_v2.error("session/prompt", sessionId=scene.id, prompt=[block])["code"] == -32602


# How a turn ends.


@pytest.mark.parametrize(
    ("prompt", "reason"), [("end", "end_turn"), ("long", "max_tokens"), ("refuse", "refusal")]
)
def test_the_model_decides_how_a_turn_ends(agent: Stage, prompt: str, reason: str) -> None:
    assert agent.open().stop_reason(prompt) == reason


def test_a_turn_that_makes_too_many_requests_ends_so(tmp_path: Path, version: int) -> None:
    with staged(SCRIPT, tmp_path, version, env={"PARLEY_MAX_REQUESTS": "3"}) as stage:
        scene = stage.open()
        assert scene.stop_reason("loop") == "max_turn_requests"
        ended = [u for u in scene.updates() if u.get("status") == "completed"]
        assert len(ended) == 3


def test_the_answer_counts_the_tokens_of_the_whole_turn(agent_v1: Stage) -> None:
    usage = agent_v1.open().prompt("count")["usage"]
    counted = {name: usage[name] for name in ("inputTokens", "outputTokens", "totalTokens")}
    assert counted["inputTokens"] + counted["outputTokens"] == counted["totalTokens"]
    assert counted == {"inputTokens": 2200, "outputTokens": 50, "totalTokens": 2250}


def test_every_update_comes_before_the_end_of_the_turn(agent: Stage) -> None:
    scene = agent.open()
    turn = scene.begin("stream")
    agent.client.ended(turn)
    of_the_turn = agent.client.messages[turn.since :]
    if agent.version == 1:
        last = of_the_turn.index(agent.client.answer(turn.request))
    else:
        last = next(i for i, each in enumerate(of_the_turn) if "idle" in str(each))
    chunks = [i for i, each in enumerate(of_the_turn) if "agent_message_chunk" in str(each)]
    assert len(chunks) == 3
    assert chunks[-1] < last


# session/cancel


def test_a_cancelled_turn_stops_reading_the_model(agent: Stage) -> None:
    scene = agent.open()
    turn = scene.begin("wait")
    agent.client.wait(lambda: "I begin" in scene.said())
    agent.client.cancel(scene.id)
    assert agent.client.ended(turn)["stopReason"] == "cancelled"
    assert scene.said() == "I begin"


def test_a_cancelled_turn_drops_the_results_of_its_tools(agent: Stage) -> None:
    scene = agent.open()
    turn = scene.begin("slow tool")
    agent.client.wait(lambda: any(map(_is_output, scene.updates())))
    began = time.monotonic()
    agent.client.cancel(scene.id)
    assert agent.client.ended(turn)["stopReason"] == "cancelled"
    assert time.monotonic() - began < 5
    last = scene.calls()["bash"][-1]
    assert last["status"] == ("failed" if agent.version == 1 else "cancelled")
    assert "exit_code" not in str(last.get("rawOutput"))
    # Each call has a result all the same: the script refuses any other conversation.
    assert scene.stop_reason("go on") == "end_turn"
    assert not (scene.folder / "late").exists()


def test_cancelling_where_nothing_runs_does_nothing(agent: Stage) -> None:
    scene = agent.open()
    agent.client.cancel(scene.id)
    agent.client.cancel("no such session")
    assert scene.stop_reason("end") == "end_turn"


# Streaming events.


def test_updates_are_notifications_about_a_session(agent: Stage) -> None:
    scene = agent.open()
    scene.prompt("stream")
    sent = [each for each in agent.client.messages if scene.id in str(each.get("params"))]
    chunk = next(each for each in sent if "agent_message_chunk" in str(each))
    assert (chunk["jsonrpc"], chunk["method"]) == ("2.0", "session/update")
    assert "id" not in chunk
    assert chunk["params"]["sessionId"] == scene.id
    # The names of today; no client needs those of the seed.
    assert chunk["params"]["update"]["sessionUpdate"] == "agent_message_chunk"
    assert chunk["params"]["update"]["content"] == {"type": "text", "text": "One "}


def test_text_and_thoughts_come_piece_by_piece(agent: Stage) -> None:
    scene = agent.open()
    scene.prompt("stream")
    assert texts(scene.updates("agent_message_chunk")) == ["One ", "two ", "three."]
    assert texts(scene.updates("agent_thought_chunk")) == ["Let me ", "think."]


def test_an_error_is_told_as_text_and_ends_the_turn_as_one(agent: Stage) -> None:
    scene = agent.open()
    ending = scene.prompt("break")
    assert scene.said() == "The model is on fire."
    assert ending["error"]["code"] == -32603
    assert ending["error"]["message"] == "The model is on fire."
    assert scene.stop_reason("go on") == "end_turn"


@pytest.mark.parametrize(("prompt", "status"), [("good", "completed"), ("bad", "failed")])
def test_a_tool_call_begins_works_and_ends(agent: Stage, prompt: str, status: str) -> None:
    scene = agent.open()
    assert scene.stop_reason(f"{prompt} tool") == "end_turn"
    told = scene.calls()["bash"]
    assert scene.statuses("bash") == ["pending", "in_progress", status]
    if agent.version == 1:
        assert [each["sessionUpdate"] for each in told[:2]] == ["tool_call", "tool_call_update"]
    given = [each["rawInput"] for each in told if "rawInput" in each]
    assert given[0]["command"].startswith("echo")
    assert [bool(each.get("rawOutput")) for each in told][-2:] == [False, True]
    assert told[-1]["rawOutput"]["exit_code"] == (0 if status == "completed" else 3)


def test_each_tool_is_of_its_kind(agent: Stage) -> None:
    scene = agent.open()
    assert scene.stop_reason("every tool") == "end_turn"
    kinds = {name: told[0]["kind"] for name, told in scene.calls().items()}
    assert kinds == KINDS


# Permission categories.


def test_only_tools_that_write_or_run_are_asked_about(agent: Stage) -> None:
    scene = agent.open()
    scene.prompt("every tool")
    titles = [
        (each.get("toolCall") or each["subject"]["toolCall"])["title"] for each in scene.questions()
    ]
    assert titles == ["Create new.txt", "Edit a.txt", "Run `echo made > by_bash`"]
    assert (scene.folder / "by_bash").exists()
    ended = {name: told[-1]["status"] for name, told in scene.calls().items()}
    assert [name for name, status in ended.items() if status != "completed"] == [
        "web_fetch",
        "no_such_tool",
    ]


# Errors.

BAD_LINES = [
    (b"{", -32700),
    (b'{"jsonrpc": "2.0", "id": 7}', -32600),
    (b"[]", -32600),
    (b"42", -32600),
]


@pytest.mark.parametrize(("line", "code"), BAD_LINES)
def test_what_is_no_message_gets_an_error(agent: Stage, line: bytes, code: int) -> None:
    since = len(agent.client.messages)
    agent.client.send_line(line)
    agent.client.wait(lambda: len(agent.client.messages) > since)
    error = agent.client.messages[since]
    assert (error["jsonrpc"], error["error"]["code"]) == ("2.0", code)
    assert agent.open().stop_reason("end") == "end_turn"


def test_unknown_methods_and_wrong_parameters_get_errors(agent: Stage) -> None:
    assert agent.error("no/such/method")["code"] == -32601
    assert agent.error("session/new")["code"] == -32602
    assert agent.error("session/prompt", sessionId=3, prompt="x")["code"] == -32602
    assert agent.error("session/prompt", prompt=[])["code"] == -32602


def _is_output(update: Json) -> bool:
    """Whether the running command has written something, as each version tells it."""
    chunk = update["sessionUpdate"] == "terminal_output_chunk"
    return chunk or "BEGUN" in str(update.get("content"))


def test_an_agent_is_of_the_kind_execute_and_is_asked_about(agent: Stage) -> None:
    scene = agent.open()
    assert scene.stop_reason("delegate") == "end_turn"
    assert {told["kind"] for told in scene.calls()["agent"] if "kind" in told} == {"execute"}
    (question,) = scene.questions()
    assert asked_call(question)["title"] == "Agent: Look"
    assert asked_call(question)["rawInput"]["prompt"] == "Look around."
