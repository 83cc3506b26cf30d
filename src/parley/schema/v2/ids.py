"""Identifiers and other strings and numbers with a name.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import TypeAlias

from parley.schema.base import Int64, Uint16

RequestId: TypeAlias = Int64 | str

SessionId: TypeAlias = str

ToolCallId: TypeAlias = str

MediaType: TypeAlias = str

AbsolutePath: TypeAlias = str

TerminalId: TypeAlias = str

PermissionOptionId: TypeAlias = str

ElicitationId: TypeAlias = str

McpServerAcpId: TypeAlias = str

McpRequestId: TypeAlias = str

ProtocolVersion: TypeAlias = Uint16

AuthMethodId: TypeAlias = str

ProviderId: TypeAlias = str

SessionConfigId: TypeAlias = str

SessionConfigValueId: TypeAlias = str

SessionConfigGroupId: TypeAlias = str

SessionListCursor: TypeAlias = str

MessageId: TypeAlias = str

PlanId: TypeAlias = str

CompactionId: TypeAlias = str
