"""Cases about JSON-RPC: values that are JSON but no message, odd ids, strays, arrays."""

import json
from typing import Any

from tests.hostile.case import (
    CANCELLED,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Answer,
    Case,
    case,
    refused,
)
from tests.hostile.raw_client import NEW_SESSION, initialize_params, line, note, prompt_params

_NEW = {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": NEW_SESSION}
_ECHO = prompt_params("s", "echo no")


def _lines(*values: Any) -> list[bytes]:
    return [json.dumps(value).encode() for value in values]


def _but(**members: Any) -> dict[str, Any]:
    """A valid request, except for these members."""
    return _NEW | members


def _without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in _NEW.items() if name not in names}


def _quiet(name: str, *values: Any, **more: Any) -> Case:
    """A case in which nothing is answered."""
    return case(name, *(each + b"\n" for each in _lines(*values)), **more)


def _ids(name: str, *ids: Any) -> Case:
    """Requests with ids that must come back exactly as they are (RPC-02)."""
    return case(
        name, *(line(id_, "session/new", NEW_SESSION) for id_ in ids), answers=map(Answer, ids)
    )


def _raw_ids(*ids: bytes) -> list[bytes]:
    return [b'{"jsonrpc":"2.0","id":%b,"method":"session/new","params":{}}' % id_ for id_ in ids]


def _calls(name: str, code: int, *methods: str) -> Case:
    lines = [line(n, method, {}) for n, method in enumerate(methods)]
    return case(name, *lines, answers=[Answer(n, code) for n in range(len(methods))])


_OTHERS = (None, True, False, 5, -1, 1.5, [], ["session/new"], {}, {"a": 1})

SHAPES = [
    refused("not_an_object", INVALID_REQUEST,
            *_lines(42, -1, 0, 1.5, 1e300, "", "x", "session/new", True, False, None)),
    refused("an_empty_object", INVALID_REQUEST, b"{}"),
    refused("an_object_of_something_else", INVALID_REQUEST, *_lines({"a": 1}, {"hello": "world"})),
    refused("no_version_of_the_protocol", INVALID_REQUEST, *_lines(_without("jsonrpc")), id_=1),
    refused("another_version_of_the_protocol", INVALID_REQUEST,
            *_lines(*(_but(jsonrpc=v) for v in ("1.0", "2", "2.00", " 2.0", "", 2, 2.0, None, True,
                                                ["2.0"], {}))), id_=1),
    refused("the_version_in_capitals", INVALID_REQUEST,
            *_lines(_without("jsonrpc") | {"JSONRPC": "2.0"}), id_=1),
    refused("method_is_no_string", INVALID_REQUEST, *_lines(*(_but(method=v) for v in _OTHERS)),
            id_=1),
    refused("no_method", INVALID_REQUEST, *_lines(_without("method"), _without("method", "params")),
            id_=1),
    refused("neither_method_nor_id", INVALID_REQUEST, *_lines(_without("method", "id"))),
    case("members_in_another_order", *(json.dumps(dict(reversed(_NEW.items()))).encode(), b"\n"),
         inputs=1, answers=[Answer(1)]),
    case("members_that_nobody_knows", *(each + b"\n" for each in _lines(
        _but(type="com.example.JsonRpcRequest"), _but(id=2, extra=[{"id": 9}], x=None),
        _but(id=3, **{f"x{n}": n for n in range(1000)}))), answers=map(Answer, (1, 2, 3))),
    case("a_key_written_with_escapes",
         rb'{"\u006asonrpc":"2.0","\u0069d":5,"m\u0065thod":"session/new",'
         rb'"params":{"cwd":"/","mcpServers":[]}}' + b"\n", answers=[Answer(5)]),
    case("a_key_twice_the_last_one_counts",
         b'{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"session/new",'
         b'"params":5,"params":{"cwd":"/","mcpServers":[]}}\n', answers=[Answer(2)]),
    case("an_id_inside_the_parameters",
         line(1, "session/new", NEW_SESSION | {"id": 99, "_meta": {"id": 98}}),
         answers=[Answer(1)]),
    case("keys_with_a_meaning_elsewhere",
         line(1, "session/new", NEW_SESSION | {"__proto__": {"a": 1}, "__class__": "x", "self": 1,
                                               "constructor": {}, "_meta": {"cwd": 5, "self": 1}}),
         answers=[Answer(1)]),
]  # fmt: skip

