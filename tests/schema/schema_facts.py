"""What the schema tests know of the schema: the committed facts, read independently of the models.

Nothing here looks at the generator. Which definitions have no model of their own is read from the
overrides, where it is declared.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from parley.schema import v1, v2

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
VERSIONS: dict[str, ModuleType] = {"v1": v1, "v2": v2}
MARKS = {
    "default-on-error": "x-deserialize-default-on-error",
    "skip-invalid": "x-deserialize-skip-invalid-items",
    "default-on-null": "x-deserialize-default-on-null",
}

Json = Any
Node = Any
"""A piece of a schema: an object, or `True` for anything."""


@dataclass(frozen=True)
class Definition:
    """One definition of one version."""

    version: str
    name: str

    def __str__(self) -> str:
        return f"{self.version}.{self.name}"

    @property
    def node(self) -> Node:
        return facts(self.version)["$defs"][self.name]

    @property
    def model(self) -> Any:
        return getattr(VERSIONS[self.version], self.name)


@dataclass(frozen=True)
class Property:
    """One property of a definition, with the definition whose model has it as a member."""

    definition: Definition
    owner: Definition
    name: str

    def __str__(self) -> str:
        return f"{self.definition}.{self.name}"

    @property
    def node(self) -> Node:
        return self.definition.node["properties"][self.name]

    @property
    def required(self) -> bool:
        return self.name in self.definition.node.get("required", ())

    @property
    def attribute(self) -> str:
        return re.sub(r"(?<!^)(?=[A-Z])", "_", self.name).lower().lstrip("_")

    def marked(self, mark: str) -> bool:
        return bool(self.node.get(MARKS[mark]))


@cache
def facts(version: str) -> Node:
    """The committed facts of a version."""
    return json.loads((ROOT / "schema" / f"{version}.json").read_text())


@cache
def folded() -> dict[str, str]:
    """The definitions that are a part of another one's model, with that other one."""
    overrides = tomllib.loads((ROOT / "tools" / "schema_overrides.toml").read_text())
    return {part: owner for owner, parts in overrides["folded"].items() for part in parts}


def definitions(version: str) -> list[Definition]:
    """Every definition that has a model, an alias or a place in another model."""
    return [
        Definition(version, name)
        for name, node in facts(version)["$defs"].items()
        if not is_frame(node)
    ]


def with_models() -> list[Definition]:
    """Every definition of both versions under whose name there is something to decode."""
    return [
        definition
        for version in VERSIONS
        for definition in definitions(version)
        if definition.name not in folded()
    ]


def properties() -> Iterator[Property]:
    """Every property of every definition of both versions."""
    for version in VERSIONS:
        for definition in definitions(version):
            owner = Definition(version, folded().get(definition.name, definition.name))
            for name in definition.node.get("properties", {}):
                yield Property(definition, owner, name)


def is_frame(node: Node) -> bool:
    """Whether a definition is a JSON-RPC frame, which is the business of `parley.rpc`."""
    return bool(node.get("x-docs-ignore"))


def target(node: Node) -> str | None:
    """The definition that a node refers to."""
    if node is True:
        return None
    if "$ref" in node:
        return node["$ref"].rpartition("/")[2]
    if len(node.get("allOf", ())) == 1:
        return target(node["allOf"][0])
    return None


def arm_of(definition: Definition) -> tuple[str, Node] | None:
    """The union and its arm that use a definition under a tag, if exactly one does."""
    found: list[tuple[str, Node]] = []
    for name, node in facts(definition.version)["$defs"].items():
        for arm in [*node.get("anyOf", ()), *node.get("oneOf", ())]:
            if target(arm) == definition.name and tag_of(arm) is not None:
                found.append((name, arm))
    return found[0] if len(found) == 1 else None


def tag_of(arm: Node) -> tuple[str, str] | None:
    """The member and the constant by which an arm of a union is known."""
    for name, node in arm.get("properties", {}).items():
        if "const" in node:
            return name, node["const"]
    return None


def kinds(version: str, node: Node) -> set[str]:
    """The kinds of JSON value that a node lets through."""
    if node is True:
        return set(KINDS)
    name = target(node)
    if name is not None:
        return kinds(version, facts(version)["$defs"][name])
    arms = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    if arms and "properties" not in node:
        return set().union(*(kinds(version, arm) for arm in arms))
    if "properties" in node:
        return {"object"}
    declared = node.get("type")
    if declared is None:
        return set(KINDS)
    found = {declared} if isinstance(declared, str) else set(declared)
    return found | {"integer"} if "number" in found else found


KINDS: dict[str, Json] = {
    "null": None,
    "boolean": True,
    "integer": 5,
    "number": 1.5,
    "string": "text",
    "array": [["nested"]],
    "object": {"other": 1},
}
"""A value of each kind. The array and the object are not what any typed one holds."""


def wrong_values(version: str, node: Node) -> list[Json]:
    """Values of every kind that a node does not let through."""
    allowed = kinds(version, node)
    return [value for kind, value in KINDS.items() if kind not in allowed]
