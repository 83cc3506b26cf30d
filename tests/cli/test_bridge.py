"""`parley bridge` between real processes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parley.cli.bridge import Ledger
from parley.cli.main import main
from parley.protocol.settings import Loss

PROGRAM = "import sys; from parley.cli.main import main; sys.exit(main())"
PARLEY = [sys.executable, "-c", PROGRAM]
AGENT = """
import asyncio, sys
from parley import Agent, Settings
from parley.session.event import ToolCallChanged
agent = Agent("behind")

@agent.prompt
async def answer(turn):
    await turn.emit(ToolCallChanged("t", title="T", status="paused"))
    await turn.say("hello")

agent.run(Settings(versions=(int(sys.argv[1]),)))
"""


def client_lines(version: int) -> bytes:
    """What a client of a version sends before it hangs up."""
    start: dict[int, Any] = {
        1: {"protocolVersion": 1},
        2: {"protocolVersion": 2, "info": {"name": "c", "version": "1"}},
    }
    opening = ("session/new", {"cwd": "/", "mcpServers": []})
    messages = [("initialize", start[version]), opening]
    return b"".join(_line(id_, *message) for id_, message in enumerate(messages, 1))


def _line(id_: int, method: str, params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


class Bridge:
    """A bridge process with an agent behind it, driven by hand."""

    def __init__(self, agent_version: int, *options: str) -> None:
        command = [*PARLEY, "bridge", *options, "--", sys.executable, "-c", AGENT]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [*command, str(agent_version)], stdin=pipe, stdout=pipe, stderr=pipe
        )
        self._last_id = 0

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """Ask and read on until the answer is there."""
        assert self._process.stdin
        assert self._process.stdout
        self._last_id += 1
        self._process.stdin.write(_line(self._last_id, method, params))
        self._process.stdin.flush()
        while True:
            message: dict[str, Any] = json.loads(self._process.stdout.readline())
            if message.get("id") == self._last_id and "method" not in message:
                return message

    def leave(self) -> tuple[int, str]:
        """Hang up; the exit status, and what was said on stderr."""
        _, stderr = self._process.communicate(timeout=10)
        return self._process.returncode, stderr.decode()

    def turn(self) -> dict[str, Any]:
        """Drive one turn as a client of version 1; the answer to the prompt."""
        self.ask("initialize", {"protocolVersion": 1})
        opened = self.ask("session/new", {"cwd": "/", "mcpServers": []})["result"]
        prompt = [{"type": "text", "text": "hi"}]
        return self.ask("session/prompt", {"sessionId": opened["sessionId"], "prompt": prompt})


def test_a_client_of_version_1_drives_an_agent_of_version_2(tmp_path: Path) -> None:
    losses = tmp_path / "losses.jsonl"
    bridge = Bridge(2, "--losses", str(losses))
    assert bridge.turn()["result"]["stopReason"] == "end_turn"
    status, said = bridge.leave()
    assert status == 0
    assert "lost tool_call.status (1 times)" in said
    (record,) = [json.loads(line) for line in losses.read_text().splitlines()]
    assert record["loss"] == "tool_call.status"
    assert record["sessionId"]


def test_a_strict_bridge_says_in_the_answer_what_it_would_have_lost() -> None:
    bridge = Bridge(2, "--strict")
    error = bridge.turn()["error"]
    assert error["data"]["acpBridge"]["loss"] == "tool_call.status"
    assert bridge.leave()[0] == 0


@pytest.mark.parametrize("client_version", [1, 2])
def test_nothing_but_messages_is_on_stdout_and_the_end_of_the_client_ends_all(
    client_version: int,
) -> None:
    command = [*PARLEY, "bridge", "--", sys.executable, "-c", AGENT, str(3 - client_version)]
    done = subprocess.run(
        command, input=client_lines(client_version), capture_output=True, timeout=10
    )
    assert done.returncode == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in done.stdout.splitlines())


def test_an_agent_that_does_not_exist_is_named_to_the_client() -> None:
    command = [*PARLEY, "bridge", "--", "./no-such-agent"]
    done = subprocess.run(command, input=client_lines(1), capture_output=True, timeout=10)
    first = json.loads(done.stdout.splitlines()[0])
    assert "no-such-agent" in first["error"]["message"]


def test_the_agent_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bridge", "--strict"])
    assert ended.value.code == 2
    assert "AGENT" in capsys.readouterr().err


def test_losses_are_counted_and_written_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = Ledger()
    ledger.add(Loss("a", "first"))
    with open(tmp_path / "losses", "w") as file:
        ledger.file = file
        ledger.add(Loss("a", "again", "s"))
    ledger.summarise()
    assert capsys.readouterr().err == "parley bridge: lost a (2 times)\n"
    record = json.loads((tmp_path / "losses").read_text())
    assert record == {"loss": "a", "detail": "again", "sessionId": "s"}
