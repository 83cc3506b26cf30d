"""What a session lets its user choose: configuration options, slash commands, plans.

Pure data. A mode and a model are options of the categories `mode` and `model`; the lists of modes
and models that one version knows are made from them at the edge.
"""

from typing import Any, Literal

from msgspec import Struct

from parley.session.content import Meta


class Choice(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="choice"):
    value: str
    name: str
    description: str | None = None
    meta: Meta | None = None


class ChoiceGroup(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="group"):
    id: str
    name: str
    choices: tuple[Choice, ...]
    meta: Meta | None = None


class Select(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="select"):
    """One of several values."""

    id: str
    name: str
    current: str
    choices: tuple[Choice | ChoiceGroup, ...] = ()
    description: str | None = None
    category: Literal["mode", "model", "model_config", "thought_level"] | str | None = None
    meta: Meta | None = None

    def flat(self) -> tuple[Choice, ...]:
        """All choices, groups dissolved."""
        found: list[Choice] = []
        for choice in self.choices:
            found.extend(choice.choices if isinstance(choice, ChoiceGroup) else (choice,))
        return tuple(found)


class Toggle(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="toggle"):
    """On or off."""

    id: str
    name: str
    current: bool
    description: str | None = None
    category: str | None = None
    meta: Meta | None = None


class OtherOption(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="other"):
    """A kind of option nobody here knows, kept as it came."""

    id: str
    name: str
    kind: str
    raw: dict[str, Any]
    category: str | None = None


Option = Select | Toggle | OtherOption
OptionValue = str | bool


class Command(Struct, frozen=True, omit_defaults=True):
    """A slash command. `hint` describes the input it takes; without one it takes none."""

    name: str
    description: str
    hint: str | None = None
    kind: str = "command"
    raw: dict[str, Any] | None = None
    """The whole object when its kind or its input is one nobody here knows."""
    meta: Meta | None = None


class PlanEntry(Struct, frozen=True, omit_defaults=True):
    content: str
    priority: Literal["high", "medium", "low"] | str = "medium"
    status: Literal["pending", "in_progress", "completed", "cancelled"] | str = "pending"
    meta: Meta | None = None


class PlanItems(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="items"):
    entries: tuple[PlanEntry, ...]
    meta: Meta | None = None


class PlanMarkdown(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="markdown"):
    content: str
    meta: Meta | None = None


class PlanFile(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="file"):
    uri: str
    meta: Meta | None = None


class OtherPlan(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="other"):
    kind: str
    raw: dict[str, Any]


Plan = PlanItems | PlanMarkdown | PlanFile | OtherPlan

MAIN_PLAN = "main"
"""The id of the plan where a version knows only one."""
