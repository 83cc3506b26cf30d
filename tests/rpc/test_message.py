"""The envelope: every frame is a message or one documented error, and comes back as it was."""

import json
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from parley.errors import AuthRequired, InternalError, ParseError, RpcError
from parley.rpc.message import (
    NOTHING,
    Batch,
    BrokenResponse,
    Malformed,
    Message,
    Notification,
    Request,
    Response,
    entries_of,
    error_frame,
    notification_frame,
    parse,
    request_frame,
    result_frame,
    unreadable,
)

LEGAL_IDS = [0, 1, -1, 2**53 + 1, -(2**63), 2**64 - 1, "", "7", "a b", "żółw 🐢", "\u2028", None]
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


# Requests, notifications, responses.


@pytest.mark.parametrize("id_", LEGAL_IDS)
def test_an_id_of_any_legal_type_is_repeated_with_value_and_type(id_: int | str | None) -> None:
    frame = json.dumps({"jsonrpc": "2.0", "id": id_, "method": "m"}).encode()  # RPC-02, RPC-15
    request = parse(frame)
    assert isinstance(request, Request)
    assert (request.id, type(request.id)) == (id_, type(id_))
    assert json.loads(result_frame(request.id, b"1"))["id"] == id_
    assert json.loads(error_frame(request.id, InternalError()))["id"] == id_


@pytest.mark.parametrize(
    "id_", ["1.5", "1.0", "1e2", "true", "{}", "[]", str(2**64), str(-(2**63) - 1), "9" * 5000]
)
def test_an_id_that_is_no_string_and_no_integer_of_64_bits_is_refused_with_null(id_: str) -> None:
    message = parse(b'{"jsonrpc":"2.0","id":%b,"method":"m"}' % id_.encode())  # RPC-16
    assert isinstance(message, Malformed)
    assert (message.id, message.error.code) == (None, -32600)


def test_params_arrive_as_the_bytes_they_were() -> None:
    text = '{ "_meta" : {"b":1}, "ż" : [1.0e2,\t"\\u0041"] }'.encode()
    message = parse(b'{"jsonrpc":"2.0","method":"m","params":%b}' % text)
    assert isinstance(message, Notification)
    assert bytes(message.params) == text


@pytest.mark.parametrize(("text", "params"), [("", b""), (',"params":null', b"null")])
def test_params_may_be_absent_or_null(text: str, params: bytes) -> None:
    message = parse(f'{{"jsonrpc":"2.0","id":1,"method":"m"{text}}}'.encode())  # RPC-25
    assert isinstance(message, Request)
    assert bytes(message.params) == params


def test_members_that_nobody_knows_are_skipped() -> None:
    frame = b'{"type":"com.example.Request","jsonrpc":"2.0","id":1,"method":"m","x":{"id":2}}'
    message = parse(frame)
    assert isinstance(message, Request)
    assert message.id == 1


def test_an_error_becomes_the_class_that_stands_for_its_code() -> None:
    frame = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"log in","data":[1]}}'
    message = parse(frame)  # RPC-04
    assert isinstance(message, Response)
    assert isinstance(message.error, AuthRequired)
    assert (message.error.message, message.error.data) == ("log in", [1])


@pytest.mark.parametrize(
    ("members", "result"),
    [
        ('"result":1', b"1"),
        ('"result":null', b"null"),
        ('"result":1,"error":null', b"1"),
        ('"result":null,"error":null', b"null"),
    ],
)
def test_a_null_error_beside_a_result_counts_as_absent(members: str, result: bytes) -> None:
    message = parse(f'{{"jsonrpc":"2.0","id":1,{members}}}'.encode())  # RPC-03
    assert isinstance(message, Response)
    assert (bytes(message.result), message.error) == (result, None)


def test_a_null_result_beside_an_error_counts_as_absent() -> None:
    message = parse(b'{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":5,"message":"no"}}')
    assert isinstance(message, Response)
    assert message.error is not None
    assert message.error.code == 5


@pytest.mark.parametrize(
    "members",
    [
        '"jsonrpc":"2.0","result":1,"error":{"code":1,"message":"x"}',
        '"jsonrpc":"2.0","error":null',
        '"jsonrpc":"2.0","error":{"code":"1","message":"x"}',
        '"jsonrpc":"2.0","error":{"code":1}',
        '"jsonrpc":"2.0","error":{"code":1.5,"message":"x"}',
        '"jsonrpc":"2.0","error":"x"',
        '"result":1',
        '"jsonrpc":"1.0","result":1',
        '"jsonrpc":2.0,"error":{"code":1,"message":"x"}',
    ],
)
def test_a_broken_response_keeps_its_id_and_has_no_answer(members: str) -> None:
    message = parse(f'{{"id":7,{members}}}'.encode())  # RPC-03, RPC-04, RPC-11
    assert isinstance(message, BrokenResponse)
    assert message.id == 7


