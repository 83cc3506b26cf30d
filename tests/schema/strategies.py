"""JSON values for any definition of the schema, made from the committed facts.

`valid` values satisfy the schema. `wild` values also hold what a newer or a stranger peer may
send and a reader must keep: unknown members, unknown values of enumerations, unknown variants.
`smallest` is one fixed valid value with required members only.
"""

import math
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.schema.schema_facts import Definition, Json, Node, arm_of, facts, tag_of, target

_RANGES = {
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
_TEXT = st.text(max_size=6)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | _FLOATS | _TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_TEXT, inner, max_size=2),
    max_leaves=4,
)
_UNKNOWN_NAMES = st.sampled_from(["future", "_custom", "snake_case", "\uffff", ""])
_UNKNOWN_TAGS = st.sampled_from(["future_kind", "_custom", "\uffff", ""])


def values_of(definition: Definition, *, wild: bool) -> st.SearchStrategy[Json]:
    """Values of a definition; those of a tagged variant carry the tag of their union."""
    arm = arm_of(definition)
    maker = _Maker(definition.version, wild)
    if arm is None or not _carries_tag(definition):
        return maker.named(definition.name)
    union, node = arm
    parent = facts(definition.version)["$defs"][union]
    return maker.of(_arm_with_parent(parent, node))


def smallest(definition: Definition) -> Json:
    """The fixed value of a definition with required members only."""
    arm = arm_of(definition)
    if arm is None or not _carries_tag(definition):
        return _smallest(definition.version, definition.node)
    parent = facts(definition.version)["$defs"][arm[0]]
    return _smallest(definition.version, _arm_with_parent(parent, arm[1]))


def smallest_of(version: str, node: Node) -> Json:
    """The fixed value of any node."""
    return _smallest(version, node)


def _carries_tag(definition: Definition) -> bool:
    config = getattr(definition.model, "__struct_config__", None)
    return config is not None and config.tag is not None


def _arm_with_parent(parent: Node, arm: Node) -> Node:
    """One arm of a union, as a schema of its own, with the members of the union itself."""
    return {
        **{key: parent[key] for key in ("properties", "required") if key in parent},
        "allOf": [arm],
    }


class _Maker:
    """Builds strategies for one version."""

    def __init__(self, version: str, wild: bool) -> None:
        self.version = version
        self.wild = wild

    def named(self, name: str) -> st.SearchStrategy[Json]:
        return _named(self.version, name, self.wild)

    def of(self, node: Node) -> st.SearchStrategy[Json]:
        if node is True:
            return _ANYTHING
        if "const" in node:
            return st.just(node["const"])
        parts: list[st.SearchStrategy[Json]] = []
        if "$ref" in node:
            parts.append(self.named(node["$ref"].rpartition("/")[2]))
        if "properties" in node:
            parts.append(self._members(node))
        parts += [self.of(part) for part in node.get("allOf", ())]
        for key in ("anyOf", "oneOf"):
            if key in node:
                parts.append(self._union(node[key]))
        if not parts:
            return self._scalar(node)
        return parts[0] if len(parts) == 1 else st.tuples(*parts).map(_merged)

    def _union(self, arms: list[Node]) -> st.SearchStrategy[Json]:
        options = [self.of(arm) for arm in arms]
        constants = [arm for arm in arms if "const" in arm]
        tags = [tag for arm in arms if (tag := tag_of(arm)) is not None]
        if self.wild and constants and isinstance(constants[0]["const"], str):
            options.append(_UNKNOWN_TAGS)
        if self.wild and tags and not any("not" in arm for arm in arms):
            options.append(st.fixed_dictionaries({tags[0][0]: _UNKNOWN_TAGS, "payload": _ANYTHING}))
        return st.one_of(options)

    def _members(self, node: Node) -> st.SearchStrategy[Json]:
        required: dict[str, Any] = {}
        optional: dict[str, Any] = {}
        for name, part in node["properties"].items():
            known = name in node.get("required", ())
            open_tag = "not" in node and name in _tags_excluded(node)
            values = _UNKNOWN_TAGS if open_tag else self.of(part)
            (required if known else optional)[name] = values
        if self.wild:
            extra = st.dictionaries(_UNKNOWN_NAMES, _ANYTHING, max_size=1)
            known_part = st.fixed_dictionaries(required, optional=optional)
            return st.tuples(extra, known_part).map(_merged)
        return st.fixed_dictionaries(required, optional=optional)

    def _scalar(self, node: Node) -> st.SearchStrategy[Json]:
        declared = node.get("type")
        if isinstance(declared, list):
            return st.one_of([self._scalar({**node, "type": kind}) for kind in declared])
        match declared:
            case None:
                return _ANYTHING
            case "null":
                return st.none()
            case "boolean":
                return st.booleans()
            case "string":
                return st.text(min_size=node.get("minLength", 0), max_size=6)
            case "integer":
                low, high = _RANGES[node["format"]]
                return st.integers(max(low, node.get("minimum", low)), high)
            case "number":
                low, high = node.get("minimum"), node.get("maximum")
                return st.floats(low, high, allow_nan=False, allow_infinity=False)
            case "array":
                return st.lists(
                    self.of(node["items"]), min_size=node.get("minItems", 0), max_size=2
                )
            case _:
                return st.dictionaries(
                    _TEXT, self.of(node.get("additionalProperties", True)), max_size=2
                )


@cache
def _named(version: str, name: str, wild: bool) -> st.SearchStrategy[Json]:
    return st.deferred(lambda: _Maker(version, wild).of(facts(version)["$defs"][name]))


def _tags_excluded(node: Node) -> set[str]:
    return {name for arm in node["not"]["anyOf"] for name in arm["properties"]}


def _merged(parts: tuple[Json, ...]) -> Json:
    return {key: value for part in parts for key, value in part.items()}


def _smallest(version: str, node: Node) -> Json:
    if node is True:
        return None
    if "const" in node:
        return node["const"]
    parts: list[Json] = []
    if "$ref" in node:
        parts.append(_smallest(version, facts(version)["$defs"][target(node)]))
    parts += [_smallest(version, part) for part in node.get("allOf", ())]
    if "properties" in node:
        wanted = node.get("required", ())
        parts.append({key: _smallest(version, node["properties"][key]) for key in wanted})
    arms = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    if arms:
        parts.append(_smallest(version, arms[0]))
    if parts:
        return parts[0] if len(parts) == 1 else _merged(tuple(parts))
    declared = node.get("type")
    kind = declared if isinstance(declared, str) or declared is None else declared[0]
    if kind == "array":
        return [_smallest(version, node["items"])] * node.get("minItems", 0)
    plain = {None: None, "null": None, "boolean": False, "string": "x", "object": {}}
    return plain[kind] if kind in plain else math.ceil(node.get("minimum", 0))
