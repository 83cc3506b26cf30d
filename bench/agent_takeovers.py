"""Two agents want one session: only one has it at a time, and a dead one holds nobody up.

Usage: .venv/bin/python -m bench.agent_takeovers [--rounds 100] [--seed 1]

In every round one process works in a session while another one tries to load it, and is told who
has it. Then the first one ends, in one of several ways, and the second goes on with the session.
At the end a third process loads it: what each of the two was told must be there, the one behind
the other, never mixed. The exit status is 1 if any round fails.
"""

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.acp_process import AcpProcess, Json
from bench.agent_kills import history, missing

IN_USE = -32600
TAKEN_OVER = 0.1
"""Seconds from the death of one process until another one has the session."""
PIECES = 60
_FIRST, _SECOND = "the holder works", "the second goes on"


@dataclass(frozen=True)
class Takeover:
    """How one round went."""

    kind: str
    seconds: float
    problem: str | None = None


class Place:
    """The folders of a round and its script, which waits in the middle of an answer."""

    def __init__(self, folder: Path, pause: int) -> None:
        self.home = folder / "home"
        self.cwd = folder / "project"
        self.home.mkdir()
        self.cwd.mkdir()
        self._script = folder / "script.json"
        self.go = folder / "go"
        self.waiting = folder / "waiting"
        pieces = [f"{number} " for number in range(PIECES)]
        wait = {"for": self.go.name, "after": pause, "mark": self.waiting.name}
        first = {"when": _FIRST, "text": pieces, "wait": wait}
        second = {"when": _SECOND, "text": pieces, "repeat": True}
        self._script.write_text(json.dumps([first, second]))

    def agent(self, version: int) -> AcpProcess:
        return AcpProcess(
            "--provider", "scripted", "--script", str(self._script),
            home=self.home, cwd=self.cwd, version=version,
        )  # fmt: skip


def refused(agent: AcpProcess, session: str, place: Place, holder: int) -> None:
    """Loading fails with an error that says who has the session."""
    started = time.monotonic()
    error = agent.load(session, place.cwd).get("error")
    assert error is not None, "a second process could load the session"
    assert error["code"] == IN_USE, error
    assert error["data"]["reason"] == "session_in_use", error
    assert error["data"]["pid"] == holder, error
    assert str(holder) in error["message"], error
    assert time.monotonic() - started < 1.0, "the refusal took too long"


def _killed(agent: AcpProcess, session: str, place: Place, other: AcpProcess) -> None:
    agent.kill()


def _stopped_and_killed(agent: AcpProcess, session: str, place: Place, other: AcpProcess) -> None:
    agent.process.send_signal(signal.SIGSTOP)
    refused(other, session, place, agent.process.pid)
    agent.kill()


def _stopped_and_continued(
    agent: AcpProcess, session: str, place: Place, other: AcpProcess
) -> None:
    agent.process.send_signal(signal.SIGSTOP)
    refused(other, session, place, agent.process.pid)
    agent.process.send_signal(signal.SIGCONT)
    _finished(agent, session, place, other)


def _terminated(agent: AcpProcess, session: str, place: Place, other: AcpProcess) -> None:
    agent.process.send_signal(signal.SIGTERM)
    agent.read_to_end()
    agent.process.wait(5)


def _hung_up(agent: AcpProcess, session: str, place: Place, other: AcpProcess) -> None:
    agent.end()


def _finished(agent: AcpProcess, session: str, place: Place, other: AcpProcess) -> None:
    """The turn comes to its end; the session is closed, and its process lives on."""
    place.go.touch()
    agent.pump(lambda: agent.said(session).endswith(f"{PIECES - 1} "))
    refused(other, session, place, agent.process.pid)
    if agent.version == 1:
        # The answer to the prompt, so that nothing of the turn is open any more.
        agent.pump(lambda: any("stopReason" in each.get("result", {}) for each in agent.messages))
    agent.call("session/close", sessionId=session)


Ending = Callable[[AcpProcess, str, Place, AcpProcess], None]
ENDINGS: tuple[Ending, ...] = (
    _killed, _stopped_and_killed, _stopped_and_continued, _terminated, _hung_up, _finished,
)  # fmt: skip


def one_round(
    folder: Path, version: int, ending: Ending, pause: int, within: float = TAKEN_OVER
) -> Takeover:
    place, kind = Place(folder, pause), ending.__name__.strip("_")
    try:
        with place.agent(version) as holder, place.agent(version) as second:
            seconds = _taken_over(place, holder, second, ending)
    except AssertionError as error:
        return Takeover(kind, 0.0, str(error)[:2000] or "an assertion failed")
    problem = f"it took {seconds:.3f} s" if seconds > within else None
    return Takeover(kind, seconds, problem)


