"""JSON schemas of tools in the subset that Gemini takes. Pure.

Gemini refuses a whole request for one keyword it does not know. What it cannot say is left out:
tools check their arguments themselves, so that the schema is advice for the model.
"""

from typing import Any, cast

Json = dict[str, Any]

_KEPT = frozenset(
    {
        "title", "description", "nullable", "pattern", "minimum", "maximum",
        "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
    }
)  # fmt: skip
_FORMATS = {
    "STRING": frozenset({"date-time", "enum"}),
    "INTEGER": frozenset({"int32", "int64"}),
    "NUMBER": frozenset({"float", "double"}),
}
_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object"})
_DEEPEST = 16
"""Levels; a schema that refers to itself has no end."""


def gemini_schema(schema: Json) -> Json | None:
    """The schema of a tool's arguments; `None` when it takes none."""
    cleaned = _clean({**schema, "type": "object"}, _definitions(schema), 0)
    return cleaned if cleaned.get("properties") else None


def _definitions(schema: Json) -> Json:
    found: Json = {}
    for place in ("$defs", "definitions"):
        for name, definition in _object(schema.get(place)).items():
            found[f"#/{place}/{name}"] = definition
    return found


def _clean(given: Any, definitions: Json, depth: int) -> Json:
    schema = _flat(_object(given), definitions)
    variants = schema.get("anyOf") or schema.get("oneOf")
    # Beside properties, variants say which of these belong together, and that is beyond Gemini.
    if variants and "properties" not in schema and depth < _DEEPEST:
        return _variants(schema, variants, definitions, depth)
    kind, nullable = _kind(schema)
    clean: Json = {"type": kind, **{name: schema[name] for name in _KEPT & schema.keys()}}
    if nullable:
        clean["nullable"] = True
    if schema.get("format") in _FORMATS.get(kind, ()):
        clean["format"] = schema["format"]
    if kind == "STRING" and (values := _values(schema)):
        clean["enum"] = values
    if kind == "ARRAY":
        inner = schema.get("items") if depth < _DEEPEST else None
        clean["items"] = _clean(inner or {"type": "string"}, definitions, depth + 1)
    if kind == "OBJECT" and depth < _DEEPEST:
        clean |= _members(schema, definitions, depth)
    return clean


def _flat(schema: Json, definitions: Json) -> Json:
    """The schema with what it refers to and what it combines put into it."""
    for _ in range(_DEEPEST):
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            break
        rest = {name: value for name, value in schema.items() if name != "$ref"}
        schema = {**_object(definitions.get(reference)), **rest}
    parts: list[Any] = schema.get("allOf") or []
    for part in parts:
        found = _object(part)
        found = {**_object(definitions.get(str(found.get("$ref")))), **found}
        properties = {**_object(schema.get("properties")), **_object(found.get("properties"))}
        required = [*schema.get("required", ()), *found.get("required", ())]
        schema = {**found, **schema, "properties": properties, "required": required}
    return schema


def _kind(schema: Json) -> tuple[str, bool]:
    """The one type that Gemini is told, and whether null is allowed beside it."""
    given: Any = schema.get("type")
    named = cast("list[Any]", given) if isinstance(given, list) else [given]
    known = [kind for kind in named if kind in _TYPES]
    if known:
        return known[0].upper(), "null" in named
    if "properties" in schema:
        return "OBJECT", False
    return ("ARRAY" if "items" in schema else "STRING"), "null" in named


def _values(schema: Json) -> list[str]:
    given: list[Any] = [schema["const"]] if "const" in schema else schema.get("enum") or []
    return [value for value in given if isinstance(value, str) and value]


def _members(schema: Json, definitions: Json, depth: int) -> Json:
    properties = _object(schema.get("properties"))
    if not properties:
        return {}
    required = [name for name in schema.get("required") or () if name in properties]
    members: Json = {
        "properties": {
            name: _clean(value, definitions, depth + 1) for name, value in properties.items()
        }
    }
    return {**members, "required": list(dict.fromkeys(required))} if required else members


def _variants(schema: Json, variants: list[Any], definitions: Json, depth: int) -> Json:
    some = [variant for variant in variants if _object(variant).get("type") != "null"]
    clean: Json = {name: schema[name] for name in ("title", "description") if name in schema}
    if len(some) < len(variants):
        clean["nullable"] = True
    if len(some) <= 1:
        return {**_clean(some[0] if some else {}, definitions, depth + 1), **clean}
    return {**clean, "anyOf": [_clean(variant, definitions, depth + 1) for variant in some]}


def _object(value: Any) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}
