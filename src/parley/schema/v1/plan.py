"""The plan of an agent.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    Closed,
    DefaultOnError,
    Model,
    SkipInvalid,
    Unknown,
    UnsetType,
)
from parley.schema.v1.ids import PlanId


class Plan(Model, tag_field="sessionUpdate", tag="plan"):
    entries: DefaultOnError[SkipInvalid[list[PlanEntry]]]
    meta: dict[str, Any] | None | UnsetType = UNSET


class PlanUpdate(Model, tag_field="sessionUpdate", tag="plan_update"):
    UNSTABLE = True

    plan: PlanUpdateContent
    meta: dict[str, Any] | None | UnsetType = UNSET


class PlanRemoved(Model, tag_field="sessionUpdate", tag="plan_removed"):
    UNSTABLE = True

    plan_id: PlanId
    meta: dict[str, Any] | None | UnsetType = UNSET


class PlanEntry(Model):
    content: str
    priority: PlanEntryPriority
    status: PlanEntryStatus
    meta: dict[str, Any] | None | UnsetType = UNSET


PlanEntryPriority: TypeAlias = Closed[Literal["high", "medium", "low"]]

PlanEntryStatus: TypeAlias = Closed[Literal["pending", "in_progress", "completed"]]


class PlanItems(Model, tag_field="type", tag="items"):
    UNSTABLE = True

    plan_id: PlanId
    entries: DefaultOnError[SkipInvalid[list[PlanEntry]]]
    meta: dict[str, Any] | None | UnsetType = UNSET


class PlanFile(Model, tag_field="type", tag="file"):
    UNSTABLE = True

    plan_id: PlanId
    uri: str
    meta: dict[str, Any] | None | UnsetType = UNSET


class PlanMarkdown(Model, tag_field="type", tag="markdown"):
    UNSTABLE = True

    plan_id: PlanId
    content: str
    meta: dict[str, Any] | None | UnsetType = UNSET


class OtherPlanUpdateContent(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `PlanUpdateContent` whose `type` is not in the schema."""

    CLOSED = True
    UNSTABLE = True


PlanUpdateContent: TypeAlias = PlanItems | PlanFile | PlanMarkdown | OtherPlanUpdateContent
