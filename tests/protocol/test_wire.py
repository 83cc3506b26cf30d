"""The judge of protocol tests must itself be able to say no."""

import json
from typing import Any

import pytest

from parley.transport.tap import TappedFrame
from tests.protocol.wire import Judge


def _judged(*messages: tuple[str, dict[str, Any]], **options: Any) -> list[str]:
    judge = Judge(1, **options)
    for direction, message in messages:
        frame = json.dumps({"jsonrpc": "2.0", **message}).encode()
        judge.record(TappedFrame(0.0, "in" if direction == "in" else "out", frame))
    return judge.problems


def _update(**update: Any) -> dict[str, Any]:
    return {"method": "session/update", "params": {"sessionId": "s", "update": update}}


CHUNK = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}


def test_a_sound_conversation_passes() -> None:
    assert (
        _judged(
            ("in", {"id": 1, "method": "session/prompt", "params": {}}),
            ("out", _update(**CHUNK)),
            ("out", {"id": 1, "result": {"stopReason": "end_turn"}}),
            ("out", {"id": 2, "error": {"code": 1, "message": "m"}}),
            ("out", {"method": "_x", "params": {"any": "thing"}}),
            ("out", {"method": "$/cancel_request", "params": {"requestId": 1}}),
        )
        == []
    )


PLAN = {"type": "items", "planId": "p", "entries": []}


@pytest.mark.parametrize(
    "message",
    [
        {"method": "no/such", "params": {}},
        {"id": 1, "result": {"stopReason": "tired"}},
        {"id": 1, "result": {"stopReason": "end_turn", "ours": 1}},
        {"id": 1, "result": {"stopReason": "end_turn", "usage": {"totalTokens": 1}}},
        {"id": 2, "error": {"code": "1", "message": "m"}},
        _update(sessionUpdate="agent_message_chunk"),
        _update(**{**CHUNK, "ours": 1}),
        _update(sessionUpdate="plan_update", plan=PLAN),
        {"method": "auth/status_update", "params": {"state": "unknown"}},
        {"jsonrpc": "1.0", "method": "_x"},
    ],
)
def test_what_is_wrong_is_noticed(message: dict[str, Any]) -> None:
    asked = ("in", {"id": 1, "method": "session/prompt", "params": {}})
    assert _judged(asked, ("out", message))


def test_what_is_allowed_by_the_test_passes() -> None:
    asked = ("in", {"id": 1, "method": "session/prompt", "params": {}})
    usage = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}
    answer = {"stopReason": "end_turn", "usage": usage, "ours": 1}
    assert (
        _judged(asked, ("out", {"id": 1, "result": answer}), unstable=True, extras=("ours",)) == []
    )
    old = {"id": 3, "method": "session/set_model", "params": {}}
    assert _judged(("out", old), methods=("session/set_model",)) == []
