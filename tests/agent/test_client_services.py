"""Files and terminals of a client of version 1: they are used, and their failures cost one call."""

import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.long_session import bash, call, edit
from tests.agent.raw_client import Json, RawClient, allow
from tests.agent.transcript import Transcript
from tests.agent.wire_formats import CHAT, KEY, Model
from tests.coder.providers.fakes.reply import Call, calls, says

FILES = {"fs": {"readTextFile": True, "writeTextFile": True}}
TERMINAL = {"terminal": True}
NOT_FOUND = {"error": {"code": -32002, "message": "Resource not found"}}
BROKEN = {"error": {"code": -32603, "message": "the editor is confused"}}
ENDED = {"exitCode": 0, "signal": None}


class Editor:
    """A client with open buffers and a terminal that does what it is told."""

    def __init__(self) -> None:
        self.buffers: dict[str, str] = {}
        self.calls: list[tuple[str, Json]] = []
        """What it was asked for, permissions apart."""
        self.replies: dict[str, Callable[[Json], Any]] = {
            "session/request_permission": lambda params: allow({"params": params}),
            "fs/read_text_file": self._read,
            "fs/write_text_file": self._write,
            "terminal/create": lambda params: {"terminalId": f"term-{len(self.calls)}"},
            "terminal/wait_for_exit": lambda params: ENDED,
            "terminal/output": lambda params: {"output": "from afar\n", "truncated": False},
            "terminal/kill": lambda params: {},
            "terminal/release": lambda params: {},
        }

    def __call__(self, request: Json) -> Json | None:
        method, params = request["method"], request["params"]
        if method != "session/request_permission":
            self.calls.append((method, params))
        return self.replies[method](params)

    def methods(self) -> list[str]:
        return [method for method, _ in self.calls]

    def _read(self, params: Json) -> Json:
        text = self.buffers.get(params["path"])
        return NOT_FOUND if text is None else {"content": text}

    def _write(self, params: Json) -> Json:
        self.buffers[params["path"]] = params["content"]
        return {}


class Desk:
    """An editor with a session of the agent in it."""

    def __init__(self, model: Model, client: RawClient, editor: Editor, cwd: Path) -> None:
        self.model = model
        self.client = client
        self.editor = editor
        self.cwd = cwd
        self.session = client.open(cwd)

    def runs(self, *wanted: Call) -> tuple[list[tuple[str, str]], str]:
        """Calls one after the other; how each ended, and all the model was told."""
        self.model.plays(*map(calls, wanted), says("Done."))
        turn = self.client.start_prompt(self.session, "Go")
        assert self.client.ended(turn)["stopReason"] == "end_turn"
        transcript = Transcript(self.client.updates(self.session, turn.since))
        told = self.model.server.requests[-1].body["messages"]
        results = [each["content"] for each in told if each["role"] == "tool"]
        return transcript.statuses(), "\n".join(results[-len(wanted) :])

    def is_cancelled_at(self, method: str, wanted: Call) -> None:
        """A call that is cancelled while the editor does not answer."""
        self.model.plays(calls(wanted))
        turn = self.client.start_prompt(self.session, "Go")
        self.client.wait_for_request(method, turn.since)
        self.client.cancel(self.session)
        assert self.client.ended(turn)["stopReason"] == "cancelled"
        statuses = Transcript(self.client.updates(self.session, turn.since)).statuses()
        assert [status for _, status in statuses] == ["failed"]


@pytest.fixture(scope="module")
def agent(
    tmp_path_factory: pytest.TempPathFactory,
) -> Generator[tuple[Model, RawClient]]:
    home = tmp_path_factory.mktemp("home")
    with Model(CHAT) as model:
        env = CHAT.configured(model.server.url, home)
        with RawClient(home=home, env=env) as client:
            client.begin(**FILES, **TERMINAL)
            yield model, client
            assert client.end() == 0
        assert model.server.violations == []


@pytest.fixture
def desk(agent: tuple[Model, RawClient], tmp_path: Path) -> Desk:
    editor = Editor()
    agent[1].answers = editor
    return Desk(*agent, editor, tmp_path)


