"""What every request has to do with: its identifier, its error, its cancellation.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from parley.schema.base import (
    UNSET,
    DefaultOnError,
    Int32,
    Metadata,
    Model,
    Notification,
    UnsetType,
)
from parley.schema.v2.ids import ProtocolVersion, RequestId, SessionId

ExtRequest: TypeAlias = Any


class Error(Model):
    code: ErrorCode
    message: str
    data: DefaultOnError[ErrorData | None | UnsetType] = UNSET


ErrorCode: TypeAlias = Int32

ErrorData: TypeAlias = Any


class UnsupportedProtocolVersionErrorData(Model):
    requested: ProtocolVersion
    supported: list[ProtocolVersion]
    meta: Metadata = UNSET


class SessionNotFoundErrorData(Model):
    session_id: SessionId
    meta: Metadata = UNSET


ExtResponse: TypeAlias = Any

ExtNotification: TypeAlias = Any


class CancelRequestNotification(Notification):
    METHOD = "$/cancel_request"

    request_id: RequestId
    meta: Metadata = UNSET
