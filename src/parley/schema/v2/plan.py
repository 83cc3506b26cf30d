"""The plan of an agent.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import IMPOSSIBLE, UNSET, Metadata, Model, Open, SkipInvalid, Unknown
from parley.schema.v2.ids import PlanId


class PlanUpdate(Model, tag_field="sessionUpdate", tag="plan_update"):
    plan: PlanUpdateContent
    meta: Metadata = UNSET


class PlanRemoved(Model, tag_field="sessionUpdate", tag="plan_removed"):
    UNSTABLE = True

    plan_id: PlanId
    meta: Metadata = UNSET


class PlanItems(Model, tag_field="type", tag="items"):
    plan_id: PlanId
    entries: SkipInvalid[list[PlanEntry]]
    meta: Metadata = UNSET


class PlanFile(Model, tag_field="type", tag="file"):
    UNSTABLE = True

    plan_id: PlanId
    uri: str
    meta: Metadata = UNSET


class PlanMarkdown(Model, tag_field="type", tag="markdown"):
    UNSTABLE = True

    plan_id: PlanId
    content: str
    meta: Metadata = UNSET


class OtherPlanUpdateContent(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `PlanUpdateContent` whose `type` is not in the schema."""

    plan_id: PlanId


class PlanEntry(Model):
    content: str
    priority: PlanEntryPriority
    status: PlanEntryStatus
    meta: Metadata = UNSET


PlanEntryPriority: TypeAlias = Open[Literal["high", "medium", "low"]]

PlanEntryStatus: TypeAlias = Open[Literal["pending", "in_progress", "completed", "cancelled"]]

PlanUpdateContent: TypeAlias = PlanItems | PlanFile | PlanMarkdown | OtherPlanUpdateContent
