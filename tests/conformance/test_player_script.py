"""Every step does what it says, shown by two scripts that play to each other."""

import asyncio
import json
from typing import Any

import pytest

from parley.conformance.player_report import Report
from tests.conformance.staging import duet, scenario, text_update


def talk(agent: list[Any], client: list[Any], **more: Any) -> tuple[Report, Report]:
    """The reports of an agent's and a client's script, played to each other."""
    return asyncio.run(duet(scenario(*agent, **more), scenario(*client, plays="client", timeout=2)))


ASK = {"do": "request", "method": "_ask", "params": {"n": 1}}
TAKE = {"do": "receive", "method": "_ask", "as": "it"}


def test_values_of_params_and_results_are_saved_and_used() -> None:
    agent, client = talk(
        [
            {**TAKE, "save": {"n": "/n"}},
            {"do": "answer", "to": "it", "result": {"got": "${n}", "list": ["a", "b"]}},
            {"do": "receive", "method": "_told", "params": {"second": "b"}},
        ],
        [
            {**ASK, "result": {"got": 1}, "save": {"second": "/list/1"}},
            {"do": "notify", "method": "_told", "params": {"second": "${second}"}},
        ],
    )
    assert (agent.ok, client.ok) == (True, True)


@pytest.mark.parametrize(
    ("client", "actual"),
    [
        ({**ASK, "result": {"got": 2}}, "`/got` is 1, not 2"),
        ({**ASK, "error": {"code": 1}}, 'the result {"got":1}'),
        ({**ASK, "save": {"x": "/nothing"}}, '{"got":1}'),
    ],
)
def test_an_answer_that_is_not_as_expected_is_a_mismatch(client: Any, actual: str) -> None:
    _, report = talk([TAKE, {"do": "answer", "result": {"got": 1}}], [client])
    assert [each.actual for each in report.mismatches] == [actual]


@pytest.mark.parametrize(
    ("client", "actual"),
    [
        (ASK, 'the error {"code":-5,"message":"no","data":{"n":1}}'),
        ({**ASK, "error": {"code": -6}}, "`/code` is -5, not -6"),
        ({**ASK, "error": {"code": -5, "data": {"n": 1}}}, None),
        ({**ASK, "either": True}, None),
    ],
)
def test_an_error_is_a_mismatch_unless_it_is_expected(client: Any, actual: str | None) -> None:
    error = {"code": -5, "message": "no", "data": {"n": "${n}"}}
    _, report = talk([{**TAKE, "save": {"n": "/n"}}, {"do": "answer", "error": error}], [client])
    assert [each.actual for each in report.mismatches] == ([actual] if actual else [])


def test_requests_can_be_open_at_once_and_answered_in_any_order() -> None:
    agent, client = talk(
        [
            {**TAKE, "as": "one"},
            {**TAKE, "as": "two"},
            {"do": "answer", "to": "two", "result": 2},
            {"do": "answer", "to": "one", "result": 1},
        ],
        [
            {**ASK, "as": "one", "wait": False, "id": "x-1"},
            {**ASK, "as": "two", "wait": False},
            {"do": "expect", "of": "one", "result": 1},
            {"do": "expect", "result": 2},
        ],
    )
    assert (agent.ok, client.ok) == (True, True)
    assert json.loads(client.sent[0])["id"] == "x-1"


def test_an_answer_to_nothing_is_expected_by_its_id() -> None:
    agent, client = talk(
        [{"do": "receive", "method": "_go"}, {"do": "raw", "text": '{"jsonrpc":"2.0","id":null,'
          '"error":{"code":-32700,"message":"Parse error"}}'}],
        [{"do": "notify", "method": "_go"},
         {"do": "expect", "id": None, "error": {"code": -32700}}],
    )  # fmt: skip
    assert (agent.ok, client.ok) == (True, True)


def test_a_loop_counts_from_one_and_its_steps_are_named_with_the_round() -> None:
    loop = {"do": "repeat", "times": 3, "counter": "i", "steps": [
        {"do": "notify", "method": "_n", "params": {"i": "${i}"}},
    ]}  # fmt: skip
    heard = {"do": "repeat", "times": 3, "counter": "i", "steps": [
        {"do": "receive", "method": "_n", "params": {"i": 1}},
    ]}  # fmt: skip
    agent, client = talk([{"do": "receive", "method": "_go"}, loop],
                         [{"do": "notify", "method": "_go"}, heard])  # fmt: skip
    assert agent.ok
    assert [each.step for each in client.mismatches] == ["2.1, round 2 (`receive`)"]


