"""Answers to a permission question that are not a clear yes, as a client could send them.

They are what a client could send by mistake or on purpose, written as they are on the wire: in the
place of an answer, at the wrong time, or for something else.
"""

import json
from collections.abc import Callable
from typing import Any

from tests.agent.raw_process import Json
from tests.agent.stage import Scene, Script, Stage, call, select

SCRIPT: Script = [
    {"when": "write", "calls": [call("write_file", path="made", content="x\n")]},
    {"when": "run", "calls": [call("bash", command="touch made")]},
    {"when": "guarded", "calls": [call("write_file", path=".git/config", content="x\n")]},
    {"when": "denied", "text": "I see.", "expect": "Permission denied.", "repeat": True},
    {"when": "go on", "text": "I go on."},
]
TOOLS = ("write", "run")
YES = select("allow_once")
NO = select("reject_once")
DISMISSED = {"outcome": {"outcome": "cancelled"}}


def chosen(**members: Any) -> Json:
    return {"outcome": {"outcome": "selected", **members}}


# What is sent as the result.
RESULTS: dict[str, Any] = {
    "reject once": NO,
    "reject always": select("reject_always"),
    "dismissed": DISMISSED,
    "unknown id": select("allow_twice"),
    "another case": select("ALLOW_ONCE"),
    "a space before": select(" allow_once"),
    "a zero byte behind": select("allow_once\0"),
    "part of an id": select("allow"),
    "the name of the option": select("Allow once"),
    "two ids in one": select("allow_once,allow_always"),
    "an empty id": select(""),
    "no id": chosen(),
    "null for an id": chosen(optionId=None),
    "a number for an id": chosen(optionId=0),
    "true for an id": chosen(optionId=True),
    "a list of ids": chosen(optionId=["allow_once"]),
    "an object for an id": chosen(optionId={"optionId": "allow_once"}),
    "the kind instead of the id": chosen(kind="allow_once"),
    "a snake for a camel": chosen(option_id="allow_once"),
    "an unknown outcome": {"outcome": {"outcome": "approved", "optionId": "allow_once"}},
    "allowed, but not flat": {"outcome": {"outcome": "allowed", "optionId": "allow_once"}},
    "an outcome in another case": {"outcome": {"outcome": "Selected", "optionId": "allow_once"}},
    "an outcome in an outcome": {"outcome": YES},
    "an outcome without its kind": {"outcome": {"optionId": "allow_once"}},
    "an outcome that is true": {"outcome": True},
    "an outcome that is null": {"outcome": None},
    "an outcome that is a list": {"outcome": [YES["outcome"]]},
    "an outcome as JSON in a text": {"outcome": json.dumps(YES["outcome"])},
    "an id alone": {"optionId": "allow_once"},
    "a result in a result": {"result": YES},
    "an empty result": {},
    "null": None,
    "true": True,
    "one": 1,
    "a text": "allow_once",
    "an empty list": [],
    "a list of answers": [YES],
    "dismissed, with an id": {"outcome": {"outcome": "cancelled", "optionId": "allow_once"}},
    "rejected, with another kind": chosen(optionId="reject_once", kind="allow_once"),
    "rejected, with a name": chosen(optionId="reject_once", name="Allow once"),
    "dismissed, and allowed in meta": {**DISMISSED, "_meta": {**YES, "allowed": True}},
    "rejected, and allowed in meta": chosen(optionId="reject_once", _meta=YES["outcome"]),
    "unknown, and allowed in meta": chosen(optionId="x", _meta={"optionId": "allow_once"}),
    "flat and denied, with an id": {"outcome": "denied", "option_id": "allow_once"},
    "flat and allowed, without an id": {"outcome": "allowed"},
    "flat and allowed, by a rejection": {"outcome": "allowed", "option_id": "reject_once"},
    "flat and allowed, by a stranger": {"outcome": "allowed", "option_id": "yes"},
    "flat and allowed, by a number": {"outcome": "allowed", "option_id": 1},
    "flat, in another word": {"outcome": "yes", "option_id": "allow_once"},
    "flat, as a kind": {"outcome": "allow_once"},
}
# What is sent instead of a result.
ERRORS: dict[str, Json] = {
    "an error": {"error": {"code": -32603, "message": "Internal error"}},
    "an error that says yes": {"error": {"code": 0, "message": "allow_once", "data": YES}},
    "a cancelled request": {"error": {"code": -32800, "message": "Request cancelled"}},
    "an unknown method": {"error": {"code": -32601, "message": "Method not found"}},
    "an error that is none": {"error": "allow_once"},
    "an error that is null": {"error": None},
    "an error and a result": {"error": {"code": -32603, "message": "x"}, "result": YES},
    "neither": {},
}
FORMS = {**{name: {"result": result} for name, result in RESULTS.items()}, **ERRORS}


def answering(stage: Stage, form: Json) -> Callable[[Json], None]:
    """A client that answers every question in this form."""

    def answer(request: Json) -> None:
        stage.client.send({"jsonrpc": "2.0", "id": request["id"], **form})
        # Some forms are no answers at all; who asks may wait for a proper one.
        stage.client.reply(request, NO)

    return answer


# Answers that come at the wrong time or for something else.


def _twice(stage: Stage, request: Json) -> None:
    stage.client.reply(request, NO)
    stage.client.reply(request, YES)


def _for_another_request(stage: Stage, request: Json) -> None:
    stage.client.reply({"id": request["id"] + 1}, YES)
    stage.client.reply({"id": request["id"] - 1}, YES)
    stage.client.reply(request, NO)


def _for_an_id_of_another_type(stage: Stage, request: Json) -> None:
    for id in (str(request["id"]), float(request["id"]) + 0.5, None, [request["id"]]):
        stage.client.reply({"id": id}, YES)
    stage.client.reply(request, NO)


def _without_an_id(stage: Stage, request: Json) -> None:
    stage.client.send({"jsonrpc": "2.0", "result": YES})
    stage.client.reply(request, NO)


def _as_a_notification(stage: Stage, request: Json) -> None:
    stage.client.notify(request["method"], **YES)
    stage.client.notify("session/update", sessionId=request["params"]["sessionId"], **YES)
    stage.client.reply(request, NO)


def _as_a_request(stage: Stage, request: Json) -> None:
    asked = {**request, "id": 10_000 + request["id"], "params": {**request["params"], **YES}}
    stage.client.send(asked)
    stage.client.reply(request, NO)


LINES: dict[str, Callable[[Stage, Json], None]] = {
    "twice": _twice,
    "for another request": _for_another_request,
    "for an id of another type": _for_an_id_of_another_type,
    "without an id": _without_an_id,
    "as a notification": _as_a_notification,
    "as a request": _as_a_request,
}


def check_denied(scene: Scene) -> None:
    """Both tools are refused, and the model is told."""
    for tool in TOOLS:
        # The script goes on only if the model was told.
        assert scene.stop_reason(f"{tool} denied") == "end_turn"
    assert len(scene.questions()) == len(TOOLS)
    check_nothing_ran(scene)


def check_nothing_ran(scene: Scene) -> None:
    """Nothing was made, and the session takes the next prompt as ever."""
    assert scene.stop_reason("go on") == "end_turn"
    assert scene.said().endswith("I go on.")
    assert not (scene.folder / "made").exists()
