"""The reader in Python: the same as the native decoder on plain values, and exact on others."""

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.schema import v1, v2
from parley.schema.base import UNSET, Model
from parley.schema.codec import decode, encode
from parley.schema.problem import DecodeProblem
from parley.schema.reading import Walk, members, reader
from tests.schema.schema_facts import Definition, Json, with_models
from tests.schema.strategies import values_of

NATIVE = [
    definition
    for definition in with_models()
    if isinstance(definition.model, type) and issubclass(definition.model, Model)
]


def read(kind: Any, value: Json) -> Any:
    return reader(kind)(value, Walk(forgiving=True))


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    st.sampled_from(NATIVE).flatmap(
        lambda definition: st.tuples(st.just(definition), values_of(definition, wild=False))
    )
)
def test_both_readers_agree_on_valid_values(case: tuple[Definition, Json]) -> None:
    definition, value = case
    native = decode(definition.model, msgspec.json.encode(value))
    assert read(definition.model, value) == native


def test_a_walk_leaves_its_path_as_it_found_it() -> None:
    walk = Walk(forgiving=True)
    value = {"update": {"sessionUpdate": "plan", "entries": [1, 2]}, "sessionId": "s", "_meta": 5}
    reader(v1.SessionNotification)(value, walk)
    assert walk.path == []
    assert [note.path for note in walk.notes] == [
        "update.entries[0]",
        "update.entries[1]",
        "_meta",
    ]


def test_the_path_does_not_repeat_the_keys_of_a_map() -> None:
    value = {"type": "terminal", "id": "m", "name": "n", "env": {"PASSWORD": 5}}
    with pytest.raises(DecodeProblem) as caught:
        read(v1.AuthMethod, value)
    assert caught.value.path == "env[*]"


def test_an_integral_number_is_an_integer() -> None:
    update = read(v1.SessionUpdate, {"sessionUpdate": "usage_update", "used": 1.0, "size": 2})
    assert update == v1.UsageUpdate(used=1, size=2)
    assert type(update.used) is int
    with pytest.raises(DecodeProblem) as caught:
        read(v1.SessionUpdate, {"sessionUpdate": "usage_update", "used": 1.5, "size": 2})
    assert str(caught.value) == "`used` expected `int`, got `float`"


def test_a_number_stays_a_number() -> None:
    assert type(read(v1.Cost, {"amount": 2.0, "currency": "EUR", "more": 1}).amount) is float


@pytest.mark.parametrize(
    ("value", "path", "problem"),
    [
        ({"content": "x"}, "type", "is missing"),
        ({"type": 5}, "type", "expected `str`"),
        ({"type": "image", "data": "d"}, "mimeType", "is missing"),
        ("text", "", "expected an object"),
    ],
)
def test_a_tagged_union_says_what_is_wrong(value: Json, path: str, problem: str) -> None:
    with pytest.raises(DecodeProblem) as caught:
        read(v2.ContentBlock, value)
    assert (caught.value.path, caught.value.problem) == (path, problem)


def test_a_type_alone_refuses_the_tag_of_another() -> None:
    assert read(v1.TextContent, {"text": "x"}) == v1.TextContent(text="x")
    with pytest.raises(DecodeProblem, match="`type` is the tag of something else"):
        read(v1.TextContent, {"type": "image", "text": "x"})


def test_contents_of_a_resource_are_told_apart_by_what_they_hold() -> None:
    text = read(v1.EmbeddedResourceResource, {"uri": "u:", "text": "t"})
    blob = read(v1.EmbeddedResourceResource, {"uri": "u:", "blob": "b"})
    assert (type(text), type(blob)) == (v1.TextResourceContents, v1.BlobResourceContents)
    with pytest.raises(DecodeProblem, match="has no known shape"):
        read(v1.EmbeddedResourceResource, {"uri": "u:"})


def test_options_of_a_select_are_flat_or_in_groups() -> None:
    option = {"value": "v", "name": "n"}
    flat = read(v2.SessionConfigSelectOptions, [option])
    grouped = read(
        v2.SessionConfigSelectOptions, [{"groupId": "g", "name": "n", "options": [option]}]
    )
    assert (type(flat[0]), type(grouped[0])) == (
        v2.SessionConfigSelectOption,
        v2.SessionConfigSelectGroup,
    )
    assert read(v1.SessionConfigSelectOptions, []) == []
    with pytest.raises(DecodeProblem, match="is empty"):
        read(v2.SessionConfigSelectOptions, [])


def test_a_list_that_needs_an_item_says_so() -> None:
    with pytest.raises(DecodeProblem) as caught:
        read(v2.PromptRequest, {"sessionId": "s", "prompt": []})
    assert str(caught.value) == "`prompt` is empty"


def test_the_rule_of_a_model_is_a_problem_at_its_place() -> None:
    value = {"mode": "url", "message": "?", "elicitationId": "e", "url": "u:"}
    with pytest.raises(DecodeProblem) as caught:
        read(v2.CreateElicitationRequest, value)
    assert str(caught.value) == "needs exactly one of session_id, request_id"


def test_an_unknown_mode_of_elicitation_keeps_its_scope() -> None:
    value = {"mode": "_voice", "message": "?", "sessionId": "s", "language": "de"}
    asked = read(v2.CreateElicitationRequest, value)
    assert isinstance(asked, v2.OtherCreateElicitationRequest)
    assert (asked.tag, asked.session_id, asked.extra["language"]) == ("_voice", "s", "de")
    assert msgspec.json.decode(encode(asked)) == value


def test_an_answer_from_mcp_is_a_result_or_an_error() -> None:
    assert read(v1.MessageMcpResponse, {"result": None}) == v1.McpMessageResult(result=None)
    failed = read(v1.MessageMcpResponse, {"error": {"code": -1, "message": "no"}})
    assert failed == v1.McpMessageError(error=v1.McpError(code=-1, message="no"))


def test_a_state_is_one_model_for_all_its_variants() -> None:
    value = {"sessionUpdate": "state_update", "state": "idle", "stopReason": 5, "error": None}
    update = read(v2.SessionUpdate, value)
    assert isinstance(update, v2.SessionStateUpdate)
    assert (update.state, update.stop_reason, update.error) == ("idle", UNSET, None)


def test_extra_is_not_a_member() -> None:
    assert "extra" not in {member.name for member in members(v1.TextContent)}
