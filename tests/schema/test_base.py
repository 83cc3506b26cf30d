"""What the words of the models mean at run time."""

import pytest

from parley.schema import v1, v2
from parley.schema.base import (
    UNSET,
    Extra,
    Model,
    Unknown,
    known_values,
    require_any,
    require_one,
    wire_name,
)
from parley.schema.codec import decode


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("meta", "_meta"),
        ("cwd", "cwd"),
        ("session_id", "sessionId"),
        ("additional_directories", "additionalDirectories"),
        ("from_", "from"),
    ],
)
def test_python_names_become_wire_names(name: str, wire: str) -> None:
    assert wire_name(name) == wire


def test_a_tag_is_no_argument() -> None:
    block = v1.TextContent(text="hi")
    assert v1.AgentMessageChunk(content=block).content.text == "hi"
    assert "type" not in v1.TextContent.__struct_fields__


def test_models_do_not_change() -> None:
    block = v1.TextContent(text="hi")
    with pytest.raises(AttributeError, match="immutable"):
        block.text = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_omitted_members_are_false_and_not_shown() -> None:
    block = v1.TextContent(text="hi")
    assert block.annotations is UNSET
    assert not block.annotations
    assert repr(block) == "TextContent(text='hi')"


def test_extra_members_read_like_a_mapping() -> None:
    extra = Extra({"a": 1, "b": [2]})
    assert (extra["a"], "b" in extra, len(extra), list(extra)) == (1, True, 2, ["a", "b"])
    assert extra == Extra({"b": [2], "a": 1})
    assert extra != Extra({"a": 1})
    assert repr(Extra({"a": 1})) == "Extra({'a': 1})"


def test_extra_members_are_a_copy() -> None:
    members = {"a": 1}
    extra = Extra(members)
    members["a"] = 2
    assert extra["a"] == 1


def test_an_unknown_variant_tells_its_tag() -> None:
    block = v2.OtherContentBlock.of({"type": "_poem", "lines": 2})
    assert (block.tag, block.extra["lines"]) == ("_poem", 2)
    assert isinstance(block, Unknown)


def test_an_unknown_variant_may_have_known_members() -> None:
    method = v2.OtherAuthMethod.of({"type": "_sso"}, method_id="m", name="Single sign-on")
    assert (method.tag, method.method_id) == ("_sso", "m")


def test_the_values_of_an_enumeration_can_be_listed() -> None:
    assert known_values(v1.StopReason) == (
        "end_turn",
        "max_tokens",
        "max_turn_requests",
        "refusal",
        "cancelled",
    )
    assert "paused" in known_values(v2.ToolCallStatus)


def test_a_choice_is_the_class_of_its_arms() -> None:
    stdio = v1.McpServerStdio(name="n", command="/c", args=[], env=[])
    assert isinstance(stdio, v1.McpServer)
    assert not isinstance(v1.TextContent(text="x"), v1.McpServer)
    assert isinstance([], v2.SessionConfigSelectOptions)


def test_a_request_names_its_method_and_its_result() -> None:
    assert v1.PromptRequest.METHOD == "session/prompt"
    assert v1.PromptRequest.RESULT is v1.PromptResponse
    assert v2.CreateElicitationResponse == v2.ElicitationFormMode.RESULT


def test_one_name_may_be_a_request_and_a_notification() -> None:
    for package in (v1, v2):
        assert package.MessageMcpRequest.METHOD == package.MessageMcpNotification.METHOD
        rows = [row for row in package.METHODS if row.name == "proxy/successor"]
        assert [(row.kind, row.side, row.unstable) for row in rows] == [
            ("notification", "proxy", True),
            ("request", "proxy", True),
        ]


def test_a_member_may_be_called_method() -> None:
    request = v1.MessageMcpRequest(server_id="s", request_id="1", method="tools/list")
    assert (request.method, request.METHOD) == ("tools/list", "mcp/message")


def test_what_is_unstable_says_so() -> None:
    assert v1.ForkSessionRequest.UNSTABLE
    assert not v1.NewSessionRequest.UNSTABLE
    assert {"system_prompt"} == v1.NewSessionRequest.UNSTABLE_FIELDS
    assert {"usage"} == v2.StateUpdate.UNSTABLE_FIELDS
    assert not Model.UNSTABLE_FIELDS


def test_cancellation_is_handled_by_both_sides() -> None:
    for package in (v1, v2):
        (row,) = [row for row in package.METHODS if row.name == "$/cancel_request"]
        assert (row.side, row.kind, row.result) == ("both", "notification", None)


def test_a_model_may_need_one_member_of_several() -> None:
    with pytest.raises(ValueError, match="needs a or b"):
        require_any(a=UNSET, b=UNSET)
    require_any(a=1, b=2)
    with pytest.raises(ValueError, match="needs exactly one of a, b"):
        require_one(a=1, b=None)
    require_one(a=UNSET, b=None)


def test_an_elicitation_belongs_to_a_session_or_to_a_request() -> None:
    schema = v2.ElicitationSchema(type="object", properties={})
    with pytest.raises(ValueError, match="exactly one"):
        v2.ElicitationFormMode(message="?", requested_schema=schema)
    asked = v2.ElicitationFormMode(message="?", requested_schema=schema, session_id="s")
    assert asked.request_id is UNSET


def test_the_request_of_an_elicitation_may_have_a_null_id_in_v1() -> None:
    data = b'{"mode":"url","message":"?","elicitationId":"e","url":"u:","requestId":null}'
    asked = decode(v1.CreateElicitationRequest, data)
    assert isinstance(asked, v1.ElicitationUrlMode)
    assert asked.request_id is None
