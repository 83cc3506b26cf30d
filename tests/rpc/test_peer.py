"""The pure peer: ids, what is open both ways, batches, and the answer to everything malformed."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.errors import InternalError, RequestCancelled, RpcError
from parley.rpc.message import NOTHING, Notification
from parley.rpc.peer import Answered, Broken, Call, Cancelled, Event, Ignored, Peer, Reply
from parley.rpc.transport import Oversize, Unfinished
from tests.rpc.wire import cancellation, notification, request, response


def call_in(peer: Peer, id_: object = 1) -> Call:
    event = peer.receive(request(id_))
    assert isinstance(event, Call)
    return event


def reply_to(peer: Peer, frame: bytes | Oversize) -> dict[str, Any]:
    event = peer.receive(frame)
    assert isinstance(event, Reply)
    return json.loads(event.frame)


# Calls.


def test_a_request_opens_a_call_that_one_answer_closes() -> None:
    peer = Peer()
    call = call_in(peer)
    assert (call.method, bytes(call.params), peer.open_calls) == ("m", b"null", 1)
    assert peer.respond(call, b"{}") == b'{"jsonrpc":"2.0","id":1,"result":{}}'
    assert peer.open_calls == 0


def test_a_call_is_answered_exactly_once() -> None:
    peer = Peer()
    call = call_in(peer)  # RPC-03, CAN-12
    assert peer.fail(call, InternalError()) is not None
    assert peer.respond(call, b"1") is None
    assert peer.fail(call, RequestCancelled()) is None


def test_an_old_call_does_not_answer_for_a_new_one_with_the_same_id() -> None:
    peer = Peer()
    first = call_in(peer)
    peer.respond(first, b"1")
    second = call_in(peer)
    assert peer.respond(first, b"1") is None
    assert peer.respond(second, b"2") is not None


def test_an_answer_that_cannot_be_encoded_leaves_the_call_open() -> None:
    peer = Peer()
    call = call_in(peer)
    with pytest.raises(TypeError):
        peer.fail(call, RpcError(1, "no", object()))
    assert peer.is_open(call)


@pytest.mark.parametrize("id_", [1, "1", None])
def test_an_id_that_is_still_open_is_refused(id_: int | str | None) -> None:
    peer = Peer()
    call = call_in(peer, id_)  # RPC-13
    answer = reply_to(peer, request(id_))
    assert (answer["id"], answer["error"]["code"]) == (id_, -32600)
    assert peer.is_open(call)


def test_a_number_and_a_string_are_different_ids() -> None:
    peer = Peer()
    calls = [call_in(peer, id_) for id_ in (7, "7", None, "")]  # RPC-02
    frames = [peer.respond(call, b"0") for call in calls]
    assert [json.loads(frame or b"")["id"] for frame in frames] == [7, "7", None, ""]


def test_a_null_id_is_legal_only_where_the_version_says_so() -> None:
    assert call_in(Peer(), None).id is None  # RPC-15
    answer = reply_to(Peer(null_ids=False), request(None))  # RPC-16
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize("null_ids", [True, False])
def test_a_fraction_is_no_id_in_any_version(null_ids: bool) -> None:
    answer = reply_to(Peer(null_ids=null_ids), request(1.5))  # RPC-16
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


def test_an_error_has_a_null_id_only_if_the_id_could_not_be_determined() -> None:
    peer = Peer()  # RPC-17
    assert reply_to(peer, b'{"jsonrpc":"1.0","id":"a","method":"m"}')["id"] == "a"
    assert reply_to(peer, b'{"jsonrpc":"2.0","id":3,"method":5}')["id"] == 3
    assert reply_to(peer, b'{"jsonrpc":"2.0","id":3')["id"] is None


def test_a_notification_gives_itself_and_opens_nothing() -> None:
    peer = Peer()  # RPC-05
    event = peer.receive(notification("a/b", {"x": 1}))
    assert isinstance(event, Notification)
    assert (event.method, json.loads(bytes(event.params))) == ("a/b", {"x": 1})
    assert peer.open_calls == 0


def test_a_blank_frame_is_no_event() -> None:
    assert Peer().receive(b"  \r") == []


# Requests of ours.


def test_ids_count_up_from_one_and_are_never_used_twice() -> None:
    peer = Peer()
    frames = [peer.request("m", NOTHING, object()) for _ in range(1000)]  # RPC-13
    assert [id_ for id_, _ in frames] == list(range(1, 1001))
    assert [json.loads(frame)["id"] for _, frame in frames] == list(range(1, 1001))
    assert peer.pending_requests == 1000


def test_answers_are_matched_by_id_in_any_order() -> None:
    peer = Peer()
    for waiter in "abc":
        peer.request("m", NOTHING, waiter)
    events = [peer.receive(response(id_, id_)) for id_ in (3, 1, 2)]  # RPC-14
    found = [(e.waiter, bytes(e.result)) for e in events if isinstance(e, Answered)]
    assert found == [("c", b"3"), ("a", b"1"), ("b", b"2")]


def test_both_directions_have_their_own_ids() -> None:
    peer = Peer()
    id_, _ = peer.request("m", NOTHING, "waiter")  # RPC-12
    call = call_in(peer, id_)
    event = peer.receive(response(id_, "theirs"))
    assert isinstance(event, Answered)
    assert event.waiter == "waiter"
    assert peer.respond(call, b'"ours"') is not None


@pytest.mark.parametrize("id_", ["1", 2, None, 1.0])
def test_an_answer_with_another_id_is_ignored(id_: object) -> None:
    peer = Peer()
    peer.request("m", NOTHING, "waiter")
    assert peer.receive(response(id_)) == Ignored("an answer to no open request")  # RPC-11
    assert peer.pending_requests == 1


def test_a_second_answer_is_ignored() -> None:
    peer = Peer()
    peer.request("m", NOTHING, "waiter")
    peer.receive(response(1))
    assert peer.receive(response(1)) == Ignored("an answer to no open request")  # RPC-11


def test_an_error_with_a_null_id_is_ignored() -> None:
    # Some clients answer a notification they do not know like this.
    frame = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"x"}}'
    assert Peer().receive(frame) == Ignored("an answer to no open request")


@pytest.mark.parametrize(
    "frame",
    [
        b'{"jsonrpc":"2.0","id":1,"error":"x"}',
        b'{"id":1,"result":1}',
        b'{"jsonrpc":"2.0","id":1,"result":"\xff"}',
        b'{"jsonrpc":"2.0","id":1,"result":"\\ud800"}',
        b'{"jsonrpc":"2.0","id":1,"result":{',
        b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 100_000,
        Oversize(99, b'{"jsonrpc":"2.0","id":1,"result":"aaa', 50),
    ],
)
def test_an_answer_that_cannot_be_read_ends_the_wait_and_is_not_answered(
    frame: bytes | Oversize,
) -> None:
    peer = Peer()
    peer.request("m", NOTHING, "waiter")  # RPC-11
    event = peer.receive(frame)
    assert isinstance(event, Broken)
    assert event.waiter == "waiter"
    assert peer.pending_requests == 0


def test_what_only_looks_like_an_answer_gets_a_parse_error() -> None:
    answer = reply_to(Peer(), b'{"jsonrpc":"2.0","id":1,"result":{')  # RPC-06
    assert answer == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32700, "message": "Parse error"},
    }


def test_an_abandoned_request_is_told_to_the_peer_once() -> None:
    peer = Peer()
    id_, _ = peer.request("m", NOTHING, "waiter")  # CAN-01
    expected = b'{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}'
    assert peer.abandon(id_) == expected
    assert peer.abandon(id_) is None


def test_an_answered_request_cannot_be_abandoned() -> None:
    peer = Peer()
    id_, _ = peer.request("m", NOTHING, "waiter")
    peer.receive(response(id_))
    assert peer.abandon(id_) is None


def test_the_late_answer_to_an_abandoned_request_is_swallowed_quietly() -> None:
    peer = Peer()
    for _ in range(2):
        peer.abandon(peer.request("m", NOTHING, "waiter")[0])
    late = Ignored("the late answer to an abandoned request", expected=True)  # CAN-09
    assert peer.receive(response(1)) == late
    assert peer.receive(b'{"jsonrpc":"2.0","id":2,"error":5}') == late
    assert peer.receive(response(1)) == Ignored("an answer to no open request")


def test_requests_that_are_never_answered_do_not_fill_the_memory() -> None:
    peer = Peer()
    for _ in range(5_000):
        peer.abandon(peer.request("m", NOTHING, "waiter")[0])
    quiet = [peer.receive(response(id_)) for id_ in range(1, 5_001)]
    assert sum(isinstance(event, Ignored) and event.expected for event in quiet) == 1024


def test_the_end_returns_who_still_waits() -> None:
    peer = Peer()
    ids = [peer.request("m", NOTHING, waiter)[0] for waiter in "abc"]  # RPC-26
    peer.abandon(ids[1])
    assert peer.end() == ["a", "c"]
    assert peer.end() == []


# Cancellation by the peer.


@pytest.mark.parametrize("id_", [0, -5, 2**64 - 1, "", "7", "🐢", None])
def test_a_cancellation_finds_the_call_by_value_and_type(id_: int | str | None) -> None:
    peer = Peer()
    others = [call_in(peer, other) for other in (7, "0") if other != id_]
    call = call_in(peer, id_)  # CAN-02
    assert peer.receive(cancellation(id_)) == Cancelled(call)
    assert call.cancelled
    assert not any(other.cancelled for other in others)


def test_a_cancellation_never_touches_our_own_request_with_that_id() -> None:
    peer = Peer()
    peer.request("m", NOTHING, "waiter")  # CAN-02
    assert isinstance(peer.receive(cancellation(1)), Ignored)
    assert peer.pending_requests == 1


def test_a_cancellation_that_comes_too_late_or_twice_is_no_fault() -> None:
    peer = Peer()
    call = call_in(peer)
    peer.receive(cancellation(1))
    quiet = Ignored("a cancellation of no open request", expected=True)  # CAN-06, CAN-07
    assert peer.receive(cancellation(1)) == quiet
    peer.respond(call, b"1")
    assert peer.receive(cancellation(1)) == quiet
    assert peer.receive(cancellation(999)) == quiet


@pytest.mark.parametrize(
    "params", [None, {}, [], {"requestId": {}}, {"requestId": 1.5}, {"requestId": [1]}, "x"]
)
def test_a_malformed_cancellation_is_ignored(params: object) -> None:
    peer = Peer()
    call = call_in(peer)
    event = peer.receive(notification("$/cancel_request", params))  # CAN-06
    assert event == Ignored("a cancellation without a valid `requestId`")
    assert not call.cancelled


def test_a_cancellation_without_params_is_ignored() -> None:
    event = Peer().receive(b'{"jsonrpc":"2.0","method":"$/cancel_request"}')
    assert event == Ignored("a cancellation without a valid `requestId`")


# Messages over the limit.


def test_a_request_over_the_size_limit_is_refused_with_its_id() -> None:
    peer = Peer()
    head = b'{"jsonrpc":"2.0","id":"big","method":"m","params":"aaaa'  # RPC-30
    answer = reply_to(peer, Oversize(70_000_000, head, 64_000_000))
    assert answer["id"] == "big"
    assert answer["error"]["code"] == -32600
    assert "70000000 bytes, the limit is 64000000" in answer["error"]["message"]


def test_a_message_over_the_size_limit_without_an_id_is_refused_with_null() -> None:
    assert reply_to(Peer(), Oversize(9, b"aaaaa", 5))["id"] is None


def test_an_answer_over_the_size_limit_that_nobody_waits_for_is_ignored() -> None:
    event = Peer().receive(Oversize(9, b'{"id":1,"result":"', 5))
    assert event == Ignored("an answer to no open request")


# Batches.


@pytest.mark.parametrize("frame", [b"[]", b"[1]", b"[" + request(1) + b"]", b"[[]]"])
def test_an_array_is_refused_whole_and_nothing_in_it_is_executed(frame: bytes) -> None:
    peer = Peer()
    answer = reply_to(peer, frame)  # RPC-19
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)
    assert peer.open_calls == 0


def batch_events(peer: Peer, *entries: bytes) -> list[Event]:
    events = peer.receive(b"[%b]" % b",".join(entries))
    return events if isinstance(events, list) else [events]


def test_with_the_switch_an_empty_array_gets_one_error() -> None:
    answer = reply_to(Peer(process_batches=True), b"[]")  # RPC-20
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


def test_with_the_switch_each_invalid_entry_gets_one_error_in_one_array() -> None:
    *ignored, reply = batch_events(Peer(process_batches=True), b"1", b"2", b"[3]")  # RPC-20
    assert [type(event) for event in ignored] == [Ignored] * 3
    assert isinstance(reply, Reply)
    answers = json.loads(reply.frame)
    assert [(each["id"], each["error"]["code"]) for each in answers] == [(None, -32600)] * 3


def test_with_the_switch_an_array_of_notifications_gets_nothing() -> None:
    events = batch_events(Peer(process_batches=True), notification("a"), notification("b"))
    assert [isinstance(event, Notification) for event in events] == [True] * 2  # RPC-20


def test_with_the_switch_the_answers_leave_as_one_array_when_all_are_there() -> None:
    peer = Peer(process_batches=True)
    first, note, second, bad = batch_events(
        peer, request(1), notification("n"), request("b"), b"{}"
    )  # RPC-20, RPC-21
    assert isinstance(first, Call)
    assert isinstance(note, Notification)
    assert isinstance(second, Call)
    assert isinstance(bad, Ignored)
    assert peer.respond(second, b"2") is None
    frame = peer.fail(first, InternalError())
    answers = json.loads(frame or b"")
    assert sorted(str(each["id"]) for each in answers) == ["1", "None", "b"]


def test_with_the_switch_what_follows_an_answer_follows_the_array() -> None:
    peer = Peer(process_batches=True)
    first, second = batch_events(peer, request(1), request(2))
    assert isinstance(first, Call)
    assert isinstance(second, Call)
    first.after_response(lambda: "first")
    second.after_response(lambda: "second")
    peer.respond(first, b"1")
    assert first.after == []
    peer.respond(second, b"2")
    assert [callback() for callback in second.after] == ["first", "second"]


def test_with_the_switch_responses_and_cancellations_work_inside_an_array() -> None:
    peer = Peer(process_batches=True)
    peer.request("m", NOTHING, "waiter")
    call, cancelled, answered = batch_events(peer, request(1), cancellation(1), response(1, 5))
    assert isinstance(call, Call)
    assert cancelled == Cancelled(call)
    assert isinstance(answered, Answered)
    assert json.loads(peer.fail(call, RequestCancelled()) or b"")[0]["id"] == 1


# Properties.


@settings(deadline=None)
@given(st.lists(st.binary(max_size=80), max_size=10), st.booleans())
def test_any_frames_give_events_and_leave_the_peer_usable(frames: list[bytes], all_: bool) -> None:
    peer = Peer(process_batches=all_)
    for frame in frames:
        peer.receive(frame)
    assert isinstance(peer.receive(request("a fresh id")), Call)


def test_half_an_answer_at_the_end_of_the_stream_is_left_to_the_end() -> None:
    peer = Peer()
    peer.request("m", NOTHING, "waiter")
    event = peer.receive(Unfinished(b'{"jsonrpc":"2.0","id":1,"result":{"a'))
    assert event == Ignored("half an answer, at the end of the stream")
    assert peer.end() == ["waiter"]


def test_a_whole_answer_at_the_end_of_the_stream_counts() -> None:
    peer = Peer()
    peer.request("m", NOTHING, "waiter")
    assert isinstance(peer.receive(Unfinished(response(1))), Answered)


def test_half_a_request_at_the_end_of_the_stream_is_malformed() -> None:
    assert reply_to(Peer(), Unfinished(b'{"jsonrpc":"2.0","id":1,"meth'))["error"]["code"] == -32700
