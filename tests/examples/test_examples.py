"""The programs that the README shows do what it says."""

import json
import subprocess
import sys

from tests.architecture.source_tree import ROOT

TALK = [sys.executable, str(ROOT / "examples" / "talk.py")]
AGENT = [sys.executable, str(ROOT / "examples" / "echo_agent.py")]


def test_talking_to_the_echo_agent_prints_the_conversation() -> None:
    finished = _run([*TALK, "Hello, wörld"])
    assert finished.stderr == ""
    assert finished.stdout.splitlines() == [
        "you: Hello, wörld",
        "agent: Hello, wörld",
        "(the turn ended: end_turn)",
    ]
    assert finished.returncode == 0


def test_talking_without_words_shows_the_usage() -> None:
    finished = _run(TALK)
    assert finished.returncode == 1
    assert finished.stderr == 'usage: examples/talk.py "what to say"\n'


def test_the_echo_agent_refuses_what_it_does_not_know_and_goes_on() -> None:
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "no/such"},
        {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {"protocolVersion": 1}},
    ]
    finished = _run(AGENT, "".join(json.dumps(line) + "\n" for line in lines))
    answers = {each["id"]: each for each in map(json.loads, finished.stdout.splitlines())}
    assert answers[1]["error"]["code"] == -32601
    assert answers[2]["result"] == {"protocolVersion": 1}
    assert finished.returncode == 0


def test_the_readme_shows_the_agent_as_it_is() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    agent = (ROOT / "examples" / "echo_agent.py").read_text(encoding="utf-8")
    shown = agent[agent.index("async def serve") :]
    assert f"```python\n{shown}```" in readme


def _run(command: list[str], typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, timeout=30, check=False
    )
