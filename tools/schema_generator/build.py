"""Decides which classes, aliases and methods the facts become.

Owns the reading of the schema's habits: open and closed enumerations, unions told apart by a
tag, unions with members of their own, unions without tags. What the schema does not say, such
as a name for a nameless variant, is in the overrides.
"""

import json
from typing import Any

from schema_generator.annotation import (
    UnexpectedShape,
    field_of,
    python_name,
    reference,
    typed,
    written,
)
from schema_generator.facts import Fact
from schema_generator.shape import Alias, Class, Field, Item, MethodRow
from schema_generator.union import TaggedUnion, Uses, Variant, tagged_union


class Builder:
    """Builds everything for one version."""

    def __init__(self, facts: Fact, overrides: dict[str, dict[str, Any]]) -> None:
        self._definitions: dict[str, Fact] = facts["$defs"]
        self._overrides = overrides
        self._folded = {part for parts in overrides["folded"].values() for part in parts}
        self._uses = Uses(self._definitions)
        self._items: dict[str, Item] = {}

    def items(self) -> list[Item]:
        """Every class and alias."""
        for name, fact in self._definitions.items():
            # Definitions that upstream hides from its documents are JSON-RPC frames.
            if not fact.get("x-docs-ignore") and name not in self._folded:
                self._define(name, fact)
        return list(self._items.values())

    def methods(self) -> list[MethodRow]:
        """The method table."""
        rows: list[MethodRow] = []
        for name, fact in self._definitions.items():
            if "x-method" in fact and not name.endswith("Response"):
                request = name.endswith("Request")
                rows.append(
                    MethodRow(
                        name=fact["x-method"],
                        side="both" if fact["x-side"] == "protocol" else fact["x-side"],
                        kind="request" if request else "notification",
                        params=name,
                        result=self._result_of(name) if request else "None",
                        unstable=bool(fact.get("x-unstable")),
                    )
                )
        return sorted(rows, key=lambda row: (row.name, row.kind))

    def _define(self, name: str, fact: Fact) -> None:
        union = tagged_union(fact)
        if self._uses.only_variant(name):
            return
        if name in self._overrides["merged"]:
            self._add_merged(name, fact)
        elif union is not None:
            self._add_union(name, fact, union)
        elif "anyOf" in fact or "oneOf" in fact:
            self._add_untagged(name, fact)
        elif "properties" in fact or "allOf" in fact or fact.get("type") == "object":
            self._add_plain(name, fact)
        else:
            self._add(Alias(name, written(typed(fact))))

    def _add(self, item: Item) -> str:
        if item.name in self._items:
            raise UnexpectedShape(f"two things would be called {item.name}: override a name")
        self._items[item.name] = item
        return item.name

    def _add_plain(self, name: str, fact: Fact) -> None:
        source = self._definitions[reference(fact["allOf"][0])] if "allOf" in fact else fact
        made = Class(name, fields=_fields(source))
        if fact.get("x-method") and name.endswith("Request"):
            self._make_request(made, name)
        elif fact.get("x-method") and name.endswith("Notification"):
            made.base = "Notification"
            made.attributes["METHOD"] = json.dumps(fact["x-method"])
        self._finish(made, fact)

    def _finish(self, made: Class, *sources: Fact) -> str:
        """Order the members, note what is unstable, and add the class."""
        # The native constructor wants required members first. `_meta` is the least of a model.
        made.fields.sort(key=lambda item: (not item.required, item.name == "meta"))
        if made.name in self._overrides["tags"]:
            tags = ", ".join(json.dumps(tag) for tag in self._overrides["tags"][made.name])
            made.attributes["TAGS"] = f"({tags},)"
        if any(source.get("x-unstable") for source in sources):
            made.attributes["UNSTABLE"] = "True"
        unstable = ", ".join(f'"{item.name}"' for item in made.fields if item.unstable)
        if unstable:
            made.attributes["UNSTABLE_FIELDS"] = f"frozenset({{{unstable}}})"
        return self._add(made)

    def _make_request(self, made: Class, request: str) -> None:
        result = self._result_of(request)
        parent = f"Request[{result}]"
        made.base = parent if made.base == "Model" else f"{made.base}, {parent}"
        made.attributes["METHOD"] = json.dumps(self._definitions[request]["x-method"])
        made.attributes["RESULT"] = result

    def _result_of(self, request: str) -> str:
        result = request.removesuffix("Request") + "Response"
        if self._definitions[result]["x-method"] != self._definitions[request]["x-method"]:
            raise UnexpectedShape(f"{request} has no response")
        return result

    def _add_untagged(self, name: str, fact: Fact) -> None:
        arms: list[Fact] = fact.get("anyOf") or fact["oneOf"]
        constants = [arm["const"] for arm in arms if "const" in arm]
        texts = [self._arm(name, arm) for arm in arms if "const" not in arm]
        if constants and isinstance(constants[0], str):
            self._add(_enumeration(name, constants, closed=not texts))
        elif "Any" in texts:
            self._add(Alias(name, "Any"))
        else:
            # The native decoder tells scalars apart, but neither untagged objects nor lists.
            named = self._definitions.keys() | self._items.keys()
            several = sum("list[" in text or text in named for text in texts) > 1
            joined = " | ".join(texts)
            self._add(Alias(name, f"Choice[{joined}]" if several else joined))

    def _arm(self, union: str, arm: Fact) -> str:
        """The type of an untagged arm; an object without a name gets a class."""
        if arm.get("type") != "object":
            return written(typed(arm))
        made = Class(self._overrides["names"][f"{union}.{arm['required'][0]}"], fields=_fields(arm))
        return self._finish(made, self._definitions[union])

    def _add_union(self, name: str, fact: Fact, union: TaggedUnion) -> None:
        names = [self._variant(name, fact, union, variant) for variant in union.variants]
        joined = " | ".join([*names, self._other(name, fact, union)])
        untagged = any(variant.tag is None for variant in union.variants)
        self._add(Alias(name, f"Choice[{joined}]" if untagged else joined))

    def _variant(self, name: str, fact: Fact, union: TaggedUnion, variant: Variant) -> str:
        """The class of one arm; the members of the union itself are members of every arm."""
        definition = variant.definition
        if variant.tag is None and definition is not None:
            return definition
        made = Class(
            self._variant_name(name, variant), fields=_fields(fact) + _fields(variant.body)
        )
        if variant.tag is not None:
            made.options = {"tag_field": f'"{union.tag_field}"', "tag": f'"{variant.tag}"'}
        if name.endswith("Request"):
            self._make_request(made, name)
        inner = self._definitions[definition] if definition is not None else {}
        if definition is not None and not self._uses.only_variant(definition):
            made.base = definition
        else:
            made.fields += _fields(inner) + self._groups(inner, made)
        return self._finish(made, fact, inner, {"x-unstable": variant.unstable})

    def _variant_name(self, union: str, variant: Variant) -> str:
        tag = variant.tag or "untagged"
        given = self._overrides["names"].get(f"{union}.{tag}")
        if given is not None:
            return given
        if variant.definition is not None and self._uses.only_variant(variant.definition):
            return variant.definition
        return "".join(part.capitalize() for part in tag.split("_"))

    def _other(self, name: str, fact: Fact, union: TaggedUnion) -> str:
        """The class of the variants that the union does not know."""
        made = Class(f"Other{name}", base="Unknown", fields=_fields(fact))
        made.doc = f"A variant of `{name}` whose `{union.tag_field}` is not in the schema."
        made.options = {"tag_field": f'"{union.tag_field}"', "tag": "IMPOSSIBLE"}
        if union.other is None:
            made.attributes["CLOSED"] = "True"
        else:
            made.fields += _fields(union.other.body) + self._groups(union.other.body, made)
        if name.endswith("Request"):
            self._make_request(made, name)
        return self._finish(made, fact)

    def _groups(self, fact: Fact, made: Class) -> list[Field]:
        """Groups of members of which one must be there, as members that may be omitted."""
        kind = "oneOf" if "oneOf" in fact else "anyOf"
        groups = [self._definitions[typed(arm).text] for arm in fact.get(kind, ())]
        if groups:
            decisive = [python_name(group["required"][0]) for group in groups]
            arguments = ", ".join(f"{name}=self.{name}" for name in decisive)
            made.check = f"{'require_one' if kind == 'oneOf' else 'require_any'}({arguments})"
        return [field for group in groups for field in _fields({**group, "required": []})]

    def _add_merged(self, name: str, fact: Fact) -> None:
        """A union that is one class, because another union has it as one of its variants."""
        union = tagged_union(fact)
        assert union is not None
        fields = {item.name: item for item in self._merged_fields(union)}
        tag = Field(python_name(union.tag_field), self._tag_type(name, union), True, None, False)
        self._finish(Class(name, fields=[tag, *fields.values()]), fact)

    def _merged_fields(self, union: TaggedUnion) -> list[Field]:
        fields: list[Field] = []
        for definition in (variant.definition for variant in union.variants):
            if definition is None:
                continue
            inner = self._definitions[definition]
            nested = tagged_union(inner)
            if nested is None:
                fields += _fields(inner)
                continue
            tag = field_of(nested.tag_field, inner["properties"][nested.tag_field], required=False)
            text = tag.annotation.replace("str", self._tag_type(definition, nested))
            fields += [item for item in _fields(inner) if item.name != tag.name]
            fields.append(Field(tag.name, text, False, None, False))
            fields += self._merged_fields(nested)
        return fields

    def _tag_type(self, name: str, union: TaggedUnion) -> str:
        """The enumeration of the tags of a merged union."""
        tags = [variant.tag for variant in union.variants if variant.tag is not None]
        return self._add(_enumeration(self._overrides["merged"][name], tags, closed=False))


def _fields(fact: Fact) -> list[Field]:
    required = fact.get("required", ())
    return [
        field_of(wire, part, required=wire in required)
        for wire, part in fact.get("properties", {}).items()
    ]


def _enumeration(name: str, values: list[str], *, closed: bool) -> Alias:
    literal = ", ".join(json.dumps(value) for value in values)
    return Alias(name, f"{'Closed' if closed else 'Open'}[Literal[{literal}]]")
