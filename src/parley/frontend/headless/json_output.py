"""`--output json`: one event per line, in the words of neither version of the protocol.

The lines are ASCII: every other character is written as an escape, which means the same to every
reader of JSON and nothing to a terminal. `docs/run.md` describes the events.
"""

import base64
import re
from collections.abc import Sequence
from typing import Any, cast

import msgspec
from msgspec import UNSET, Struct

from parley.frontend.headless.output import Answered, Opened, Result, Trouble, TurnEnd
from parley.frontend.headless.screen import Screen
from parley.session.event import ChunkAdded, Event, is_plain

_NOT_PLAIN = re.compile("[^\\x00-\\x7e]+")
_encode = msgspec.json.Encoder().encode


class JsonOutput:
    """Writes events as they come, and the result as the last line."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._key: tuple[str, str, str | None] | None = None
        self._head = b""

    def opened(self, opened: Opened) -> None:
        info = opened.agent.info
        self._line(
            {
                "event": "session_opened",
                "sessionId": opened.session_id,
                "cwd": opened.cwd,
                "resumed": opened.resumed,
                "agent": {"name": info.name, "version": info.version, "title": info.title},
                "protocolVersion": opened.agent.version,
            }
        )

    def events(self, session_id: str, events: Sequence[Event]) -> None:
        pieces: list[bytes] = []
        for event in events:
            if type(event) is ChunkAdded and is_plain(event):
                # The most frequent event by far; what comes before its text changes seldom.
                key = (session_id, event.speaker, event.message_id)
                if key != self._key:
                    self._key, self._head = key, _head(session_id, event)
                pieces += (self._head, _encode(cast("Any", event.content).text), b"}}\n")
            else:
                fields = plain(event)
                named = {"event": fields.pop("event"), "sessionId": session_id, **fields}
                pieces += (_encode(named), b"\n")
        self._put(b"".join(pieces))

    def answered(self, answered: Answered) -> None:
        question = plain(answered.question)
        self._line(
            {
                "event": "permission_answered",
                "sessionId": answered.session_id,
                "question": question,
                "allowed": answered.allowed,
                "by": answered.how,
                "because": answered.because,
                "optionId": answered.option_id,
            }
        )

    async def turn_ended(self, end: TurnEnd) -> None:
        self._line(
            {
                "event": "turn_ended",
                "sessionId": end.session_id,
                "turn": end.turn,
                "stopReason": end.stop_reason,
                "seconds": round(end.seconds, 3),
                "usage": plain(end.usage),
                "failure": plain(end.failure),
            }
        )

    def failed(self, trouble: Trouble) -> None:
        self._line(
            {
                "event": "failed",
                "outcome": trouble.code.outcome,
                "message": trouble.message,
                "agent": trouble.agent,
                "ended": trouble.ended,
                "stderr": list(trouble.stderr),
                "pending": trouble.pending,
                "lastFrame": trouble.last_frame,
                "hint": trouble.hint,
            }
        )

    def finished(self, result: Result) -> None:
        self._line(
            {
                "event": "result",
                "outcome": result.code.outcome,
                "exitCode": int(result.code),
                "sessionId": result.session_id,
                "turns": result.turns,
                "stopReason": result.stop_reason,
                "refusedPermissions": result.refused,
                "seconds": round(result.seconds, 3),
                "context": result.context,
            }
        )

    def _line(self, fields: dict[str, Any]) -> None:
        self._put(_encode(fields) + b"\n")

    def _put(self, lines: bytes) -> None:
        if not lines.isascii() or b"\x7f" in lines:
            lines = _NOT_PLAIN.sub(_escaped, lines.decode()).encode()
        self._screen.put(lines)


def _head(session_id: str, event: ChunkAdded) -> bytes:
    """The line of a chunk up to its text."""
    fields: dict[str, Any] = {"event": "chunk_added", "sessionId": session_id}
    fields["speaker"] = event.speaker
    if event.message_id is not None:
        fields["messageId"] = event.message_id
    return _encode(fields)[:-1] + b',"content":{"type":"text","text":'


def plain(value: Any) -> Any:
    """A value as JSON has it: what is not set is left out, and names are written as in JSON."""
    match value:
        case Struct():
            return _fields(value)
        case tuple() | list():
            return [plain(each) for each in cast("tuple[Any, ...]", value)]
        case bytes():
            return base64.b64encode(value).decode()
        case _:
            # Data of the agent, which keeps the names it came with.
            return value


def _fields(value: Struct) -> dict[str, Any]:
    config = value.__struct_config__
    found: dict[str, Any] = {}
    if config.tag_field is not None:
        found[config.tag_field] = config.tag
    # Defaults are those of the last fields, as for the parameters of a function.
    given = len(value.__struct_fields__) - len(value.__struct_defaults__)
    defaults = dict(zip(value.__struct_fields__[given:], value.__struct_defaults__, strict=True))
    for name in value.__struct_fields__:
        each = getattr(value, name)
        if each is not UNSET and not (config.omit_defaults and each == defaults.get(name, UNSET)):
            found[_camel(name)] = plain(each)
    return found


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _escaped(run: "re.Match[str]") -> str:
    units = run.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
