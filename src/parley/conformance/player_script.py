"""The steps of a scenario, one after the other: what each waits for, and what it does.

A generator of actions. Where it waits it yields the same `Await` until the desk has what it needs.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from parley.conformance.faults import actions_of, wrong_id
from parley.conformance.player_action import Action, Await, Die, Disconnect, Freeze, Send, Sleep
from parley.conformance.player_desk import Departure, Desk
from parley.conformance.player_inbox import Arrived
from parley.conformance.scenario import (
    Answer,
    AnyStep,
    Expect,
    Flood,
    Ignore,
    Notify,
    Oversized,
    Pause,
    Receive,
    Repeat,
    Request,
    Wait,
    WaitForEnd,
)
from parley.conformance.scenario_values import ANY, difference, filled, pointed_at, shown
from parley.rpc.message import RequestId

Json = Any
Actions = Generator[Action, None, None]


class Over(Exception):
    """The script ends early, and that is fine."""


class Script:
    """Plays steps on a desk. `timeout` bounds each wait, in seconds."""

    def __init__(self, desk: Desk, variables: dict[str, Json], timeout: float) -> None:
        self._desk = desk
        self._variables = variables
        self._timeout = timeout
        self.place = "0"
        """The step that is being played."""
        self.done = 0
        """How many steps were played to their end."""

    def play(self, steps: Sequence[AnyStep], prefix: str = "", suffix: str = "") -> Actions:
        """The actions of the steps.

        Raises:
            Departure: a step did not get what it expects.
            Over: the conversation ends early, and that is fine.
        """
        for number, step in enumerate(steps, 1):
            path = f"{prefix}{number}"
            if not prefix:
                self._desk.advance(number - 1)
            if isinstance(step, Repeat):
                for count in range(1, step.times + 1):
                    self._variables[step.counter] = count
                    yield from self.play(step.steps, f"{path}.", f", round {count}")
            else:
                self.place = f"{path}{suffix} (`{step.__struct_config__.tag}`)"
                yield from self._step(step)
                self.done += 1

    def _step(self, step: AnyStep) -> Actions:
        match step:
            case Receive():
                yield from self._receive(step)
            case Answer():
                yield from self._answer(step)
            case Ignore():
                self._desk.close(step.to)
            case Request():
                yield from self._request(step)
            case Expect():
                id_ = self._desk.asked_id(step.of) if step.id is UNSET else step.id
                yield from self._expect(id_, step)
            case Notify():
                params = self._fill(step.params)
                yield self._desk.notification(step.method, params, step.extra, step.fault)
            case Wait():
                yield from self._wait(step)
            case WaitForEnd():
                yield from self._wait_for_end()
            case Pause():
                yield Sleep(step.seconds)
            case Oversized():
                yield self._oversized(step)
            case Flood():
                yield from self._flood(step)
            case Repeat():
                raise AssertionError("a loop is not a single step")
            case _:
                yield from self._fault(actions_of(step), str(step.__struct_config__.tag))

    # What comes in.

    def _receive(self, step: Receive) -> Actions:
        kinds = ("request", "notification") if step.kind is None else (step.kind,)
        expected = f"{step.kind or 'message'} `{step.method}`"
        wanted = ANY if step.params is UNSET or not step.skip else self._fill(step.params)

        def matches(message: Arrived) -> bool:
            called = message.kind in kinds and message.method == step.method
            return called and difference(wanted, message.body) is None

        message = yield from self._awaited(matches, expected, optional=step.optional)
        self._compare(f"{expected} with params", step.params, message.body)
        self._save(step.save, message.body, "params")
        if message.kind == "request":
            self._desk.open.append((step.name or step.method, message))
            if step.result is not UNSET or step.error is not UNSET:
                answer = Answer(result=step.result, error=step.error, fault=step.fault)
                yield from self._answer(answer)

    def _expect(self, id_: RequestId, step: Request | Expect) -> Actions:
        expected = f"an answer to {shown(id_)}"

        def matches(message: Arrived) -> bool:
            return message.kind == "response" and message.id == id_

        answer = yield from self._awaited(matches, expected)
        if step.either:
            return
        if step.error is not UNSET:
            if answer.error is None:
                raise Departure(f"{expected} with an error", f"the result {shown(answer.body)}")
            self._compare(f"{expected} with the error", step.error, answer.error)
        elif answer.error is not None:
            raise Departure(f"{expected} with a result", f"the error {shown(answer.error)}")
        else:
            self._compare(f"{expected} with the result", step.result, answer.body)
        self._save(step.save, answer.body, "result")

    def _wait(self, step: Wait) -> Actions:
        def matches(message: Arrived) -> bool:
            called = message.kind in ("request", "notification")
            return called and step.method in (None, message.method)

        for number in range(1, step.count + 1):
            expected = f"message {number} of {step.count} `{step.method or 'of any kind'}`"
            message = yield from self._awaited(matches, expected)
            if message.kind == "request":
                self._desk.open.append((message.method, message))

    def _wait_for_end(self) -> Actions:
        action = Await(self._timeout)
        while self._desk.ended is None:
            if self._desk.late:
                raise Departure("the end of the conversation", self._too_late())
            yield action

    def _awaited(
        self, matches: Callable[[Arrived], bool], expected: str, *, optional: bool = False
    ) -> Generator[Action, None, Arrived]:
        action = Await(self._timeout)
        while (message := self._desk.inbox.take_first(matches)) is None:
            if self._desk.ended is not None:
                if optional:
                    raise Over
                raise Departure(expected, f"the end: {self._desk.ended}")
            if self._desk.late:
                raise Departure(expected, self._too_late())
            yield action
        return message

    def _too_late(self) -> str:
        return f"nothing within {self._timeout:g} s; what came instead: {self._desk.inbox}"

    def _compare(self, expected: str, wanted: Json, actual: Json) -> None:
        if wanted is not UNSET:
            wanted = self._fill(wanted)
            if (found := difference(wanted, actual)) is not None:
                raise Departure(f"{expected} {shown(wanted)}", found)

    def _save(self, save: Mapping[str, str], value: Json, what: str) -> None:
        for name, pointer in save.items():
            try:
                self._variables[name] = pointed_at(value, pointer)
            except LookupError:
                raise Departure(f"a value at `{pointer}` of the {what}", shown(value)) from None

    # What goes out.

    def _answer(self, step: Answer) -> Actions:
        request = self._desk.close(step.to)
        id_ = wrong_id(request.id) if step.fault == "wrong_id" else request.id
        if step.error is UNSET:
            send = self._desk.result(request, self._fill(step.result), step.fault, id_)
        else:
            error = self._fill(msgspec.to_builtins(step.error))
            send = self._desk.error(error, step.fault, id_)
        yield Send(send.frame, step.delay)
        if step.fault == "twice":
            yield Send(self._desk.log(send.frame, step.fault).frame, step.delay)

    def _request(self, step: Request) -> Actions:
        params = self._fill(step.params)
        id_, send = self._desk.request(
            step.name, step.method, params, id_=step.id, extra=step.extra, fault=step.fault
        )
        yield send
        if step.wait:
            yield from self._expect(id_, step)

    def _oversized(self, step: Oversized) -> Send:
        params = filled(step.params, {**self._variables, "padding": ""})
        padding = "x" * max(step.size - len(msgspec.json.encode(params)), 0)
        params = filled(step.params, {**self._variables, "padding": padding})
        return self._desk.notification(step.method, params, {}, None)

    def _flood(self, step: Flood) -> Actions:
        for count in range(1, step.times + 1):
            params = filled(step.params, {**self._variables, step.counter: count})
            yield self._desk.notification(step.method, params, {}, None)

    def _fault(self, actions: Iterable[Action], name: str) -> Actions:
        for action in actions:
            if isinstance(action, Send):
                self._desk.log(action.frame, name)
            yield action
            gone = isinstance(action, Freeze) and self._desk.ended is not None
            if gone or isinstance(action, Die) or action == Disconnect("both"):
                self.done += 1
                raise Over

    def _fill(self, value: Json) -> Json:
        return filled(value, self._variables)
