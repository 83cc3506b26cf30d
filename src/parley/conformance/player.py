"""The player: one playing of a scenario, without I/O and without a clock.

`next` gives the next action; what happens is handed in by `take`, `timed_out` and `peer_ended`.
It speaks in raw frames, with no typed layer between, so that it can lie.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from parley.conformance.player_action import Action
from parley.conformance.player_desk import Departure, Desk
from parley.conformance.player_report import Mismatch, Report
from parley.conformance.player_script import Over, Script
from parley.conformance.scenario import Scenario
from parley.conformance.scenario_values import UnknownVariable
from parley.rpc.transport import Incoming

Json = Any


class Player:
    """Plays a scenario once. `variables` win over those of the scenario."""

    def __init__(self, scenario: Scenario, variables: Mapping[str, Json] | None = None) -> None:
        self._scenario = scenario
        values: dict[str, Json] = {**scenario.variables, **(variables or {})}
        self._desk = Desk(scenario, values)
        self._script = Script(self._desk, values, scenario.timeout)
        self._actions = self._script.play(scenario.steps)
        self._mismatches: list[Mismatch] = []

    @property
    def finished(self) -> bool:
        """Whether all steps are played, or the script cannot go on."""
        return self._desk.over

    def next(self) -> Action | None:
        """What to do now; `None` when the script is over and nothing waits to be sent."""
        desk = self._desk
        if not desk.outgoing and not desk.over:
            try:
                return next(self._actions)
            except StopIteration:
                self._look_for_unanswered()
                desk.finish()
            except Over:
                desk.finish()
            except Departure as departure:
                self._depart(departure.expected, departure.actual)
            except UnknownVariable as unknown:
                self._depart(f"a value of the variable `{unknown.args[0]}`", "it has none")
        return desk.outgoing.popleft() if desk.outgoing else None

    def take(self, frames: Iterable[Incoming]) -> None:
        """Hand in what arrived."""
        for frame in frames:
            try:
                self._desk.take(frame)
            except Departure as departure:
                self._depart(departure.expected, departure.actual)

    def timed_out(self) -> None:
        """Say that the wait was too long."""
        self._desk.late = True

    def peer_ended(self, why: str) -> None:
        """Say that nothing will arrive any more."""
        self._desk.ended = why

    def send_failed(self, why: str) -> None:
        """Say that a frame could not be sent."""
        if not self.finished:
            self._depart("a peer that can be sent to", why)

    def report(self) -> Report:
        """What came of it so far."""
        return Report(
            self._scenario.name,
            self._scenario.plays,
            self._scenario.protocol,
            self._script.done,
            tuple(self._mismatches),
            tuple(self._desk.unexpected),
            tuple(self._desk.traffic),
        )

    def _depart(self, expected: str, actual: str) -> None:
        self._mismatches.append(Mismatch(self._script.place, expected, actual))
        self._desk.finish()

    def _look_for_unanswered(self) -> None:
        actual = "it was received and never answered; `ignore` says that this is meant"
        for name, _ in self._desk.open:
            self._mismatches.append(Mismatch("end", f"an answer to `{name}`", actual))
