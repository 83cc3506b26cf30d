"""The words for what is generated: fields, classes, aliases, methods.

Types are kept as the text they are written as. Which names a text mentions is read off the text.
"""

import re
from dataclasses import dataclass, field

_STRING = re.compile(r'"[^"]*"')
_NAME = re.compile(r"\b[A-Z]\w*\b")


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a model."""

    name: str
    annotation: str
    required: bool
    doc: str | None
    unstable: bool


@dataclass(slots=True)
class Class:
    """A model."""

    name: str
    base: str = "Model"
    options: dict[str, str] = field(default_factory=dict[str, str])
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    fields: list[Field] = field(default_factory=list[Field])
    doc: str | None = None
    check: str | None = None
    """The call that a new instance is checked with."""

    @property
    def needs_first(self) -> set[str]:
        """The names that must exist when the class statement runs."""
        return mentioned([self.base, *self.options.values(), *self.attributes.values()])

    @property
    def mentions(self) -> set[str]:
        """Every name the class mentions."""
        return self.needs_first | mentioned([item.annotation for item in self.fields])


@dataclass(slots=True)
class Alias:
    """A name for a type."""

    name: str
    text: str

    @property
    def needs_first(self) -> set[str]:
        """The names that must exist when the assignment runs."""
        return mentioned([self.text])

    @property
    def mentions(self) -> set[str]:
        """Every name the alias mentions."""
        return self.needs_first


Item = Class | Alias


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A row of the method table."""

    name: str
    side: str
    kind: str
    params: str
    result: str
    unstable: bool


def mentioned(texts: list[str]) -> set[str]:
    """The capitalised names in pieces of source text, outside its strings."""
    return {name for text in texts for name in _NAME.findall(_STRING.sub("", text))}
