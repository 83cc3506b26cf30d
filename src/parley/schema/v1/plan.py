"""The plan of an agent.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    Closed,
    DefaultOnError,
    Metadata,
    Model,
    SkipInvalid,
    Unknown,
)
from parley.schema.v1.ids import PlanId


class Plan(Model, tag_field="sessionUpdate", tag="plan"):
    entries: DefaultOnError[SkipInvalid[list[PlanEntry]]]
    meta: Metadata = UNSET


class PlanUpdate(Model, tag_field="sessionUpdate", tag="plan_update"):
    UNSTABLE = True

    plan: PlanUpdateContent
    meta: Metadata = UNSET


class PlanRemoved(Model, tag_field="sessionUpdate", tag="plan_removed"):
    UNSTABLE = True

    plan_id: PlanId
    meta: Metadata = UNSET


class PlanEntry(Model):
    content: str
    priority: PlanEntryPriority
    status: PlanEntryStatus
    meta: Metadata = UNSET


PlanEntryPriority: TypeAlias = Closed[Literal["high", "medium", "low"]]

PlanEntryStatus: TypeAlias = Closed[Literal["pending", "in_progress", "completed"]]


class PlanItems(Model, tag_field="type", tag="items"):
    UNSTABLE = True

    plan_id: PlanId
    entries: DefaultOnError[SkipInvalid[list[PlanEntry]]]
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

    CLOSED = True
    UNSTABLE = True


PlanUpdateContent: TypeAlias = PlanItems | PlanFile | PlanMarkdown | OtherPlanUpdateContent