def test_a_response_without_an_id_is_broken() -> None:
    assert isinstance(parse(b'{"jsonrpc":"2.0","result":1}'), BrokenResponse)


# What is no message.


@pytest.mark.parametrize(
    "frame",
    [
        b'{"a":',
        b"nul",
        b"{'a':1}",
        b'{"jsonrpc":"2.0","method":"m"} x',
        b'{"jsonrpc":"2.0","method":"m","params":NaN}',
        b'{"jsonrpc":"2.0","method":"m","params":-Infinity}',
        b'{"jsonrpc":"2.0","method":"m","params":"\\ud800"}',
        b'{"jsonrpc":"2.0","method":"m","params":"a\nb"}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"m"}',
        b"\xff\xfe",
        b'{"jsonrpc":"2.0","method":"m","params":"\xff"}',
        b'{"jsonrpc":"2.0","method":"m","params":"\xed\xa0\x80"}',
        b"\x00",
        b"\x0c",
        b"\x0b \xc2\x85",
    ],
)
def test_what_is_not_json_in_utf_8_is_a_parse_error_with_null(frame: bytes) -> None:
    message = parse(frame)  # RPC-06, RPC-23, RPC-24
    assert isinstance(message, Malformed)
    assert (message.id, type(message.error)) == (None, ParseError)


@pytest.mark.parametrize(
    ("frame", "id_", "problem"),
    [
        ("5", None, "not an object"),
        ('"x"', None, "not an object"),
        ("null", None, "not an object"),
        ("{}", None, '`jsonrpc` is not "2.0"'),
        ('{"id":1,"method":"m"}', 1, '`jsonrpc` is not "2.0"'),
        ('{"jsonrpc":"1.0","id":"a","method":"m"}', "a", '`jsonrpc` is not "2.0"'),
        ('{"jsonrpc":2.0,"id":1,"method":"m"}', 1, '`jsonrpc` is not "2.0"'),
        ('{"jsonrpc":"2.0","id":1,"method":5}', 1, "`method` is not a string"),
        ('{"jsonrpc":"2.0","id":1,"method":null}', 1, "`method` is not a string"),
        ('{"jsonrpc":"2.0","method":["m"]}', None, "`method` is not a string"),
        ('{"jsonrpc":"2.0","id":1}', 1, "`method` is missing"),
        ('{"jsonrpc":"2.0","id":null}', None, "`method` is missing"),
        ('{"jsonrpc":"2.0","params":1e999}', None, "`method` is missing"),
    ],
)
def test_json_that_is_no_message_is_invalid_and_keeps_a_readable_id(
    frame: str, id_: int | str | None, problem: str
) -> None:
    message = parse(frame.encode())  # RPC-01, RPC-07, RPC-17
    assert isinstance(message, Malformed)
    assert (message.id, message.error.code, message.problem) == (id_, -32600, problem)
    assert message.error.message == f"Invalid request: {problem}"


@pytest.mark.parametrize("frame", [b"", b" ", b"\t\r\n", b"\r"])
def test_white_space_is_no_message_and_no_error(frame: bytes) -> None:
    assert parse(frame) is None  # STD-09