IDS = [
    _ids("ids_that_are_numbers", 0, -1, 1, 2**31, -(2**31), 2**53 - 1, 2**53, 2**53 + 1),
    _ids("ids_at_the_edges_of_64_bits", 2**63 - 1, -(2**63), 2**63, 2**64 - 1),
    _ids("ids_that_are_strings", "", " ", "7", "a b", "null", "é", "日本", "\U0001f9ed", '"\\/'),
    _ids("ids_with_strange_characters", "\0", "\n", "\r\n", "\u2028", "\x7f", "../../etc/passwd"),
    case("an_id_that_looks_like_another", line(7, "session/new", NEW_SESSION),
         line("7", "session/new", NEW_SESSION), answers=[Answer(7), Answer("7")]),
    refused("ids_of_another_type", INVALID_REQUEST,
            *_raw_ids(b"true", b"false", b"[]", b"[1]", b"{}", b'{"a":1}', b"1.5", b"-0.5")),
    refused("ids_of_more_than_64_bits", INVALID_REQUEST,
            *_raw_ids(b"18446744073709551616", b"-9223372036854775809", b"1" + b"0" * 400,
                      b"1e400")),
    case("a_null_id_in_version_1", *(each + b"\n" for each in _lines(_but(id=None))),
         answers=[Answer(None)], versions=(1,)),
    case("a_null_id_in_version_2", *(each + b"\n" for each in _lines(_but(id=None))),
         answers=[Answer(None, INVALID_REQUEST)], versions=(2,)),
    case("the_same_id_while_the_first_is_open",
         line(1, "session/prompt", prompt_params("s", "noop")) + line(1, "session/prompt", _ECHO),
         inputs=2,
         answers=[Answer(1), Answer(1, INVALID_REQUEST)]),
]  # fmt: skip

METHODS = [
    _calls("unknown_methods", METHOD_NOT_FOUND, "no/such", "_no/such", "$/no_such", "rpc.discover",
           "", " ", "x" * 1000, "session", "session/", "/session/new", "session/update"),
    _calls("methods_almost_right", METHOD_NOT_FOUND, "Initialize", " initialize", "initialize ",
           "session/new\0", "session\\new", "session/new/", "SESSION/NEW", "session/prompt\n"),
    _calls("methods_with_a_meaning_elsewhere", METHOD_NOT_FOUND, "__class__", "__init__",
           "../../etc/passwd", "%s%n", "${HOME}", "answer", "eval"),
    case("unknown_methods_with_any_parameters",
         *(line(n, "no/such", value) for n, value in enumerate(_OTHERS)),
         answers=[Answer(n, METHOD_NOT_FOUND) for n in range(len(_OTHERS))]),
    case("requests_named_like_notifications", line(1, "session/cancel", {"sessionId": "s"}),
         line(2, "$/cancel_request", {"requestId": 1}),
         answers=[Answer(1, METHOD_NOT_FOUND), Answer(2, METHOD_NOT_FOUND)]),
]  # fmt: skip

