"""Bytes to models and back: the native way, and what falls back to the reader in Python."""

import json
from typing import Any

import msgspec
import pytest

from parley.schema import v1, v2
from parley.schema.base import UNSET, Extra
from parley.schema.codec import decode, decode_strictly, decoder, encode
from parley.schema.problem import DecodeProblem, Note

CHUNK = (
    b'{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk",'
    b'"content":{"type":"text","text":"hi"}}}'
)


def test_a_message_is_written_in_its_wire_form() -> None:
    message = v1.SessionNotification(
        session_id="s", update=v1.AgentMessageChunk(content=v1.TextContent(text="hi"))
    )
    assert encode(message) == CHUNK
    assert decode(v1.SessionNotification, CHUNK) == message


def test_a_decoder_is_made_once() -> None:
    assert decoder(v1.PromptRequest) is decoder(v1.PromptRequest)


def test_raw_json_is_read_too() -> None:
    assert decoder(v1.SessionNotification)(msgspec.Raw(CHUNK)).session_id == "s"


def test_plain_json_values_are_written_too() -> None:
    assert encode({"a": [1, None]}) == b'{"a":[1,null]}'


def test_what_is_not_json_cannot_be_written() -> None:
    with pytest.raises(TypeError, match="`object` is not a JSON value"):
        encode({"a": object()})


def test_omitted_null_and_value_are_three_things() -> None:
    # DEC-10
    for text, value in (("", UNSET), (',"title":null', None), (',"title":"t"', "t")):
        data = f'{{"sessionUpdate":"tool_call_update","toolCallId":"c"{text}}}'.encode()
        update = decode(v2.SessionUpdate, data)
        assert update.title == value
        assert encode(update) == data
        plain = data.replace(b'"sessionUpdate":"tool_call_update",', b"")
        assert encode(decode(v2.ToolCallUpdate, plain)) == plain


def test_integers_of_64_bits_survive() -> None:
    # DEC-13
    update = decode(
        v1.SessionUpdate,
        b'{"sessionUpdate":"usage_update","used":%d,"size":%d}' % (2**63 - 1, 2**64 - 1),
    )
    assert (update.used, update.size) == (2**63 - 1, 2**64 - 1)
    cancel = decode(v2.CancelRequestNotification, b'{"requestId":%d}' % (2**53 + 1))
    assert encode(cancel) == b'{"requestId":%d}' % (2**53 + 1)


@pytest.mark.parametrize("number", [-1, 2**32])
def test_integers_out_of_their_range_are_refused(number: int) -> None:
    data = b'{"sessionId":"s","path":"/p","line":%d}' % number
    with pytest.raises(DecodeProblem) as caught:
        decode(v1.ReadTextFileRequest, data)
    assert caught.value.path == "line"


def test_an_unknown_member_is_kept_and_sent_on() -> None:
    data = CHUNK[:-1] + b',"future":{"deep":[1]}}'
    message = decode(v1.SessionNotification, data)
    assert message.extra == Extra({"future": {"deep": [1]}})
    assert encode(message) == data


def test_unknown_members_are_kept_where_they_stood() -> None:
    data = CHUNK.replace(b'"text":"hi"', b'"text":"hi","future":1')
    message = decode(v1.SessionNotification, data)
    assert message.extra is UNSET
    assert message.update.content.extra == Extra({"future": 1})
    assert encode(message) == data


def test_an_extra_member_never_replaces_a_known_one() -> None:
    extra = Extra({"text": "other", "type": "image", "annotations": {}, "_meta": 1, "more": 2})
    block = v1.TextContent(text="mine", extra=extra)
    assert json.loads(encode(block)) == {"type": "text", "text": "mine", "more": 2}


def test_extra_members_of_list_items_are_written() -> None:
    block = v1.TextContent(text="a", extra=Extra({"more": 1}))
    for blocks in ([block], (block,)):
        request = v1.PromptRequest(session_id="s", prompt=blocks)  # pyright: ignore[reportArgumentType]
        assert json.loads(encode(request))["prompt"] == [{"type": "text", "text": "a", "more": 1}]


def test_a_free_member_is_written_as_it_is() -> None:
    raw: dict[str, Any] = {"x": [1, {"y": None}]}
    call = v1.ToolCall(tool_call_id="c", title="t", raw_input=raw, extra=Extra({"more": 1}))
    assert json.loads(encode(call))["rawInput"] == raw


def test_an_unknown_variant_comes_back_as_it_was() -> None:
    # DEC-08, DEC-09
    data = b'{"sessionId":"s","update":{"sessionUpdate":"future","payload":{"a":[1]}}}'
    for kind, other in (
        (v1.SessionNotification, v1.OtherSessionUpdate),
        (v2.UpdateSessionNotification, v2.OtherSessionUpdate),
    ):
        message: Any = decode(kind, data)
        assert isinstance(message.update, other)
        assert message.update.tag == "future"
        assert json.loads(encode(message)) == json.loads(data)


