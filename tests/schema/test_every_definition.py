"""Every definition of the schema has a model that reads and writes all its values."""

import json
from functools import cache
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from parley.schema.base import ChoiceType, Model
from parley.schema.codec import decode, encode
from tests.schema.schema_facts import (
    SHARED,
    VERSIONS,
    Definition,
    Json,
    definitions,
    facts,
    folded,
    is_frame,
    properties,
    with_models,
)
from tests.schema.strategies import values_of

UPSTREAM = SHARED / "protocol" / "schema"
quick = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def test_the_facts_of_both_versions_are_read() -> None:
    assert {version: len(facts(version)["$defs"]) for version in VERSIONS} == {"v1": 252, "v2": 262}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_definition_has_a_name_in_the_package_or_is_part_of_a_model(version: str) -> None:
    package = VERSIONS[version]
    wanted = {definition.name for definition in definitions(version)} - folded().keys()
    assert {name for name in wanted if not hasattr(package, name)} == set()


@pytest.mark.parametrize("version", VERSIONS)
def test_frames_have_no_model_and_name_only_types_that_have(version: str) -> None:
    frames = {name for name, node in facts(version)["$defs"].items() if is_frame(node)}
    assert len(frames) == 9
    assert {name for name in frames if hasattr(VERSIONS[version], name)} == set()


def test_a_folded_definition_has_all_its_members_in_the_model_it_is_part_of() -> None:
    parts = [found for found in properties() if found.definition.name in folded()]
    assert parts
    for part in parts:
        assert part.name in _wire_names(part.owner.model), str(part)


@pytest.mark.parametrize("definition", with_models(), ids=str)
def test_what_is_decoded_is_encoded_as_the_same_json(definition: Definition) -> None:
    @quick
    @given(values_of(definition, wild=True))
    def same(value: Json) -> None:
        data = json.dumps(value).encode()
        assert _canonical(encode(decode(definition.model, data))) == _canonical(data)

    same()


@pytest.mark.parametrize("definition", with_models(), ids=str)
def test_what_is_sent_satisfies_the_schema(definition: Definition) -> None:
    validators = _validators(definition)

    @quick
    @given(values_of(definition, wild=False))
    def satisfies(value: Json) -> None:
        sent = json.loads(encode(decode(definition.model, json.dumps(value).encode())))
        assert [list(validator.iter_errors(sent)) for validator in validators] == [
            [] for _ in validators
        ]

    satisfies()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_methods_are_those_of_the_frames(version: str) -> None:
    named = {
        (node["x-method"], name)
        for name, node in facts(version)["$defs"].items()
        if "x-method" in node and not name.endswith("Response")
    }
    package = VERSIONS[version]
    rows = {(row.name, row.params) for row in package.METHODS}
    assert rows == {(method, getattr(package, name)) for method, name in named}


def _wire_names(kind: Any) -> set[str]:
    arms = get_args(kind.ARMS if isinstance(kind, ChoiceType) else kind) or (kind,)
    models = [arm for arm in arms if isinstance(arm, type) and issubclass(arm, Model)]
    return {name for model in models for name in model.__struct_encode_fields__}


def _validators(definition: Definition) -> list[Draft202012Validator]:
    """The judges of a definition: the committed facts, and upstream's files where they are."""
    sources = [facts(definition.version), *_upstream(definition.version)]
    reference = {"$ref": f"#/$defs/{definition.name}"}
    return [
        Draft202012Validator({"$defs": source["$defs"], **reference})
        for source in sources
        if definition.name in source["$defs"]
    ]


@cache
def _upstream(version: str) -> list[Json]:
    files = sorted((UPSTREAM / version).glob("schema.unstable.json"))
    return [json.loads(file.read_text()) for file in files]


def _canonical(data: bytes) -> str:
    return json.dumps(json.loads(data), sort_keys=True)
