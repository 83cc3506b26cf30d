"""The plan of an agent.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from parley.schema.base import IMPOSSIBLE, UNSET, Model, Open, SkipInvalid, Unknown, UnsetType
from parley.schema.v2.ids import PlanId


class PlanUpdate(Model, tag_field="sessionUpdate", tag="plan_update"):
    plan: PlanUpdateContent
    meta: dict[str, Any] | None | UnsetType = UNSET


class PlanRemoved(Model, tag_field="sessionUpdate", tag="plan_removed"):
    UNSTABLE = True

    plan_id: PlanId
    meta: dict[str, Any] | None | UnsetType = UNSET


class PlanItems(Model, tag_field="type", tag="items"):
    plan_id: PlanId
    entries: SkipInvalid[list[PlanEntry]]
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

    plan_id: PlanId


class PlanEntry(Model):
    content: str
    priority: PlanEntryPriority
    status: PlanEntryStatus
    meta: dict[str, Any] | None | UnsetType = UNSET


PlanEntryPriority: TypeAlias = Open[Literal["high", "medium", "low"]]

PlanEntryStatus: TypeAlias = Open[Literal["pending", "in_progress", "completed", "cancelled"]]

PlanUpdateContent: TypeAlias = PlanItems | PlanFile | PlanMarkdown | OtherPlanUpdateContent
