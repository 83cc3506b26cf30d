"""Recognises unions whose arms are told apart by a tag, and counts who uses which definition."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from schema_generator.annotation import reference
from schema_generator.facts import Fact, is_array, is_object


class Variant(NamedTuple):
    """One arm of a tagged union."""

    tag: str | None
    """Its tag; an arm without one is what an object without a tag is."""
    definition: str | None
    """The definition whose members it has."""
    body: Fact
    """Its own members, and the groups of members of which one must be there."""
    unstable: bool


class TaggedUnion(NamedTuple):
    """A union whose arms are told apart by a tag."""

    tag_field: str
    variants: list[Variant]
    other: Variant | None
    """The arm for tags that are not in the schema, if the schema leaves the union open."""


def tagged_union(fact: Fact) -> TaggedUnion | None:
    """The tagged union that a definition is, or None."""
    arms: list[Fact] = fact.get("anyOf") or fact.get("oneOf") or []
    tag_fields = {
        name
        for arm in arms
        for name, value in arm.get("properties", {}).items()
        if "const" in value
    }
    if not tag_fields:
        return None
    (tag_field,) = tag_fields
    variants = [
        _variant(arm, tag_field)
        for arm in arms
        if "not" not in arm and not _is_null(arm, tag_field)
    ]
    other = next((_variant(arm, tag_field) for arm in arms if "not" in arm), None)
    return TaggedUnion(tag_field, variants, other)


def _variant(arm: Fact, tag_field: str) -> Variant:
    body = dict(arm)
    tag: Fact = arm.get("properties", {}).get(tag_field, {})
    body["properties"] = {
        name: value for name, value in arm.get("properties", {}).items() if name != tag_field
    }
    used = arm if "$ref" in arm else next(iter(arm.get("allOf", [])), None)
    definition = reference(used) if used is not None else None
    return Variant(tag.get("const"), definition, body, bool(arm.get("x-unstable")))


def _is_null(arm: Fact, tag_field: str) -> bool:
    """Whether the arm only says that the tag may be null or missing."""
    return arm.get("properties", {}).get(tag_field, {}).get("type") == "null"


class Uses:
    """How often each definition is a tagged variant, and how often it is used otherwise."""

    def __init__(self, definitions: dict[str, Fact]) -> None:
        self._as_variant = Counter[str]()
        self._otherwise = Counter[str]()
        for fact in definitions.values():
            if not fact.get("x-docs-ignore"):
                self._count(fact)

    def only_variant(self, name: str) -> bool:
        """Whether a definition is one tagged variant and nothing else: then it has the tag."""
        return self._as_variant[name] == 1 and not self._otherwise[name]

    def _count(self, fact: Fact) -> None:
        union = tagged_union(fact)
        variants = Counter(
            variant.definition
            for variant in (union.variants if union else ())
            if variant.tag is not None and variant.definition is not None
        )
        self._as_variant.update(variants)
        self._otherwise.update(Counter(_references(fact)) - variants)


def _references(fact: Any) -> Iterator[str]:
    if is_object(fact):
        if "$ref" in fact:
            yield reference(fact)
        for value in fact.values():
            yield from _references(value)
    elif is_array(fact):
        for value in fact:
            yield from _references(value)