def test_an_unknown_value_of_an_enumeration_comes_back_as_it_was() -> None:
    data = b'{"stopReason":"future_reason"}'
    assert encode(decode(v1.PromptResponse, data)) == data


@pytest.mark.parametrize("package", [v1, v2])
def test_a_known_tag_with_a_bad_body_is_an_error(package: Any) -> None:
    # DEC-07
    with pytest.raises(DecodeProblem) as caught:
        decode(package.PromptRequest, b'{"sessionId":"s","prompt":[{"type":"text"}]}')
    assert str(caught.value) == "`prompt[0].text` is missing"


def test_a_way_to_log_in_with_an_unknown_type_is_not_the_plain_one() -> None:
    # DEC-17
    data = b'{"id":"m","name":"n","type":"env_var","vars":[]}'
    method = decode(v1.AuthMethod, data)
    assert isinstance(method, v1.OtherAuthMethod)
    assert json.loads(encode(method)) == json.loads(data)


@pytest.mark.parametrize("text", ["", ',"type":"agent"'])
def test_the_plain_way_to_log_in_may_name_its_type(text: str) -> None:
    data = f'{{"id":"m","name":"n"{text}}}'.encode()
    method = decode(v1.AuthMethod, data)
    assert isinstance(method, v1.AuthMethodAgent)
    assert encode(method) == data


def test_an_mcp_server_without_a_type_is_a_process() -> None:
    for text in ("", ',"type":"stdio"'):
        data = f'{{"name":"n","command":"/c","args":[],"env":[]{text}}}'.encode()
        server = decode(v1.McpServer, data)
        assert isinstance(server, v1.McpServerStdio)
        assert encode(server) == data
    other = decode(v1.McpServer, b'{"name":"n","type":"carrier_pigeon"}')
    assert isinstance(other, v1.OtherMcpServer)


def test_what_was_forgiven_is_noted() -> None:
    notes: list[Note] = []
    data = b'{"protocolVersion":1,"authMethods":[5,{"id":"m","name":"n"}],"agentInfo":7}'
    answer = decode(v1.InitializeResponse, data, notes)
    assert answer.auth_methods == [v1.AuthMethodAgent(id="m", name="n")]
    assert notes == [
        Note("authMethods[0]", "expected an object"),
        Note("agentInfo", "expected an object"),
    ]


def test_a_plain_message_leaves_no_note() -> None:
    notes: list[Note] = []
    decode(v1.SessionNotification, CHUNK, notes)
    assert notes == []


def test_a_strict_reader_closes_what_the_schema_closes() -> None:
    assert decode_strictly(v1.PromptResponse, b'{"stopReason":"refusal"}').stop_reason == "refusal"
    with pytest.raises(DecodeProblem, match="`stopReason` is not one of the values"):
        decode_strictly(v1.PromptResponse, b'{"stopReason":"future"}')
    with pytest.raises(DecodeProblem, match=r"`prompt\[0\].type` is not a variant"):
        decode_strictly(v1.PromptRequest, b'{"sessionId":"s","prompt":[{"type":"poem"}]}')
    open_one = decode_strictly(v2.PromptRequest, b'{"sessionId":"s","prompt":[{"type":"poem"}]}')
    assert open_one.prompt[0].tag == "poem"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is not valid JSON"),
        (b'{"sessionId":', "is not valid JSON"),
        (b'{"sessionId":"\xff","prompt":[]}', "is not valid JSON"),
        (
            b'{"sessionId":"s","prompt":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            "nested too deeply",
        ),
        (b'{"_meta":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}", "nested too deeply"),
        (b"[]", "expected an object"),
        (b"null", "expected an object"),
    ],
)
def test_whatever_the_data_is_the_problem_is_one_error(data: bytes, problem: str) -> None:
    with pytest.raises(DecodeProblem, match=problem):
        decode(v1.PromptRequest, data)


def test_the_impossible_name_is_a_name_like_others() -> None:
    for data in (
        '{"sessionId":"s","\uffff":1}'.encode(),
        '{"sessionId":"s","\uffff":{"a":1},"more":2}'.encode(),
    ):
        message = decode(v1.CancelNotification, data)
        assert json.loads(encode(message)) == json.loads(data)
    block = decode(v2.ContentBlock, '{"type":"\uffff"}'.encode())
    assert (block.tag, encode(block)) == ("\uffff", '{"type":"\uffff"}'.encode())


def test_a_second_pass_refuses_models_hidden_in_free_members() -> None:
    hidden = v1.TextContent(text="x", extra=Extra({"more": 1}))
    with pytest.raises(TypeError):
        encode(v1.ToolCall(tool_call_id="c", title="t", raw_input=hidden))