def test_an_unsaved_buffer_is_what_is_read_and_edited(desk: Desk) -> None:
    path = desk.cwd / "a.txt"
    path.write_text("stored\n")
    desk.editor.buffers[str(path)] = "unsaved\n"
    steps = (call("read_file", path="a.txt"), edit("unsaved", "changed", "a.txt"))
    statuses, told = desk.runs(*steps)
    assert statuses == [("Read a.txt", "completed"), ("Edit a.txt", "completed")]
    assert "unsaved" in told
    assert "stored" not in told
    assert desk.editor.buffers[str(path)] == "changed\n"
    assert path.read_text() == "stored\n"
    assert desk.editor.calls[-1] == (
        "fs/write_text_file",
        {"sessionId": desk.session, "path": str(path), "content": "changed\n"},
    )
    question = desk.client.requests("session/request_permission")[-1]["params"]["toolCall"]
    (diff,) = [item for item in question["content"] if item["type"] == "diff"]
    assert (diff["oldText"], diff["newText"]) == ("unsaved\n", "changed\n")


def test_a_file_that_was_never_saved_is_read_and_a_new_one_is_made_by_the_editor(
    desk: Desk,
) -> None:
    desk.editor.buffers[str(desk.cwd / "new.txt")] = "only here\n"
    make = call("write_file", path="made.txt", content="made\n")
    statuses, told = desk.runs(call("read_file", path="new.txt"), make)
    assert [status for _, status in statuses] == ["completed", "completed"]
    assert "only here" in told
    assert desk.editor.buffers[str(desk.cwd / "made.txt")] == "made\n"
    assert not (desk.cwd / "made.txt").exists()


def test_what_the_editor_does_not_know_is_read_from_the_disk(desk: Desk) -> None:
    (desk.cwd / "a.txt").write_text("stored\n")
    _, told = desk.runs(call("read_file", path="a.txt"))
    assert "stored" in told
    assert desk.editor.methods() == ["fs/read_text_file"]


def test_an_editor_that_fails_costs_one_call(desk: Desk) -> None:
    path = desk.cwd / "a.txt"
    path.write_text("stored\n")
    desk.editor.replies["fs/read_text_file"] = lambda params: BROKEN
    statuses, told = desk.runs(call("read_file", path="a.txt"))
    assert statuses == [("Read a.txt", "failed")]
    assert "the editor cannot read `a.txt`" in told
    desk.editor.replies["fs/read_text_file"] = lambda params: {"content": "buffer\n"}
    desk.editor.replies["fs/write_text_file"] = lambda params: BROKEN
    steps = (call("read_file", path="a.txt"), edit("buffer", "changed", "a.txt"))
    statuses, told = desk.runs(*steps)
    assert [status for _, status in statuses] == ["completed", "failed"]
    assert "the editor cannot write `a.txt`" in told
    assert path.read_text() == "stored\n"
    desk.editor.replies["fs/read_text_file"] = lambda params: {"content": 7}
    statuses, told = desk.runs(call("read_file", path="a.txt"))
    assert statuses == [("Read a.txt", "failed")]


def test_an_editor_that_hangs_is_cancelled(desk: Desk) -> None:
    (desk.cwd / "a.txt").write_text("stored\n")
    desk.editor.buffers[str(desk.cwd / "a.txt")] = "buffer\n"
    desk.runs(call("read_file", path="a.txt"))
    desk.editor.replies["fs/write_text_file"] = lambda params: None
    desk.is_cancelled_at("fs/write_text_file", edit("buffer", "changed", "a.txt"))
    desk.editor.replies["fs/read_text_file"] = lambda params: None
    desk.is_cancelled_at("fs/read_text_file", call("read_file", path="a.txt"))
    _, told = desk.runs(call("list_files"))
    assert "a.txt" in told


