"""Kill the coding agent at random points of scripted sessions, and see what a new process has left.

Usage: .venv/bin/python -m bench.agent_kills [--runs 300] [--seed 1]

Every run plays a session with text, thoughts, edits, commands, refusals and a plan, and ends the
agent with SIGKILL after a random number of bytes or a random time. Then a new process loads the
session. Whatever the client was told must be there again, update by update and in order; no tool
call may be open, no file half written, no process left; a strict model must accept the
conversation and answer the next prompt. The exit status is 1 if any run fails.
"""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench.acp_process import AcpProcess, Fuse, Json, Killed, all_gone, allow, chosen

LOAD_SECONDS = 1.0
FINAL = ("completed", "failed", "cancelled")
# What is about the moment and not about the session.
# The end of a text in a fence, as JSON, with the braces behind it.
_CLOSING = len('\\n```"}}')
_KIND = {"sessionUpdate": "tool_call_update"}
NOT_HISTORY = (
    *("state_update", "config_option_update", "current_mode_update", "notice"),
    "available_commands_update",
)
PROMPTS = ("look around", "change it", "refuse this", "run it", "think long", "change again")
BEFORE, AFTER, LAST = "value = 0\n", "value = 1\n", "value = 2\n"
PAGE = "".join(f"line {number} of a file that is written in one piece\n" for number in range(400))
REFUSED = "not wanted"
LAST_PROMPT, LAST_ANSWER = "are you still there", "I am still here."
SLOW = "for i in 1 2 3 4 5; do echo step $i; sleep 0.01; done; sleep 0.01 & wait; false"


def edit(old: str, new: str) -> Json:
    edits = [{"old_text": old, "new_text": new}]
    return {"name": "edit_file", "arguments": {"path": "value.py", "edits": edits}}


def script() -> list[Json]:
    """What the model does: every kind of thing that a client is told."""
    plan = [{"content": "first", "status": "completed"}, {"content": "second", "status": "pending"}]
    read = {"name": "read_file", "arguments": {"path": "value.py"}}
    write = {"name": "write_file", "arguments": {"path": "page.txt", "content": PAGE}}
    usage = {"input": 100, "output": 20}
    return [
        {"when": PROMPTS[0], "thought": ["Let ", "me ", "see."], "text": ["I ", "look."],
         "calls": [{"name": "list_files"}, read, {"name": "grep", "arguments": {"pattern": "v"}}]},
        {"when": PROMPTS[0], "text": ["It is ", "a value."], "usage": usage},
        {"when": PROMPTS[1], "text": "I change it.", "calls": [edit("0", "1"), write]},
        {"when": PROMPTS[1], "text": "Changed.", "usage": usage},
        {"when": PROMPTS[2], "calls": [edit("1", REFUSED), read]},
        {"when": PROMPTS[2], "text": "You refused."},
        {"when": PROMPTS[3], "thought": "A command.", "calls": [
            {"name": "todo", "arguments": {"items": plan}},
            {"name": "bash", "arguments": {"command": SLOW}},
            {"name": "no_such_tool"}, {"name": "bash", "malformed": "{"}]},
        {"when": PROMPTS[3], "text": "It failed.", "usage": usage},
        {"when": PROMPTS[4], "thought": [f"thought {n} " for n in range(100)],
         "text": [f"word {n} " for n in range(300)]},
        {"when": PROMPTS[5], "calls": [edit("1", "2")]},
        {"when": PROMPTS[5], "text": ["All ", "done."], "usage": usage},
        {"when": LAST_PROMPT, "text": LAST_ANSWER, "repeat": True},
    ]  # fmt: skip


def answers(request: Json) -> Json | None:
    """Allows everything but the edit that the script wants to be refused."""
    refused = f'"{REFUSED}"' in json.dumps(request["params"])
    return chosen(request, "reject_once") if refused else allow(request)


@dataclass(frozen=True)
class Length:
    """How much there is of a whole session, for kills at any point of it."""

    size: int
    seconds: float


@dataclass
class Round:
    """One kill and what came of it."""

    told: list[Json] = field(default_factory=list[Json])
    """What the client was told, with its own prompts in their places."""
    problems: list[str] = field(default_factory=list[str])
    patience: float = LOAD_SECONDS
    """How long a load, and the end of what the agent started, may take."""
    load_seconds: float = 0.0
    open_calls: int = 0
    """Tool calls that ran when the agent was killed."""
    in_turn: bool = False


