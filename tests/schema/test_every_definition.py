"""Every definition of the schema has a model that reads and writes all its values."""

import json
from functools import cache
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator
from msgspec import StructMeta

from parley.schema.base import ChoiceType, Model
from parley.schema.codec import decode, decode_strictly, encode
from parley.schema.method import Method
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
OBJECTS = [found for found in with_models() if isinstance(found.model, StructMeta)]
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
        data = encode(decode(definition.model, json.dumps(value).encode()))
        decode_strictly(definition.model, data)
        sent = json.loads(data)
        assert [list(validator.iter_errors(sent)) for validator in validators] == [
            [] for _ in validators
        ]

    satisfies()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_method_table_says_what_the_schema_says(version: str) -> None:
    package = VERSIONS[version]
    wanted = {
        Method(
            name=node["x-method"],
            side={"protocol": "both"}.get(node["x-side"], node["x-side"]),
            kind="request" if name.endswith("Request") else "notification",
            params=getattr(package, name),
            result=getattr(package, name.removesuffix("Request") + "Response", None),
            unstable=node.get("x-unstable", False),
        )
        for name, node in facts(version)["$defs"].items()
        if "x-method" in node and not name.endswith("Response")
    }
    assert set(package.METHODS) == wanted
    assert len(package.METHODS) == len(wanted)


@pytest.mark.parametrize("definition", OBJECTS, ids=str)
def test_what_is_unstable_in_the_schema_is_unstable_in_the_model(definition: Definition) -> None:
    marked = {found for found in properties() if found.node.get("x-unstable")}
    names = {found.attribute for found in marked if found.owner == definition}
    assert names == definition.model.UNSTABLE_FIELDS
    assert definition.node.get("x-unstable", False) == definition.model.UNSTABLE


def _wire_names(kind: Any) -> set[str]:
    return {name for model in _models(kind) for name in model.__struct_encode_fields__}


def _models(kind: Any) -> list[type[Model]]:
    arms = get_args(kind.ARMS if isinstance(kind, ChoiceType) else kind) or (kind,)
    return [arm for arm in arms if isinstance(arm, type) and issubclass(arm, Model)]


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
