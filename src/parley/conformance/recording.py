"""Recorded conversations as scenarios: what one side said is said again, with its ids renewed.

A recording is a list of frames with their directions. It comes from a file of `messages`, each
with a `direction` (`editor-to-agent` or `agent-to-editor`) and a `payload` or `raw` text, or from
a tap on one of our own transports.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
from msgspec import UNSET

from parley.conformance.player_inbox import Arrived, read
from parley.conformance.scenario import (
    FORMAT,
    Answer,
    AnyStep,
    ErrorObject,
    Expect,
    Ignore,
    Notify,
    Raw,
    Receive,
    Request,
    Role,
    Scenario,
    ScenarioError,
)
from parley.conformance.scenario_check import check_scenario
from parley.conformance.scenario_values import escaped
from parley.conformance.wire_check import WireCheck
from parley.rpc.message import RequestId
from parley.transport.tap import TappedFrame

Json = Any
_DIRECTIONS: dict[str, Role] = {"editor-to-agent": "client", "agent-to-editor": "agent"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded frame and who sent it."""

    sender: Role
    frame: bytes


Recording = Sequence[Recorded]


def load_recording(path: str | Path) -> list[Recorded]:
    """The recording in a file.

    Raises:
        ScenarioError: the file is not a recording.
    """
    try:
        messages = msgspec.json.decode(Path(path).read_bytes(), type=_File).messages
        return [Recorded(_DIRECTIONS[each.direction], each.frame()) for each in messages]
    except (msgspec.DecodeError, OSError) as error:
        raise ScenarioError(f"{path} is not a recording: {error}") from None


def from_tap(frames: Iterable[TappedFrame], tapped: Role) -> list[Recorded]:
    """The recording made by a tap on the transport of one side."""
    other: Role = "client" if tapped == "agent" else "agent"
    return [
        Recorded(tapped if each.direction == "out" else other, each.frame)
        for each in frames
        if isinstance(each.frame, bytes)
    ]


def to_scenario(recording: Recording, plays: Role = "agent", name: str = "recording") -> Scenario:
    """The scenario that says again what one side of a recording said.

    Request ids are those of the new conversation. Session ids are variables `session_1` and so
    on: a scripted client takes them from the answers it gets, a scripted agent from its client
    or, where it makes them itself, from the scenario.
    """
    tape = _Tape(recording, plays)
    steps = tuple(tape.steps())
    scenario = Scenario(
        scenario=FORMAT,
        name=name,
        plays=plays,
        protocol=tape.version,
        steps=steps,
        variables=tape.variables,
    )
    check_scenario(scenario, name)
    return scenario


class _Line(msgspec.Struct):
    direction: Literal["editor-to-agent", "agent-to-editor"]
    payload: msgspec.Raw = msgspec.Raw(b"")
    raw: str = ""

    def frame(self) -> bytes:
        payload = bytes(self.payload)
        return payload if payload.startswith((b"{", b"[")) else self.raw.encode()


class _File(msgspec.Struct):
    messages: list[_Line]