NOTIFICATIONS = [
    _quiet("unknown_notifications",
           *({"jsonrpc": "2.0", "method": name} for name in ("no/such", "_x", "$/x", "", "\0"))),
    _quiet("requests_without_an_id", _without("id"),
           _without("id") | {"method": "initialize", "params": initialize_params(1)}),
    case("a_prompt_without_an_id_starts_no_turn", note("session/prompt", _ECHO)),
    _quiet("notifications_with_any_parameters", *(
        {"jsonrpc": "2.0", "method": "session/cancel", "params": value} for value in _OTHERS)),
    _quiet("cancel_without_a_session", {"jsonrpc": "2.0", "method": "session/cancel"},
           {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "none"}},
           {"jsonrpc": "2.0", "method": "session/cancel",
            "params": {"sessionId": "none", "reason": "x", "_meta": {}}}),
    _quiet("cancelling_no_request", *(
        {"jsonrpc": "2.0", "method": "$/cancel_request", "params": value}
        for value in (*_OTHERS, *({"requestId": id_} for id_ in (999, "x", 1.5, *_OTHERS))))),
    case("cancelling_a_request_that_has_not_begun",
         line(1, "session/prompt", prompt_params("s", "stream 100000"))
         + note("$/cancel_request", {"requestId": 1}) * 3, inputs=4,
         answers=[Answer(1, CANCELLED)]),
    case("cancelling_with_an_id_of_another_type", line("1", "session/prompt", _ECHO)
         + note("$/cancel_request", {"requestId": 1}), inputs=2, answers=[Answer("1")],
         chunks=("no",)),
]  # fmt: skip

RESPONSES = [
    _quiet("answers_to_no_request", *({"jsonrpc": "2.0", "id": id_, "result": {}}
                                      for id_ in (0, 1, -1, 2**63, "1", "", "x", None))),
    _quiet("errors_to_no_request", *(
        {"jsonrpc": "2.0", "id": id_, "error": {"code": -32601, "message": "x"}}
        for id_ in (0, 1, "1", None))),
    _quiet("the_same_answer_twice", *[{"jsonrpc": "2.0", "id": 1, "result": {}}] * 50),
    _quiet("answers_with_both_result_and_error", *(
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": error}
        for error in ({"code": 1, "message": "x"}, None, 5))),
    _quiet("answers_whose_error_is_none", *(
        {"jsonrpc": "2.0", "id": 1, "error": error}
        for error in (None, 5, "x", [], {}, {"code": "1", "message": "x"}, {"message": "x"},
                      {"code": 1}, {"code": 1.5, "message": "x"}, {"code": 1, "message": 5}))),
    _quiet("answers_without_an_id", {"jsonrpc": "2.0", "result": {}},
           {"jsonrpc": "2.0", "error": {"code": 1, "message": "x"}}),
    _quiet("answers_with_an_impossible_id", *(
        {"jsonrpc": "2.0", "id": id_, "result": 1} for id_ in (True, 1.5, [], {}))),
    _quiet("answers_without_the_version", {"id": 1, "result": {}},
           {"jsonrpc": 2, "id": 1, "result": 1}, {"id": 1, "error": {"code": 1, "message": "x"}}),
    _quiet("a_thousand_forged_answers", *({"jsonrpc": "2.0", "id": id_, "result": {"outcome": "x"}}
                                          for id_ in range(1000))),
    case("a_request_that_also_answers", *(each + b"\n" for each in _lines(
        _but(result={}), _but(id=2, error={"code": 1, "message": "x"}))),
         answers=[Answer(1), Answer(2)]),
]  # fmt: skip

_PROMPT = {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": _ECHO}
_NOTE = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}

ARRAYS = [
    refused("an_empty_array", INVALID_REQUEST, b"[]", b"[ ]"),
    refused("arrays_of_no_messages", INVALID_REQUEST, *_lines([1], [1, 2, 3], [None], [{}], ["x"])),
    refused("arrays_in_arrays", INVALID_REQUEST, *_lines([[]], [[_NEW]], [[[[]]]])),
    refused("an_array_of_requests_runs_none_of_them", INVALID_REQUEST,
            *_lines([_NEW], [_NEW, _PROMPT], [_PROMPT, _NOTE, _PROMPT | {"id": 3}])),
    refused("an_array_of_notifications", INVALID_REQUEST, *_lines([_NOTE], [_NOTE, _NOTE])),
    refused("an_array_of_answers", INVALID_REQUEST,
            *_lines([{"jsonrpc": "2.0", "id": 1, "result": {}}])),
    refused("an_array_of_a_thousand_requests", INVALID_REQUEST,
            *_lines([_NEW | {"id": id_} for id_ in range(1000)])),
]  # fmt: skip

CASES = SHAPES + IDS + METHODS + NOTIFICATIONS + RESPONSES + ARRAYS
