"""Whatever is wrong with a scenario is said with the number of its step."""

import json
from typing import Any

import pytest

from parley.conformance.scenario import Receive, Repeat, ScenarioError
from parley.conformance.scenario_check import parse_scenario
from tests.conformance.staging import scenario

HEAD = {"scenario": 1, "name": "n", "plays": "agent", "protocol": 1}


def test_a_scenario_becomes_steps() -> None:
    read = scenario({"do": "repeat", "times": 2, "steps": [{"do": "receive", "method": "_a"}]})
    assert read.steps == (Repeat(times=2, steps=(Receive(method="_a"),)),)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"scenario": 2}, "invalid enum value 2 at `scenario`"),
        ({"plays": "editor"}, "invalid enum value 'editor' at `plays`"),
        ({"protocol": 3}, "invalid enum value 3 at `protocol`"),
        ({"timeout": -1}, "expected `float` >= 0.0 at `timeout`"),
        ({"speed": 1}, "object contains unknown field `speed`"),
        ({"always": [{"method": "a", "result": 1, "error": {"code": 1, "message": ""}}]},
         "the rule for `a`: it needs either `result` or `error`"),
        ({"always": [{"method": "a", "result": "${x}"}]},
         "the rule for `a`: nothing before it gives `${x}` a value"),
    ],
)  # fmt: skip
def test_a_wrong_head_is_named(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        parse_scenario(json.dumps({**HEAD, "steps": [], **change}), "my.json")
    assert str(raised.value) == f"my.json: {complaint}"


RECEIVE = {"do": "receive", "method": "a"}
REQUEST = {"do": "request", "method": "a"}


@pytest.mark.parametrize(
    ("steps", "complaint"),
    [
        ([{"do": "dance"}], "step 1: invalid value 'dance' at `do`"),
        ([{"method": "a"}], "step 1: object missing required field `do`"),
        ([RECEIVE, {"do": "receive"}], "step 2: object missing required field `method`"),
        ([{**RECEIVE, "methd": 1}], "step 1: object contains unknown field `methd`"),
        ([{"do": "repeat", "times": 1, "steps": [RECEIVE, {"do": "notify"}]}],
         "step 1.2: object missing required field `method`"),
        ([{**RECEIVE, "error": {"code": "x", "message": ""}}],
         "step 1: expected `int`, got `str` at `error.code`"),
        ([{"do": "answer", "result": 1}],
         "step 1 (`answer`): no step before it receives anything"),
        ([RECEIVE, {"do": "answer", "to": "b", "result": 1}],
         "step 2 (`answer`): no step before it receives `b`"),
        ([RECEIVE, {"do": "ignore", "to": "b"}],
         "step 2 (`ignore`): no step before it receives `b`"),
        ([RECEIVE, {"do": "answer"}], "step 2 (`answer`): it needs either `result` or `error`"),
        ([{**RECEIVE, "kind": "notification", "result": 1}],
         "step 1 (`receive`): a notification cannot be answered"),
        ([{"do": "expect"}], "step 1 (`expect`): no step before it sends anything"),
        ([REQUEST, {"do": "expect", "of": "b"}],
         "step 2 (`expect`): no step before it sends `b`"),
        ([{**REQUEST, "result": 1, "error": 2}],
         "step 1 (`request`): it can expect `result` or `error`, not both"),
        ([{"do": "notify", "method": "a", "params": {"b": ["${who}"]}}],
         "step 1 (`notify`): nothing before it gives `${who}` a value"),
        ([{"do": "notify", "method": "${n}"}, {"do": "repeat", "times": 1, "steps": []}],
         "step 1 (`notify`): nothing before it gives `${n}` a value"),
        ([{**RECEIVE, "save": {"x": "a/b"}}],
         "step 1 (`receive`): the pointer `a/b` does not begin with a slash"),
        ([{**RECEIVE, "save": {"any": "/a"}}], "step 1 (`receive`): `any` is a reserved name"),
        ([{"do": "raw"}], "step 1 (`raw`): it needs either `text` or `base64`"),
        ([{"do": "raw", "text": "", "base64": ""}],
         "step 1 (`raw`): it needs either `text` or `base64`"),
    ],
)  # fmt: skip
def test_a_wrong_step_is_named(steps: list[Any], complaint: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        parse_scenario(json.dumps({**HEAD, "steps": steps}), "my.json")
    assert str(raised.value) == f"my.json: {complaint}"


@pytest.mark.parametrize("text", ["", "{", "\ud800".encode("utf-8", "surrogatepass"), b"\xff"])
def test_what_is_not_json_is_not_a_scenario(text: str | bytes) -> None:
    with pytest.raises(ScenarioError, match=r"^my\.json: "):
        parse_scenario(text, "my.json")


def test_variables_come_from_the_head_from_saved_values_and_from_counters() -> None:
    read = scenario(
        {**RECEIVE, "save": {"saved": "/x"}},
        {"do": "repeat", "times": 2, "counter": "i", "steps": [
            {"do": "notify", "method": "_a", "params": ["${head}", "${saved}", "${i}"]},
        ]},
        {"do": "flood", "times": 2, "counter": "k", "method": "_a", "params": ["${k}"]},
        {"do": "oversized", "size": 10},
        {"do": "expect", "id": None, "error": {"code": "${any}", "data": "${absent}"}},
        variables={"head": 1},
    )  # fmt: skip
    assert len(read.steps) == 5
