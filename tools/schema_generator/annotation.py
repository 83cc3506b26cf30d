"""Writes one fact down as the text of a type."""

import json
import keyword
import re
from typing import Any, NamedTuple

from schema_generator.facts import Fact, is_array, is_object
from schema_generator.shape import Field

_INTEGERS = {"uint16": "Uint16", "uint32": "Uint32", "uint64": "Uint64"} | {
    "int32": "Int32",
    "int64": "Int64",
}
_BOUNDS = {"uint16": 2**16 - 1, "uint32": 2**32 - 1}
_MARKS = {
    "x-deserialize-default-on-null": "NullAsEmpty",
    "x-deserialize-skip-invalid-items": "SkipInvalid",
    "x-deserialize-default-on-error": "DefaultOnError",
}


class UnexpectedShape(Exception):
    """The schema says something the generator has no words for: extend it or the overrides."""


class Typed(NamedTuple):
    """The text of a type, and whether null is one of its values."""

    text: str
    nullable: bool = False


def typed(fact: Any) -> Typed:
    """The type that a fact describes."""
    if fact is True or not _keywords(fact):
        return Typed("Any")
    if "$ref" in fact:
        return Typed(reference(fact))
    if "allOf" in fact and len(fact["allOf"]) == 1:
        return typed(fact["allOf"][0])
    if "anyOf" in fact:
        arms = [typed(arm) for arm in fact["anyOf"]]
        texts = [arm.text for arm in arms if arm.text != "None"]
        return Typed(" | ".join(texts), nullable=len(texts) < len(arms))
    kind = fact.get("type")
    if is_array(kind):
        (single,) = (name for name in kind if name != "null")
        return Typed(_single({**fact, "type": single}), nullable=True)
    return Typed(_single(fact))


def _single(fact: Fact) -> str:
    match fact.get("type"):
        case "string":
            return "NonEmpty[str]" if fact.get("minLength") == 1 else "str"
        case "boolean":
            return "bool"
        case "null":
            return "None"
        case "integer":
            return _integer(fact)
        case "number":
            bounds = _bounds(fact.get("minimum"), fact.get("maximum"))
            return f"Annotated[float, {bounds}]" if bounds else "float"
        case "array":
            text = f"list[{written(typed(fact['items']))}]"
            return f"NonEmpty[{text}]" if fact.get("minItems") == 1 else text
        case "object":
            values = fact.get("additionalProperties", True)
            return f"dict[str, {written(typed(values))}]"
        case _:
            raise UnexpectedShape(json.dumps(fact))


def _integer(fact: Fact) -> str:
    minimum, kind = fact.get("minimum", 0), fact.get("format")
    if minimum == 0 and kind in _INTEGERS:
        return _INTEGERS[kind]
    return f"Annotated[int, {_bounds(minimum, fact.get('maximum', _BOUNDS.get(kind or '')))}]"


def _bounds(minimum: float | None, maximum: float | None) -> str:
    parts = {"ge": minimum, "le": maximum}
    text = ", ".join(f"{name}={value}" for name, value in parts.items() if value is not None)
    return f"Meta({text})" if text else ""


def written(kind: Typed) -> str:
    """The text of a type with its null, if it has one."""
    return f"{kind.text} | None" if kind.nullable and kind.text != "Any" else kind.text


def reference(fact: Fact) -> str:
    """The name of the definition that a fact refers to."""
    return str(fact["$ref"]).rpartition("/")[2]


def field_of(wire: str, fact: Any, *, required: bool) -> Field:
    """The member that a property describes."""
    if wire == "_meta":
        return Field("meta", "Metadata", False, None, False)
    text = written(typed({key: value for key, value in fact.items() if key not in _MARKS}))
    if not required and text != "Any":
        text += " | UnsetType"
    for mark, alias in _MARKS.items():
        if fact.get(mark) and text != "Any":
            text = f"{alias}[{text}]"
    return Field(
        python_name(wire), text, required, _default_note(fact), bool(fact.get("x-unstable"))
    )


def python_name(wire: str) -> str:
    """A wire name as a Python name; `parley.schema.base.wire_name` is the way back."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", wire).lower()
    return f"{name}_" if keyword.iskeyword(name) else name


def _default_note(fact: Fact) -> str | None:
    default = fact.get("default")
    if default is None or (is_object(default) and default):
        return None
    return f"Omitted means `{json.dumps(default)}`."


def _keywords(fact: Fact) -> list[str]:
    return [key for key in fact if not key.startswith("x-") and key != "default"]
