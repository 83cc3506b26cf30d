"""Which bad values of a peer are forgiven: exactly those in members that the schema marks."""

import json

import pytest

from parley.schema.base import UNSET
from parley.schema.codec import decode, decode_strictly, encode
from parley.schema.problem import DecodeProblem, Note
from tests.schema.schema_facts import (
    VERSIONS,
    Json,
    Property,
    kinds,
    properties,
    wrong_values,
)
from tests.schema.strategies import smallest, smallest_of

SECRET = "hunter2-marker"
ALL = [found for found in properties() if wrong_values(found.definition.version, found.node)]
FORGIVING = [found for found in ALL if found.marked("default-on-error")]
SKIPPING = [found for found in properties() if found.marked("skip-invalid")]
NULL_AS_EMPTY = [found for found in properties() if found.marked("default-on-null")]
STRICT = [found for found in ALL if not found.marked("default-on-error")]


def test_the_marks_of_the_schema_are_all_here() -> None:
    counted = {
        version: [
            sum(found.definition.version == version for found in group)
            for group in (FORGIVING, SKIPPING, NULL_AS_EMPTY)
        ]
        for version in VERSIONS
    }
    # Members that hold anything cannot be malformed, so the marks on them have no case.
    assert counted == {"v1": [334, 25, 16], "v2": [321, 28, 12]}


@pytest.mark.parametrize("member", FORGIVING, ids=str)
def test_a_marked_member_with_a_bad_value_counts_as_omitted(member: Property) -> None:
    for bad in wrong_values(member.definition.version, member.node):
        notes: list[Note] = []
        model = _decoded(member, bad, notes)
        assert getattr(model, member.attribute) == ([] if member.required else UNSET)
        assert [note.path.rpartition(".")[2] for note in notes] == [member.name]


@pytest.mark.parametrize("member", FORGIVING, ids=str)
def test_a_strict_reader_forgives_nothing(member: Property) -> None:
    for bad in wrong_values(member.definition.version, member.node):
        with pytest.raises(DecodeProblem, match=member.name):
            decode_strictly(member.owner.model, _with(member, bad))


@pytest.mark.parametrize("member", SKIPPING, ids=str)
def test_a_marked_list_drops_its_bad_items_and_keeps_the_others(member: Property) -> None:
    version = member.definition.version
    items = member.node["items"]
    good = smallest_of(version, items)
    bad = wrong_values(version, items)
    notes: list[Note] = []
    model = _decoded(member, [*bad, good, bad[0], good], notes)
    assert json.loads(encode(getattr(model, member.attribute))) == [good, good]
    assert len(notes) == len(bad) + 1


@pytest.mark.parametrize("member", NULL_AS_EMPTY, ids=str)
def test_null_counts_as_empty_where_the_schema_says_so(member: Property) -> None:
    notes: list[Note] = []
    model = _decoded(member, None, notes)
    empty = {} if member.node["type"] == "object" else []
    assert getattr(model, member.attribute) == empty
    assert notes == [Note(member.name, "null counts as empty")]


@pytest.mark.parametrize("member", STRICT, ids=str)
def test_an_unmarked_member_with_a_bad_value_is_an_error_that_names_it(member: Property) -> None:
    for bad in wrong_values(member.definition.version, member.node):
        if bad is None and member.marked("default-on-null"):
            continue
        with pytest.raises(DecodeProblem) as caught:
            _decoded(member, bad, [])
        assert caught.value.path == member.name


def test_one_bad_mcp_server_fails_the_request() -> None:
    # DEC-05: a server that cannot be read is never skipped.
    for version, package in VERSIONS.items():
        good = {"name": "a", "command": "/b", "args": [], "env": [], "type": "stdio"}
        bad = {"name": "a", "command": 5, "args": [], "env": [], "type": "stdio"}
        data = json.dumps({"cwd": "/", "mcpServers": [good, bad]}).encode()
        with pytest.raises(DecodeProblem) as caught:
            decode(package.NewSessionRequest, data)
        assert caught.value.path == "mcpServers[1].command", version


@pytest.mark.parametrize("member", list(properties()), ids=str)
def test_no_text_repeats_a_value(member: Property) -> None:
    # RPC-29: headers and environments hold secrets.
    for hidden in (SECRET, [SECRET], {SECRET: SECRET}, {"type": SECRET}, [{"name": SECRET}]):
        texts: list[object] = []
        notes: list[Note] = []
        try:
            _decoded(member, hidden, notes)
        except DecodeProblem as problem:
            texts = [problem, problem.path, problem.problem]
        assert SECRET not in f"{texts} {notes}"


def test_every_kind_is_wrong_somewhere() -> None:
    seen = {
        kind
        for found in ALL
        for kind in ("null", "boolean", "integer", "string", "array", "object")
        if kind not in kinds(found.definition.version, found.node)
    }
    assert len(seen) == 6


def _decoded(member: Property, value: Json, notes: list[Note]) -> object:
    return decode(member.owner.model, _with(member, value), notes)


def _with(member: Property, value: Json) -> bytes:
    """The smallest message with the member in it, with this value."""
    return json.dumps({**smallest(member.owner), member.name: value}).encode()
