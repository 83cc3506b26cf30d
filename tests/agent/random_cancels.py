"""Turns that are cancelled at random moments, each followed by one that must work.

    python -m tests.agent.random_cancels --cancels 500

The model refuses every request that the real one would refuse, so a call that lost its result, or a
text that stands where none may stand, ends the run. Now and then the session is loaded again, and
must be told as it was.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.agent.long_session import answer, bash, call, project, says
from tests.agent.raw_client import Json, RawClient, Turn
from tests.agent.transcript import Transcript, said_by_user
from tests.agent.wire_formats import FORMATS, Model, WireFormat
from tests.coder.providers.fakes.reply import Say, Scripted, Slow, Think

MOST_MESSAGES = 45
"""About as many come in a whole turn."""


class Campaign:
    """One session with one wire format."""

    def __init__(self, wire: WireFormat, home: Path, version: int, chance: random.Random) -> None:
        self.counts: Counter[str] = Counter()
        self.slowest = 0.0
        """Seconds that the slowest cancelled turn took to end."""
        self._wire = wire
        self._home = home
        self._cwd = project(home / "project")
        self._version = version
        self._chance = chance
        self._told: list[Json] = []
        self._session = ""

    def run(self, cancels: int, between_loads: int) -> None:
        """Cancel so many turns, with a new process after every few of them."""
        with Model(self._wire) as model:
            for start in range(0, cancels, between_loads):
                with self._client(model) as client:
                    client.begin()
                    self._opened(client)
                    for _ in range(min(between_loads, cancels - start)):
                        self._cancelled(model, client)
                    client.call("session/close", sessionId=self._session)
                    assert client.end() == 0
                    assert client.complaints == "", client.complaints
            assert model.server.violations == []

    def _client(self, model: Model) -> RawClient:
        env = self._wire.configured(model.server.url, self._home)
        env["PARLEY_THOUGHT_LEVEL"] = "low"
        return RawClient(home=self._home, cwd=self._cwd, env=env, version=self._version)

    def _opened(self, client: RawClient) -> None:
        if not self._session:
            self._session = client.open(self._cwd)
            return
        again = Transcript(client.load(self._session, self._cwd)).parts()
        for name, part in Transcript(self._told).parts().items():
            assert again[name] == part, name
        self.counts["loads"] += 1

    def _cancelled(self, model: Model, client: RawClient) -> None:
        number = sum(self.counts.values())
        work, go_on = f"Work, part {number}.", f"Go on after part {number}."
        model.plays(*self._steps(), sign=work)
        turn = client.start_prompt(self._session, work)
        wanted = turn.since + self._chance.randrange(MOST_MESSAGES)
        client.wait(lambda: len(client.messages) > wanted or turn.request in client.answered())
        began = time.monotonic()
        client.cancel(self._session)
        reason = self._ended(client, turn, work)
        self.counts[reason] += 1
        if reason == "cancelled":
            self.slowest = max(self.slowest, time.monotonic() - began)
        model.plays(says("Fine."), sign=go_on)
        turn = client.start_prompt(self._session, go_on)
        assert self._ended(client, turn, go_on) == "end_turn"
        assert client.said(self._session, turn.since) == "Fine."

    def _ended(self, client: RawClient, turn: Turn, text: str) -> str:
        ending = client.ended(turn)
        assert "error" not in ending, ending
        updates = client.updates(self._session, turn.since)
        self._told += updates if self._version == 2 else [said_by_user(text), *updates]
        open_calls = [
            status
            for _, status in Transcript(self._told).statuses()
            if status not in ("completed", "failed", "cancelled")
        ]
        assert open_calls == []
        return ending["stopReason"]

    def _steps(self) -> list[Scripted]:
        gap = self._chance.choice((0.0, 0.002, 0.01))
        look = (call("read_file", path="calc.py"), call("grep", pattern="def"))
        write = call("write_file", path="out.txt", content=f"{self._chance.random()}\n")
        replies = (
            answer(Think(("Look. ",)), Say(("I ", "look ", "around.")), *look),
            answer(bash("echo begun; echo ended >&2; exit 1"), write, bash("cat out.txt")),
            answer(Say(("Now ", "the ", "rest.")), *look, bash("sleep 0.02")),
            says("That |was |all."),
        )
        return [Slow(reply, gap) if gap else reply for reply in replies]


def main() -> int:
    parser = argparse.ArgumentParser(description="Cancel turns of the agent at random moments.")
    parser.add_argument("--cancels", type=int, default=200, help="for each wire format")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for wire in FORMATS:
        for version in (1, 2):
            with tempfile.TemporaryDirectory() as home:
                chance = random.Random(options.seed)
                campaign = Campaign(wire, Path(home), version, chance)
                campaign.run(options.cancels // 2, between_loads=25)
            counts = ", ".join(f"{name} {n}" for name, n in sorted(campaign.counts.items()))
            slowest = f"slowest end {campaign.slowest * 1000:.0f} ms"
            sys.stdout.write(f"{wire.name} v{version}: {counts}; {slowest}; no violation\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