def test_waiting_for_a_number_takes_whatever_comes_or_one_method() -> None:
    agent, client = talk(
        [
            {"do": "wait", "count": 2, "method": "_a"},
            {"do": "wait", "count": 2},
            {"do": "answer", "to": "_ask", "result": {}},
        ],
        [
            {"do": "notify", "method": "_b"},
            {"do": "notify", "method": "_a"},
            {"do": "notify", "method": "_a"},
            ASK,
        ],
    )
    assert (agent.ok, client.ok) == (True, True)


def test_a_flood_and_an_oversized_message_are_legal_messages() -> None:
    params = text_update("${n} ")
    big = {"do": "oversized", "size": 5000, "method": "session/update",
           "params": text_update("${padding}")}  # fmt: skip
    agent, client = talk(
        [{"do": "receive", "method": "_go"},
         {"do": "flood", "times": 50, "method": "session/update", "params": params}, big],
        [{"do": "notify", "method": "_go"}, {"do": "wait", "count": 51}],
    )  # fmt: skip
    assert (agent.ok, client.ok) == (True, True)
    assert len(agent.sent[-1]) >= 5000
    assert b'"text":"50 "' in agent.sent[49]


def test_a_pause_and_the_end_of_the_peer_are_waited_for() -> None:
    agent, client = talk(
        [{"do": "receive", "method": "_go"}, {"do": "wait_for_end"}],
        [{"do": "notify", "method": "_go"}, {"do": "pause", "seconds": 0.001}],
    )
    assert (agent.ok, client.ok) == (True, True)


def test_an_end_that_does_not_come_is_a_mismatch() -> None:
    agent, client = talk([{"do": "wait_for_end"}], [{"do": "wait", "count": 1}], timeout=0.05)
    assert [each.expected for each in agent.mismatches] == ["the end of the conversation"]
    assert [each.actual for each in client.mismatches] == [
        "the end: the peer closed the connection"
    ]


@pytest.mark.parametrize(
    ("fault", "ids"),
    [("twice", [1, 1]), ("wrong_id", [1_000_001])],
)
def test_an_answer_can_be_given_twice_or_under_a_wrong_id(fault: str, ids: list[int]) -> None:
    agent, _ = talk(
        [TAKE, {"do": "answer", "result": {}, "fault": fault}],
        [{**ASK, "wait": False}, {"do": "expect", "id": ids[0]}],
    )
    assert agent.ok
    assert [json.loads(each)["id"] for each in agent.sent] == ids


def test_a_late_answer_comes_after_what_was_said_later() -> None:
    agent, client = talk(
        [TAKE, {"do": "answer", "result": {}, "delay": 0.02}, {"do": "notify", "method": "_first"}],
        [ASK],
    )
    assert (agent.ok, client.ok) == (True, True)
    received = [json.loads(each) for each in client.received if isinstance(each, bytes)]
    assert ["method" in each for each in received] == [True, False]


def test_hanging_ends_with_the_peer_or_with_its_time() -> None:
    for hang in ({"do": "hang"}, {"do": "hang", "seconds": 0.01},
                 {"do": "hang", "reading": False, "seconds": 0.01}):  # fmt: skip
        agent, client = talk([{"do": "receive", "method": "_go"}, hang],
                             [{"do": "notify", "method": "_go"}])  # fmt: skip
        assert (agent.ok, client.ok) == (True, True)


def test_a_crash_breaks_the_connection_and_tells_how() -> None:
    agent, client = talk(
        [{"do": "receive", "method": "_go"}, {"do": "crash", "status": 3, "stderr": "oh no"}],
        [{"do": "notify", "method": "_go"}, {"do": "wait", "count": 1}],
    )
    assert agent.ok
    assert [each.actual for each in client.mismatches] == [
        "the end: the peer exited with status 3; its last words on stderr:\noh no"
    ]


def test_members_of_its_own_stand_beside_those_of_the_envelope() -> None:
    _, client = talk([TAKE, {"do": "answer", "result": {}}], [{**ASK, "extra": {"type": "T"}}])
    assert json.loads(client.sent[0])["type"] == "T"


def test_a_peer_that_is_gone_cannot_be_sent_to() -> None:
    agent, client = talk(
        [{"do": "receive", "method": "_go"}, {"do": "wait_for_end"},
         {"do": "notify", "method": "_late"}],
        [{"do": "notify", "method": "_go"}],
    )  # fmt: skip
    assert client.ok
    assert [each.expected for each in agent.mismatches] == ["a peer that can be sent to"]
