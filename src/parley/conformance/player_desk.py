"""What lies open in a scripted conversation, and the record of it.

It owns the envelope of what a script sends, and checks it: whatever is not marked a fault must
satisfy the schema. It deals with messages that no step will ever take.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from parley.conformance.player_action import Action, Send
from parley.conformance.player_inbox import Arrived, Inbox, read
from parley.conformance.player_report import Traffic
from parley.conformance.scenario import AnyStep, Receive, Rule, Scenario, Wait, steps_in
from parley.conformance.scenario_values import filled
from parley.conformance.wire_check import WireCheck
from parley.rpc.message import RequestId
from parley.rpc.transport import Incoming

Json = Any

_EVERYTHING = ""
_METHOD_NOT_FOUND = {"code": -32601, "message": "Method not found"}


class Departure(Exception):
    """The script cannot go on: what was expected, and what was there instead."""

    def __init__(self, expected: str, actual: str) -> None:
        super().__init__(expected, actual)
        self.expected = expected
        self.actual = actual


class Desk:
    """The papers of one playing."""

    def __init__(self, scenario: Scenario, variables: Mapping[str, Json]) -> None:
        self.inbox = Inbox()
        self.outgoing: deque[Action] = deque()
        self.traffic: list[Traffic] = []
        self.unexpected: list[str] = []
        self.open: list[tuple[str, Arrived]] = []
        """Requests that were taken and not answered, by name."""
        self.over = False
        """Whether no step will take anything any more."""
        self.ended: str | None = None
        """Why nothing will arrive any more, once that is so."""
        self.late = False
        """Whether the wait was too long."""
        self._wire = WireCheck(scenario.protocol, scenario.plays)
        self._variables = variables
        self._asked: dict[str, RequestId] = {}
        self._ids = scenario.ids
        self._count = 0
        self._rules = {rule.method: rule for rule in scenario.always}
        self._position = 0
        self._last = _last_takers(scenario.steps)

    def advance(self, position: int) -> None:
        """Say which step is played now: what none from here on takes is dealt with."""
        self._position = position
        self._refuse_all(self.inbox.take_requests(self._nobody_takes))

    # What arrives.

    def take(self, frame: Incoming) -> None:
        """Put a frame where a step can find it, or deal with it if no step ever will."""
        self.traffic.append(Traffic("in", frame))
        message = read(frame)
        if message is None:
            return
        rule = self._rules.get(message.method)
        if rule is not None:
            self._follow(rule, message)
        elif message.kind == "none" or (message.kind == "request" and self._nobody_takes(message)):
            self._refuse(message)
        elif not self.over:
            self.inbox.put(message)

    def finish(self) -> None:
        """Say that no step will take anything any more."""
        self.over = True
        self._refuse_all(self.inbox.take_all())

    def close(self, name: str | None) -> Arrived:
        """Take an open request: the oldest of a name, or the latest of all.

        Raises:
            Departure: there is none.
        """
        for position, (each, request) in enumerate(self.open if name else reversed(self.open)):
            if name in (None, each):
                del self.open[position if name else -1 - position]
                return request
        raise Departure(f"an open request `{name or 'of any name'}`", "there is none")

    def asked_id(self, name: str | None) -> RequestId:
        """The id of a request that was sent: the last of a name, or of all."""
        return self._asked[name] if name is not None else list(self._asked.values())[-1]

    # What is sent.

    def request(
        self,
        name: str | None,
        method: str,
        params: Json,
        *,
        id_: Any = UNSET,
        extra: Mapping[str, Json],
        fault: str | None,
    ) -> tuple[RequestId, Send]:
        """A request, and the id it has."""
        problem = self._wire.request(method, {} if params is UNSET else params)
        _require_honest(problem, fault, f"the request `{method}`")
        id_ = self._new_id() if id_ is UNSET else id_
        # Asked again, the name is that of the newer request, and the newest comes last.
        self._asked.pop(name or method, None)
        self._asked[name or method] = id_
        members = {"id": id_, "method": method, **extra, "params": params}
        return id_, self._said(members, fault)

    def notification(
        self, method: str, params: Json, extra: Mapping[str, Json], fault: str | None
    ) -> Send:
        problem = self._wire.notification(method, {} if params is UNSET else params)
        _require_honest(problem, fault, f"the notification `{method}`")
        return self._said({"method": method, **extra, "params": params}, fault)

    def result(self, request: Arrived, result: Json, fault: str | None, id_: RequestId) -> Send:
        problem = self._wire.result(request.method, result)
        if fault in (None, "wrong_shape"):
            _require_honest(problem, fault, f"the answer to `{request.method}`")
        return self._said({"id": id_, "result": result}, fault)

    def error(self, error: Json, fault: str | None, id_: RequestId) -> Send:
        return self._said({"id": id_, "error": error}, fault)

    def log(self, frame: bytes, fault: str | None) -> Send:
        """Record a frame that is about to be sent."""
        self.traffic.append(Traffic("out", frame, fault or ""))
        return Send(frame)

    def _said(self, members: Mapping[str, Json], fault: str | None) -> Send:
        given = {key: value for key, value in members.items() if value is not UNSET}
        return self.log(msgspec.json.encode({"jsonrpc": "2.0", **given}), fault)

    def _new_id(self) -> RequestId:
        number = self._count
        self._count += 1
        return self._ids + number if isinstance(self._ids, int) else f"{self._ids}{number + 1}"

    # What no step takes.

    def _nobody_takes(self, message: Arrived) -> bool:
        last = max(self._last.get(message.method, -1), self._last.get(_EVERYTHING, -1))
        return self.over or last < self._position

    def _refuse_all(self, messages: Iterable[Arrived]) -> None:
        for message in messages:
            if message.kind != "notification":
                self._refuse(message)

    def _follow(self, rule: Rule, message: Arrived) -> None:
        if message.kind != "request":
            return
        if rule.result is UNSET:
            error = _METHOD_NOT_FOUND if rule.error is UNSET else msgspec.to_builtins(rule.error)
            self.outgoing.append(self.error(error, rule.fault, message.id))
        else:
            result = filled(rule.result, self._variables)
            self.outgoing.append(self.result(message, result, rule.fault, message.id))

    def _refuse(self, message: Arrived) -> None:
        self.unexpected.append(str(message))
        if message.kind == "request":
            self.outgoing.append(self.error(_METHOD_NOT_FOUND, None, message.id))


def _last_takers(steps: Sequence[AnyStep]) -> dict[str, int]:
    """For each method, the position of the last step that waits for it."""
    last: dict[str, int] = {}
    for position, step in enumerate(steps):
        for each in steps_in([step]):
            if isinstance(each, Receive):
                last[each.method] = position
            elif isinstance(each, Wait):
                last[each.method or _EVERYTHING] = position
    return last


def _require_honest(problem: str | None, fault: str | None, what: str) -> None:
    """Stop a script that breaks the schema without saying so, or says so and does not."""
    if problem is not None and fault is None:
        raise Departure(f"{what} to be legal, or marked as a fault", problem)
    if problem is None and fault == "wrong_shape":
        raise Departure(f"{what} to break the schema, as its fault says", "it is legal")
