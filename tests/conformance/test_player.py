"""The player decides without I/O: what to do next, and what came of it."""

import json
from typing import Any

import pytest

from parley.conformance.player import Player
from parley.conformance.player_action import Action, Await, Send
from parley.conformance.player_report import Mismatch
from parley.conformance.scenario import Scenario
from tests.conformance.staging import INITIALIZE, NEW, scenario, text_update


def frame(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


def played(script: Scenario, *arrivals: bytes, **variables: Any) -> Player:
    """A player that was given all arrivals at its first wait, and then the end."""
    player = Player(script, variables)
    given = False
    while (action := player.next()) is not None:
        if isinstance(action, Await):
            if given:
                player.peer_ended("no more")
            else:
                player.take(arrivals)
            given = True
    return player


def sent(player: Player) -> list[Any]:
    return [json.loads(each) for each in player.report().sent]


HELLO = frame(id=7, method="initialize", params={"protocolVersion": 1})


def test_a_request_is_taken_by_its_step_and_answered_under_its_id() -> None:
    player = played(scenario(INITIALIZE), HELLO)
    assert player.report().ok
    assert sent(player) == [{"jsonrpc": "2.0", "id": 7, "result": {"protocolVersion": 1}}]


def test_the_same_wait_is_the_same_action_and_another_wait_another() -> None:
    player = Player(scenario(INITIALIZE, NEW))
    first = player.next()
    assert player.next() is first
    player.take([HELLO])
    assert isinstance(player.next(), Send)
    assert player.next() is not first


def test_messages_wait_for_the_step_that_takes_them() -> None:
    new = frame(id=8, method="session/new", params={"cwd": "/", "mcpServers": []})
    player = played(scenario(INITIALIZE, NEW), new, HELLO)
    assert player.report().ok
    assert [each["id"] for each in sent(player)] == [7, 8]


def test_a_request_that_no_step_takes_is_refused_and_noted() -> None:
    other = frame(id=1, method="session/list", params={})
    again = frame(id=9, method="initialize", params={"protocolVersion": 1})
    player = played(scenario(INITIALIZE, NEW), other, HELLO, again)
    refused = {each["id"]: each["error"]["code"] for each in sent(player) if "error" in each}
    assert refused == {1: -32601, 9: -32601}
    assert player.report().unexpected == ("request `session/list`", "request `initialize`")


def test_what_is_no_message_is_noted_and_blank_frames_are_not() -> None:
    player = played(scenario(INITIALIZE), b"junk", b"  ", HELLO)
    assert player.report().ok
    assert player.report().unexpected == ("no message (junk)",)


def test_a_mismatch_names_step_expectation_and_actual() -> None:
    script = scenario({"do": "receive", "method": "initialize", "params": {"protocolVersion": 2}})
    assert played(script, HELLO).report().mismatches == (
        Mismatch(
            "1 (`receive`)",
            'message `initialize` with params {"protocolVersion":2}',
            "`/protocolVersion` is 1, not 2",
        ),
    )


def test_the_end_before_a_step_is_a_mismatch_unless_the_step_is_optional() -> None:
    assert played(scenario(INITIALIZE)).report().mismatches == (
        Mismatch("1 (`receive`)", "message `initialize`", "the end: no more"),
    )
    assert played(scenario({**INITIALIZE, "optional": True})).report().ok


def test_a_wait_that_is_too_long_says_what_came_instead() -> None:
    player = Player(scenario(INITIALIZE, timeout=0.5))
    player.next()
    player.take([frame(method="_other")])
    player.timed_out()
    assert player.next() is None
    assert player.report().mismatches[0].actual == (
        "nothing within 0.5 s; what came instead: notification `_other`"
    )


def test_a_request_that_was_forgotten_is_a_mismatch_and_one_that_is_ignored_is_not() -> None:
    take = {"do": "receive", "method": "initialize"}
    forgotten = played(scenario(take), HELLO).report()
    assert [each.expected for each in forgotten.mismatches] == ["an answer to `initialize`"]
    assert played(scenario(take, {"do": "ignore", "to": "initialize"}), HELLO).report().ok


def test_a_rule_answers_at_any_time() -> None:
    listed = frame(id=1, method="session/list", params={})
    rules = [
        {"method": "session/list", "result": {"sessions": "${sessions}"}},
        {"method": "session/delete", "error": {"code": -32000, "message": "no"}},
        {"method": "session/fork"},
        {"method": "session/cancel"},
    ]
    script = scenario(INITIALIZE, always=rules, variables={"sessions": []})
    delete = frame(id=2, method="session/delete", params={})
    fork = frame(id=3, method="session/fork", params={})
    cancel = frame(method="session/cancel", params={"sessionId": "s"})
    player = played(script, listed, delete, fork, cancel, HELLO)
    assert player.report().ok
    assert player.report().unexpected == ()
    codes = {each["id"]: each.get("error", {}).get("code") for each in sent(player)}
    assert codes == {1: None, 2: -32000, 3: -32601, 7: None}


def test_a_rule_that_would_break_the_schema_stops_the_script() -> None:
    script = scenario(INITIALIZE, always=[{"method": "session/list", "result": {"sessions": 5}}])
    player = played(script, frame(id=1, method="session/list", params={}), HELLO)
    assert [each.actual for each in player.report().mismatches] == [
        "`result.sessions` expected an array"
    ]


@pytest.mark.parametrize(
    ("step", "actual"),
    [
        ({"do": "notify", "method": "session/update", "params": {"sessionId": "s"}},
         "`params.update` is missing"),
        ({"do": "notify", "method": "session/cancel", "params": {"sessionId": "s"}},
         "`session/cancel` is no notification that it may send"),
        ({"do": "request", "method": "fs/read_text_file"}, "`params.sessionId` is missing"),
        ({"do": "notify", "method": "session/update", "params": text_update("x"),
          "fault": "wrong_shape"}, "it is legal"),
    ],
)  # fmt: skip
def test_what_breaks_the_schema_is_a_fault_and_says_so_or_is_not_sent(
    step: dict[str, Any], actual: str
) -> None:
    player = played(scenario(step))
    assert [each.actual for each in player.report().mismatches] == [actual]
    assert sent(player) == []


def test_a_marked_fault_is_sent_and_marked_in_the_record() -> None:
    params = {"sessionId": "s"}
    step = {"do": "notify", "method": "session/update", "params": params, "fault": "wrong_shape"}
    report = played(scenario(step)).report()
    assert report.ok
    assert [each.fault for each in report.traffic] == ["wrong_shape"]


def test_variables_that_are_given_win_over_those_of_the_scenario() -> None:
    script = scenario(
        {"do": "notify", "method": "_a", "params": ["${who}"]}, variables={"who": "nobody"}
    )
    assert sent(played(script, who="me"))[0]["params"] == ["me"]


def test_a_loop_that_never_ran_leaves_its_variables_without_a_value() -> None:
    inner = {"do": "receive", "method": "_a", "save": {"x": "/x"}}
    script = scenario(
        {"do": "repeat", "times": 0, "steps": [inner]},
        {"do": "notify", "method": "_b", "params": "${x}"},
    )
    assert played(script).report().mismatches == (
        Mismatch("2 (`notify`)", "a value of the variable `x`", "it has none"),
    )


def test_a_peer_that_cannot_be_sent_to_is_a_mismatch_once() -> None:
    player = Player(scenario({"do": "notify", "method": "_a"}, {"do": "notify", "method": "_b"}))
    player.next()
    player.send_failed("gone")
    player.send_failed("gone")
    assert player.finished
    assert player.next() is None
    assert player.report().mismatches == (
        Mismatch("1 (`notify`)", "a peer that can be sent to", "gone"),
    )


def test_the_same_arrivals_give_the_same_record() -> None:
    script = scenario(INITIALIZE, NEW, {"do": "flood", "times": 3, "method": "_x"})
    new = frame(id=8, method="session/new", params={"cwd": "/", "mcpServers": []})
    first, second = (played(script, new, b"junk", HELLO).report() for _ in range(2))
    assert first == second
    assert first.ok


def test_an_action_is_plain_data() -> None:
    player = Player(scenario({"do": "notify", "method": "_a"}))
    action: Action | None = player.next()
    assert action == Send(b'{"jsonrpc":"2.0","method":"_a"}')