@pytest.mark.parametrize("depth", [50, 300, 500, 900, 1000, 5_000, 100_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_no_depth_of_nesting_raises(depth: int, brackets: str) -> None:
    opening, closing = brackets if brackets == "[]" else ('{"a":', "}")
    nest = opening * depth + "1" + closing * depth
    for frame in (nest, nest[:-1], f'{{"jsonrpc":"2.0","id":4,"method":"m","params":{nest}}}'):
        message = parse(frame.encode())
        assert isinstance(message, Request | Malformed | Batch)
        for entry in entries_of(message) if isinstance(message, Batch) else []:
            assert isinstance(entry, Malformed)


def test_an_array_at_the_very_limit_of_nesting_gives_entries() -> None:
    # The limit is that of the interpreter, so it may be passed between two looks at the array.
    for depth in range(900, 1010):
        batch = parse(b"[" * depth + b"]" * depth)
        if isinstance(batch, Batch):
            assert [type(entry) for entry in entries_of(batch)] == [Malformed]


def test_an_array_that_turns_out_to_be_nested_too_deeply_has_one_entry() -> None:
    (entry,) = entries_of(Batch(b"[" * 100_000))
    assert isinstance(entry, Malformed)
    assert entry.problem == "nested too deeply"


def test_a_request_that_is_nested_too_deeply_is_refused_with_its_id() -> None:
    message = parse(b'{"jsonrpc":"2.0","id":4,"method":"m","params":' + b"[" * 100_000)
    assert isinstance(message, Malformed)
    assert (message.id, message.problem) == (4, "nested too deeply")


def test_a_response_that_is_nested_too_deeply_is_broken() -> None:
    message = parse(b'{"jsonrpc":"2.0","id":4,"result":' + b"[" * 100_000)
    assert message == BrokenResponse(4, "nested too deeply")


@pytest.mark.parametrize("result", [b'"\xff"', b'"\\ud800"', b'{"a":'])
def test_the_wreck_of_a_response_names_the_request_it_would_have_answered(result: bytes) -> None:
    message = parse(b'{"jsonrpc":"2.0","id":4,"result":%b}' % result)
    assert isinstance(message, Malformed)
    assert (message.id, message.answers) == (None, 4)


def test_a_large_array_of_tiny_values_is_not_built() -> None:
    frame = b"[" + b"{}," * 200_000 + b"{}]"
    before = sys.getallocatedblocks()
    batch = parse(frame)
    assert isinstance(batch, Batch)
    assert sys.getallocatedblocks() - before < 1_000


# Messages of which only the head is left.


@pytest.mark.parametrize(
    ("head", "id_"),
    [
        ('{"jsonrpc":"2.0","id":5,"method":"m","params":{"text":"aaa', 5),
        ('{"id":"x\\"y","method":"m"}', 'x"y'),
        ('{"method":"m","params":{"id":9},"id":-1,', -1),
        ('{"method":"m","params":{"id":9},', None),
        ('{"method":"m","params":["{\\"id\\":7,", "]"],"id":8}', 8),
        ('{"method":"m","text":"unfinished \\"id\\":7,', None),
        ('{"method":"m","id":12', None),
        ('{"method":"m","id":', None),
        ('{"method":"m","id"', None),
        ('{"method":"m","id":1.5,', None),
        (f'{{"method":"m","id":{2**64},', None),
        ('{"method":"m","id":null,', None),
        ('{"method":"m","id":{"id":3},', None),
        ('[{"method":"m","id":3},', None),
        ("", None),
    ],
)
def test_the_id_of_an_unreadable_request_is_found_only_at_the_top_and_in_full(
    head: str, id_: int | str | None
) -> None:
    error = InternalError()
    assert unreadable(head.encode(), error, "p") == Malformed(id_, error, "p")


@pytest.mark.parametrize("member", ["result", "error"])
def test_an_unreadable_response_is_broken(member: str) -> None:
    head = f'{{"jsonrpc":"2.0","id":5,"{member}":{{"method":"m","text":"aaa'.encode()
    assert unreadable(head, InternalError(), "p") == BrokenResponse(5, "p")


# Outgoing frames.


def test_a_request_is_written_with_and_without_params() -> None:
    with_params = b'{"jsonrpc":"2.0","id":1,"method":"a/b","params":[1]}'
    assert request_frame(1, "a/b", Raw(b"[1]")) == with_params
    assert request_frame("x", "m", NOTHING) == b'{"jsonrpc":"2.0","id":"x","method":"m"}'


def test_a_notification_is_written_with_and_without_params() -> None:
    for _ in range(2):
        with_params = b'{"jsonrpc":"2.0","method":"a","params":[1]}'
        assert notification_frame("a", b"[1]") == with_params
    assert notification_frame("a", NOTHING) == b'{"jsonrpc":"2.0","method":"a"}'


def test_names_of_methods_do_not_fill_the_memory() -> None:
    for number in range(300):
        name = f"method {number}"
        frame = json.loads(notification_frame(name, b"{}"))
        assert frame == {"jsonrpc": "2.0", "method": name, "params": {}}


def test_an_empty_result_is_null() -> None:
    assert result_frame(1, NOTHING) == b'{"jsonrpc":"2.0","id":1,"result":null}'


def test_the_data_of_an_error_is_omitted_when_there_is_none() -> None:
    plain = b'{"jsonrpc":"2.0","id":null,"error":{"code":7,"message":"no"}}'
    assert error_frame(None, RpcError(7, "no")) == plain
    assert json.loads(error_frame(1, RpcError(7, "no", {"a": None})))["error"]["data"] == {
        "a": None
    }
    assert json.loads(error_frame(1, RpcError(7, "no", False)))["error"]["data"] is False


@pytest.mark.parametrize(
    "frame",
    [
        request_frame(1, "m", b'{\n"a": "b\\nc"\r\n}'),
        notification_frame("m", b'{\n"a": "b\\nc"\r\n}'),
        result_frame(1, Raw(b'{\n"a": "b\\nc"\r\n}')),
        error_frame(1, RpcError(1, "a\nb", Raw(b'{\n"a": "b\\nc"\r\n}'))),
    ],
)
def test_a_payload_with_line_breaks_leaves_as_one_line_with_the_same_meaning(frame: bytes) -> None:
    members = json.loads(frame)  # STD-04
    payload = members.get("params") or members.get("result") or members["error"]["data"]
    assert b"\n" not in frame
    assert payload == {"a": "b\nc"}


def test_text_leaves_as_utf_8() -> None:
    frame = request_frame("🐢", "żółw", '"漢字\u2028"'.encode())  # RPC-23
    assert frame.decode() == '{"jsonrpc":"2.0","id":"🐢","method":"żółw","params":"漢字\u2028"}'


# Properties.


@settings(deadline=None)
@given(st.binary(max_size=200))
@example(b"[[[[")
@example(b"\xed\xa0\x80")
def test_any_bytes_give_a_message_or_one_documented_error(frame: bytes) -> None:
    message = parse(frame)
    assert message is None or isinstance(message, Message)
    if isinstance(message, Malformed):
        assert message.error.code in (-32700, -32600)
    if message is None:
        assert not frame.strip(b" \t\r\n")


@settings(deadline=None)
@given(JSON_VALUES)
def test_any_json_gives_a_message_or_an_invalid_request(value: Any) -> None:
    message = parse(json.dumps(value).encode())
    assert isinstance(message, Batch | BrokenResponse | Malformed)
    assert not isinstance(message, Malformed) or message.error.code == -32600


@settings(deadline=None)
@given(st.dictionaries(st.text(), JSON_VALUES, max_size=3), st.text(), st.booleans())
def test_what_the_standard_library_reads_as_a_message_is_one(
    others: dict[str, Any], method: str, ascii_only: bool
) -> None:
    members = others | {"jsonrpc": "2.0", "method": method}
    frame = json.dumps(members, ensure_ascii=ascii_only).encode()
    message = parse(frame)
    illegal = isinstance(message, Malformed) and "id" in others and message.error.code == -32600
    assert illegal or isinstance(message, Request | Notification)


@settings(deadline=None)
@given(st.text(max_size=60) | JSON_VALUES.map(json.dumps).map(lambda text: text[:-1]))
def test_what_the_standard_library_cannot_read_is_always_a_parse_error(text: str) -> None:
    frame = text.encode("utf-8", "surrogatepass")
    try:
        json.loads(frame.decode())
    except ValueError:
        message = parse(frame)
        assert message is None or (
            isinstance(message, Malformed) and type(message.error) is ParseError
        )


@settings(deadline=None)
@given(st.text(), st.integers(-(2**63), 2**64 - 1) | st.text() | st.none(), JSON_VALUES)
def test_requests_and_notifications_come_back_as_they_were_written(
    method: str, id_: int | str | None, params: Any
) -> None:
    encoded = json.dumps(params, ensure_ascii=False).encode()
    request = parse(request_frame(id_, method, encoded))
    assert isinstance(request, Request)
    assert (request.id, request.method, json.loads(bytes(request.params))) == (id_, method, params)
    notification = parse(notification_frame(method, encoded))
    assert isinstance(notification, Notification)
    assert (notification.method, json.loads(bytes(notification.params))) == (method, params)


@settings(deadline=None)
@given(st.integers(-(2**63), 2**64 - 1), st.integers(-(2**31), 2**31), st.text(), JSON_VALUES)
def test_errors_come_back_as_they_were_written(
    id_: int, code: int, text: str, data: object
) -> None:
    response = parse(error_frame(id_, RpcError(code, text, data)))
    assert isinstance(response, Response)
    assert response.error is not None
    assert (response.id, response.error.code, response.error.message, response.error.data) == (
        id_,
        code,
        text,
        data,
    )