def _taken_over(place: Place, holder: AcpProcess, second: AcpProcess, ending: Ending) -> float:
    holder.begin()
    session = holder.open(place.cwd)
    holder.start_prompt(session, _FIRST)
    second.begin()
    refused(second, session, place, holder.process.pid)
    holder.pump(place.waiting.exists)
    refused(second, session, place, holder.process.pid)
    ending(holder, session, place, second)
    started = time.monotonic()
    answer = second.load(session, place.cwd)
    seconds = time.monotonic() - started
    assert "error" not in answer, f"the session is not free: {answer['error']}"
    since = len(second.messages)
    result = second.prompt(session, _SECOND)
    assert result.get("stopReason") == "end_turn", result
    if holder.process.poll() is None:
        refused(holder, session, place, second.process.pid)
    told = history(holder.updates(session))
    later = history(second.updates(session, since))
    assert second.end() == 0
    _not_mixed(place, session, told, later, second.version)
    return seconds


def _not_mixed(
    place: Place, session: str, told: list[Json], later: list[Json], version: int
) -> None:
    """A third process: what one was told, then what the other was told, and nothing between."""
    with place.agent(version) as third:
        third.begin()
        answer = third.load(session, place.cwd)
        assert "error" not in answer, answer
        replayed = [each for each in history(third.updates(session)) if "user" not in each]
        assert third.end() == 0
    problem = missing(told, replayed)
    assert problem is None, problem
    problem = missing(later, replayed[-len(later) :])
    assert problem is None, problem
    texts = [
        update["content"]["text"]
        for update in replayed
        if update["sessionUpdate"] == "agent_message_chunk"
    ]
    pieces = [f"{number} " for number in range(PIECES)]
    first, last = texts[:-PIECES], texts[-PIECES:]
    assert first == pieces[: len(first)], f"the first answer is mixed up: {first}"
    assert last == pieces, f"the second answer is mixed up: {last}"


def race(folder: Path, version: int, count: int = 3) -> Takeover:
    """Several processes load a free session at the same moment: one gets it, and it works."""
    place = Place(folder, 0)
    try:
        with place.agent(version) as owner:
            owner.begin()
            session = owner.open(place.cwd)
            owner.prompt(session, _SECOND)
            told = history(owner.updates(session))
            assert owner.end() == 0
        _raced(place, [place.agent(version) for _ in range(count)], session, told)
    except AssertionError as error:
        return Takeover("race", 0.0, str(error)[:2000] or "an assertion failed")
    return Takeover("race", 0.0)


def _raced(place: Place, agents: list[AcpProcess], session: str, told: list[Json]) -> None:
    version = agents[0].version
    try:
        more: Json = {} if version == 1 else {"replayFrom": {"type": "start"}}
        method = "session/load" if version == 1 else "session/resume"
        for agent in agents:
            agent.begin()
        params: Json = {"sessionId": session, "cwd": str(place.cwd), "mcpServers": [], **more}
        numbers = [agent.start(method, **params) for agent in agents]
        answers = [agent.answer(number) for agent, number in zip(agents, numbers, strict=True)]
        winners = [a for a, answer in zip(agents, answers, strict=True) if "result" in answer]
        assert len(winners) == 1, f"{len(winners)} processes have the session: {answers}"
        reasons = {a["error"]["data"]["reason"] for a in answers if "error" in a}
        assert reasons == {"session_in_use"}, reasons
        since = len(winners[0].messages)
        assert winners[0].prompt(session, _SECOND).get("stopReason") == "end_turn"
        later = history(winners[0].updates(session, since))
        for agent in agents:
            assert agent is winners[0] or "error" in agent.prompt(session, _SECOND)
            assert agent.end() == 0
    finally:
        for agent in agents:
            agent.__exit__()
    _not_mixed(place, session, told, later, version)


def campaign(folder: Path, rounds: int, seed: int) -> list[Takeover]:
    """So many rounds, every way to end by turns, every seventh a race."""
    random, done = Random(seed), list[Takeover]()
    for number in range(rounds):
        place = folder / f"round-{number}"
        place.mkdir()
        version = 1 + number // (len(ENDINGS) + 1) % 2
        index = number % (len(ENDINGS) + 1)
        if index == len(ENDINGS):
            done.append(race(place, version))
        else:
            done.append(one_round(place, version, ENDINGS[index], random.randrange(PIECES)))
        if done[-1].problem:
            print(f"round {number}, {done[-1].kind}, version {version}: {done[-1].problem}",
                  file=sys.stderr)  # fmt: skip
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        done = campaign(Path(folder), options.rounds, options.seed)
    failed = sum(each.problem is not None for each in done)
    print(f"{len(done)} rounds with two processes and more: {failed} failed")
    slowest = max(each.seconds for each in done)
    print(f"slowest takeover of a session that was free: {slowest * 1000:.0f} ms")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