class _Tape:
    """A recording on its way to becoming steps."""

    def __init__(self, recording: Recording, plays: Role) -> None:
        self._plays: Role = plays
        self._peer: Role = _other(plays)
        self._lines = [(each, read(each.frame)) for each in recording]
        self.version: Literal[1, 2] = self._find_version()
        self.variables: dict[str, Json] = {}
        self._sessions: dict[str, str] = {}
        self._known: set[str] = set()
        self._wire = WireCheck(self.version, plays)
        self._asked: dict[tuple[Role, RequestId], Arrived] = {}
        self._answers = {
            (_other(each.sender), message.id): message
            for each, message in self._lines
            if message is not None and message.kind == "response"
        }
        self._open: list[RequestId] = []
        """Requests of the peer that were received and not answered, as far as the steps go."""
        self._find_sessions()

    def steps(self) -> Iterator[AnyStep]:
        for each, message in self._lines:
            if message is None:
                continue
            if each.sender == self._plays:
                yield from self._say(each, message)
            else:
                yield from self._hear(message)
        yield from (Ignore(to=_name(id_)) for id_ in self._open)

    # What the player says.

    def _say(self, each: Recorded, message: Arrived) -> Iterator[AnyStep]:
        match message.kind:
            case "request":
                self._asked[self._plays, message.id] = message
                params = self._rewritten(message.body)
                fault = _shape(self._wire.request(message.method, message.body))
                name = _name(message.id)
                yield Request(
                    method=message.method, params=params, name=name, wait=False, fault=fault
                )
            case "notification":
                fault = _shape(self._wire.notification(message.method, message.body))
                params = self._rewritten(message.body)
                yield Notify(method=message.method, params=params, fault=fault)
            case "response":
                yield from self._answer(message)
            case "none":
                yield Raw(text=each.frame.decode(errors="replace"))

    def _answer(self, answer: Arrived) -> Iterator[AnyStep]:
        if answer.id not in self._open:
            return
        self._open.remove(answer.id)
        asked = self._asked[self._peer, answer.id]
        if answer.error is not None:
            error = msgspec.convert(self._rewritten(answer.error), ErrorObject)
            yield Answer(to=_name(answer.id), error=error)
        else:
            fault = _shape(self._wire.result(asked.method, answer.body))
            result = self._rewritten(answer.body)
            yield Answer(to=_name(answer.id), result=result, fault=fault)

    # What the player hears.

    def _hear(self, message: Arrived) -> Iterator[AnyStep]:
        match message.kind:
            case "request":
                yield from self._answer_before(message)
                self._asked[self._peer, message.id] = message
                self._open.append(message.id)
                yield self._received(message, name=_name(message.id))
            case "notification":
                yield self._received(message, name=None)
            case "response" if (self._plays, message.id) in self._asked:
                saved = self._saved(message.body) if message.error is None else {}
                error = {"code": message.error["code"]} if message.error else UNSET
                yield Expect(of=_name(message.id), error=error, save=saved)
            case _:
                pass

    def _received(self, message: Arrived, name: str | None) -> Receive:
        kind = "request" if message.kind == "request" else "notification"
        # Another peer says things a little differently, and may be done earlier.
        optional = message.method != "initialize"
        saved = self._saved(message.body)
        return Receive(method=message.method, kind=kind, name=name, optional=optional, save=saved)

    def _answer_before(self, message: Arrived) -> Iterator[AnyStep]:
        """Answer what the recorded peer did not wait for, but another one will.

        Only while a prompt runs do peers go on without the answer.
        """
        for id_ in list(self._open):
            answer = self._answers.get((self._peer, id_))
            asked = self._asked[self._peer, id_]
            if answer is not None and asked.method != "session/prompt":
                yield from self._answer(answer)

    # Session ids.

    def _find_sessions(self) -> None:
        for each, message in self._lines:
            if message is not None and message.kind == "response":
                for session in _session_in(message.body):
                    self._name_session(session)
                    if each.sender == self._plays == "agent":
                        variable = self._sessions[session]
                        self.variables[variable] = f"replayed-{variable.replace('_', '-')}"
                        self._known.add(session)

    def _name_session(self, session: str) -> None:
        self._sessions.setdefault(session, f"session_{len(self._sessions) + 1}")

    def _saved(self, body: Json) -> dict[str, str]:
        """What to remember of a message that brings a session id for the first time."""
        for session in _session_in(body):
            if session not in self._known:
                self._name_session(session)
                self._known.add(session)
                return {self._sessions[session]: "/sessionId"}
        return {}

    def _rewritten(self, value: Json) -> Json:
        if isinstance(value, str):
            known = value in self._known
            return f"${{{self._sessions[value]}}}" if known else escaped(value)
        if isinstance(value, list):
            return [self._rewritten(item) for item in cast("list[Json]", value)]
        if isinstance(value, dict):
            members = cast("dict[str, Json]", value)
            return {key: self._rewritten(item) for key, item in members.items()}
        return value

    def _find_version(self) -> Literal[1, 2]:
        for _, message in self._lines:
            if message is not None and message.kind == "response" and _is_object(message.body):
                return 2 if message.body.get("protocolVersion") == 2 else 1
        return 1


def _other(role: Role) -> Role:
    return "client" if role == "agent" else "agent"


def _name(id_: RequestId) -> str:
    return f"request {id_}"


def _shape(problem: str | None) -> Literal["wrong_shape"] | None:
    return None if problem is None else "wrong_shape"


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _session_in(body: Json) -> Iterator[str]:
    if _is_object(body):
        session = body.get("sessionId")
        if isinstance(session, str):
            yield session