class Project:
    """A folder to work in, a home for the agent, and the script."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.cwd = folder / "project"
        self.home.mkdir()
        self.cwd.mkdir()
        self.value = self.cwd / "value.py"
        self.value.write_text(BEFORE)
        self._script = folder / "script.json"
        self._script.write_text(json.dumps(script()))

    def agent(self, version: int) -> AcpProcess:
        return AcpProcess(
            "--provider", "scripted", "--script", str(self._script),
            home=self.home, cwd=self.cwd, version=version, answers=answers,
        )  # fmt: skip


def measured(folder: Path, version: int) -> Length:
    """Play a session to its end."""
    project = Project(folder)
    with project.agent(version) as agent:
        started = time.monotonic()
        agent.begin()
        session = agent.open(project.cwd)
        for text in PROMPTS:
            ending = agent.prompt(session, text)
            assert ending.get("stopReason") == "end_turn", ending
        taken = time.monotonic() - started
        assert agent.end() == 0
        assert not agent.complaints(), agent.complaints()
    assert project.value.read_text() == LAST
    return Length(agent.received, taken)


def killed_once(folder: Path, version: int, fuse: Fuse, patience: float = LOAD_SECONDS) -> Round:
    """Play a session, kill the agent, and check what the next one knows."""
    project, done = Project(folder), Round(patience=patience)
    sessions: list[str] = []
    with project.agent(version) as agent:
        agent.fuse = fuse
        _play(agent, project, done, sessions)
        if "Traceback" in agent.complaints():
            done.problems.append(f"a traceback: {agent.complaints()[-500:]}")
    if all_gone(project.home, patience) is None:
        done.problems.append("a process was left behind")
    if project.value.read_text() not in (BEFORE, AFTER, LAST):
        done.problems.append("a file is half edited")
    page = project.cwd / "page.txt"
    if page.exists() and page.read_text() != PAGE:
        done.problems.append("a file is half written")
    done.open_calls = sum(status not in FINAL for status in _statuses(done.told).values())
    with project.agent(version) as agent:
        try:
            _recover(agent, project, done, sessions)
        except AssertionError as error:
            done.problems.append(str(error)[:2000])
    return done


def _play(agent: AcpProcess, project: Project, done: Round, sessions: list[str]) -> None:
    sent: list[tuple[int, str]] = []
    # Where in the messages a prompt was sent, and the prompt.
    try:
        agent.begin()
        sessions.append(agent.open(project.cwd))
        for text in PROMPTS:
            sent.append((len(agent.messages), text))
            done.in_turn = True
            agent.prompt(sessions[0], text)
            done.in_turn = False
        agent.kill()
    except Killed:
        pass
    if sessions:
        done.told = _with_prompts(agent, sessions[0], sent)
    elif opened := [each for each in agent.messages if "sessionId" in each.get("result", {})]:
        sessions.append(opened[0]["result"]["sessionId"])


def _with_prompts(agent: AcpProcess, session: str, sent: list[tuple[int, str]]) -> list[Json]:
    """What was told of a session; a prompt counts as taken when something came after it."""
    found: list[Json] = []
    ends = [position for position, _ in sent[1:]] + [len(agent.messages)]
    for (start, text), end in zip(sent, ends, strict=True):
        messages = agent.messages[start:end]
        updates = history([
            each["params"]["update"] for each in messages
            if each.get("method") == "session/update" and each["params"]["sessionId"] == session
        ])  # fmt: skip
        answered = any("method" not in each for each in messages)
        if agent.version == 1 and (updates or answered):
            found.append({"user": text})
        found += updates
    return found


def history(updates: list[Json]) -> list[Json]:
    """The updates that belong to the session, in a form that is the same live and loaded."""
    found: list[Json] = []
    calls: dict[str, Json] = {}
    for update in updates:
        if update["sessionUpdate"] == "user_message_chunk":
            # A client of version 1 is not told its own prompt while it is live.
            found.append({"user": update["content"]["text"]})
        elif update["sessionUpdate"] not in NOT_HISTORY:
            known = calls.setdefault(update.get("toolCallId", ""), {"content": []})
            # After a question a call gets its own words back, which says nothing new.
            if "toolCallId" not in update or known | update | _KIND != known | _KIND:
                found.append(update)
            known.update(update)
    return found


def _recover(agent: AcpProcess, project: Project, done: Round, sessions: list[str]) -> None:
    """The session in a new process: all there, closed, and ready to go on."""
    agent.begin()
    session = sessions[0] if sessions else agent.open(project.cwd)
    replayed = _loaded(agent, project, session, done)
    problem = missing(done.told, replayed)
    assert problem is None, problem
    still_open = [id_ for id_, status in _statuses(replayed).items() if status not in FINAL]
    assert not still_open, f"tool calls are open after the load: {still_open}"
    since = len(agent.messages)
    ending = agent.prompt(session, LAST_PROMPT)
    assert ending.get("stopReason") == "end_turn", f"the next prompt fails: {ending}"
    assert agent.said(session, since) == LAST_ANSWER, agent.said(session, since)
    prompt = [{"user": LAST_PROMPT}] if agent.version == 1 else []
    news = prompt + history(agent.updates(session, since))
    again = _loaded(agent, project, session, done)
    problem = missing([*replayed, *news], again)
    assert problem is None, f"loaded again: {problem}"
    assert len(again) == len(replayed) + len(news), "something is there twice"
    assert agent.end() == 0
    assert not agent.complaints(), agent.complaints()


def _loaded(agent: AcpProcess, project: Project, session: str, done: Round) -> list[Json]:
    since, started = len(agent.messages), time.monotonic()
    answer = agent.load(session, project.cwd)
    done.load_seconds = max(done.load_seconds, time.monotonic() - started)
    assert "error" not in answer, f"the session cannot be loaded: {answer}"
    assert done.load_seconds <= done.patience, f"loading took {done.load_seconds:.2f} s"
    return history(agent.updates(session, since))


def missing(told: list[Json], replayed: list[Json]) -> str | None:
    """What a client was told and is not told again in its place."""
    place = 0
    for position, update in enumerate(told):
        if _is_look(update) and any(_has_grown(update, later) for later in replayed[place:]):
            continue
        while place < len(replayed) and _is_look(replayed[place]) and replayed[place] != update:
            place += 1
        again = replayed[place] if place < len(replayed) else None
        if update != again:
            return f"number {position} of {len(told)} was {update}, and is {again}"
        place += 1
    return None


def _is_look(update: Json) -> bool:
    """Whether it shows what a call shows so far; how often that is done is a matter of time."""
    return set(update) == {"sessionUpdate", "toolCallId", "content"}


def _has_grown(look: Json, later: Json) -> bool:
    """Whether all that a look showed is in a later one."""
    if look["toolCallId"] != later.get("toolCallId"):
        return False
    after = json.dumps(later.get("content", []))
    return all(json.dumps(item)[:-_CLOSING] in after for item in look["content"])


def _statuses(updates: list[Json]) -> dict[str, str]:
    """The last status of each tool call."""
    return {
        update["toolCallId"]: update["status"]
        for update in updates
        if "toolCallId" in update and "status" in update
    }


def fuse_for(random: Random, length: Length) -> Fuse:
    """Half of the kills come after a number of bytes, the others after a time."""
    share = random.random()
    if random.random() < 0.5:
        return Fuse(size=round(share * length.size))
    return Fuse(seconds=share * length.seconds * 1.1)


def campaign(
    folder: Path, runs: int, seed: int, *, quiet: bool = False, patience: float = LOAD_SECONDS
) -> list[Round]:
    """So many kills, in both versions by turns."""
    random = Random(seed)
    lengths: dict[int, Length] = {}
    for version in (1, 2):
        place = folder / f"whole-{version}"
        place.mkdir()
        lengths[version] = measured(place, version)
    rounds: list[Round] = []
    for number in range(runs):
        version = 1 + number % 2
        place = folder / f"run-{number}"
        place.mkdir()
        fuse = fuse_for(random, lengths[version])
        rounds.append(killed_once(place, version, fuse, patience))
        for problem in rounds[-1].problems:
            print(f"run {number}, version {version}: {problem}", file=sys.stderr)
        if not quiet and number % 25 == 24:
            print(f"{number + 1} runs", flush=True)
    return rounds


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rounds = campaign(Path(folder), options.runs, options.seed)
    failed = sum(bool(each.problems) for each in rounds)
    print(f"{len(rounds)} kills: {failed} failed")
    print(f"{sum(each.in_turn for each in rounds)} of them in a turn")
    print(f"{sum(each.open_calls for each in rounds)} tool calls were open and have an end now")
    print(f"{sum(len(each.told) for each in rounds)} updates compared")
    print(f"slowest load: {max(each.load_seconds for each in rounds) * 1000:.0f} ms")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