def test_a_command_runs_in_a_terminal_of_the_editor(desk: Desk) -> None:
    statuses, told = desk.runs(bash("make all"))
    assert statuses == [("Run `make all`", "completed")]
    assert "Exit code 0" in told
    assert "from afar" in told
    assert desk.editor.methods() == [
        "terminal/create",
        "terminal/wait_for_exit",
        "terminal/output",
        "terminal/release",
    ]
    created = desk.editor.calls[0][1]
    assert (created["command"], created["args"]) == ("/bin/bash", ["-c", "make all"])
    assert created["cwd"] == str(desk.cwd)
    # The key is hidden from a command that would inherit it from the editor.
    env = {each["name"]: each["value"] for each in created["env"]}
    assert env["OPENAI_API_KEY"] == ""
    # Nor does git run what a repository names as its monitor.
    assert (env["GIT_CONFIG_KEY_0"], env["GIT_CONFIG_VALUE_0"]) == ("core.fsmonitor", "false")
    assert KEY not in json.dumps(desk.client.messages)
    shown = [json.dumps(update) for update in desk.client.updates(desk.session)]
    assert any('"type": "terminal", "terminalId": "term-1"' in each for each in shown)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ({"exitCode": 2, "signal": None}, "Exit code 2"),
        ({"exitCode": None, "signal": "SIGKILL"}, "Ended by SIGKILL"),
        ({}, "Exit code unknown"),
    ],
)
def test_the_end_of_a_command_is_told_as_the_editor_tells_it(
    desk: Desk, status: Json, words: str
) -> None:
    desk.editor.replies["terminal/wait_for_exit"] = lambda params: status
    statuses, told = desk.runs(bash("make all"))
    assert statuses == [("Run `make all`", "failed")]
    assert words in told


def test_a_terminal_that_fails_costs_one_call_and_is_released(desk: Desk) -> None:
    desk.editor.replies["terminal/create"] = lambda params: BROKEN
    statuses, told = desk.runs(bash("make all"))
    assert statuses == [("Run `make all`", "failed")]
    assert "could not run the command in a terminal" in told
    desk.editor.replies["terminal/create"] = lambda params: {"terminalId": "t"}
    for method in ("terminal/wait_for_exit", "terminal/output"):
        before = desk.editor.replies[method]
        desk.editor.replies[method] = lambda params: BROKEN
        desk.editor.calls.clear()
        statuses, told = desk.runs(bash("make all"))
        assert statuses == [("Run `make all`", "failed")]
        assert desk.editor.methods()[-1] == "terminal/release"
        desk.editor.replies[method] = before
    desk.editor.replies["terminal/release"] = lambda params: BROKEN
    assert desk.runs(bash("make all"))[0] == [("Run `make all`", "completed")]


def test_a_command_that_takes_too_long_is_killed_by_the_editor(desk: Desk) -> None:
    waits: list[Json] = []

    def wait(params: Json) -> Json | None:
        waits.append(params)
        return None if len(waits) == 1 else {"exitCode": None, "signal": "SIGTERM"}

    desk.editor.replies["terminal/wait_for_exit"] = wait
    statuses, told = desk.runs(bash("make all", timeout=1))
    assert statuses == [("Run `make all`", "failed")]
    assert "Timed out after 1 seconds" in told
    assert "from afar" in told
    assert desk.editor.methods()[1:] == [
        "terminal/wait_for_exit",
        "terminal/kill",
        "terminal/wait_for_exit",
        "terminal/output",
        "terminal/release",
    ]


def test_a_command_that_is_cancelled_gives_its_terminal_back(desk: Desk) -> None:
    desk.editor.replies["terminal/wait_for_exit"] = lambda params: None
    desk.is_cancelled_at("terminal/wait_for_exit", bash("make all"))
    assert desk.editor.methods()[-1] == "terminal/release"
    desk.editor.replies["terminal/create"] = lambda params: None
    desk.is_cancelled_at("terminal/create", bash("make all"))
    desk.editor.replies["terminal/create"] = lambda params: {"terminalId": "t"}
    desk.editor.replies["terminal/wait_for_exit"] = lambda params: ENDED
    assert desk.runs(bash("make all"))[0] == [("Run `make all`", "completed")]


def test_what_a_client_does_not_offer_is_done_here(tmp_path: Path) -> None:
    editor = Editor()
    with Model(CHAT) as model:
        env = CHAT.configured(model.server.url, tmp_path)
        with RawClient(home=tmp_path, env=env, answers=editor) as client:
            client.begin(fs={"readTextFile": True, "writeTextFile": False}, terminal=False)
            desk = Desk(model, client, editor, tmp_path)
            path = tmp_path / "a.txt"
            path.write_text("stored\n")
            editor.buffers[str(path)] = "unsaved\n"
            steps = (
                call("read_file", path="a.txt"),
                edit("unsaved", "changed", "a.txt"),
                bash("cat a.txt"),
            )
            statuses, told = desk.runs(*steps)
            assert [status for _, status in statuses] == ["completed"] * 3
            assert "Exit code 0\n\nchanged" in told
            assert set(editor.methods()) == {"fs/read_text_file"}
