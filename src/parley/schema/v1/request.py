"""What every request has to do with: its identifier, its error, its cancellation.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from parley.schema.base import UNSET, Int32, Metadata, Model, Notification
from parley.schema.v1.ids import RequestId

ExtRequest: TypeAlias = Any

ExtResponse: TypeAlias = Any


class Error(Model):
    code: ErrorCode
    message: str
    data: Any = UNSET


ErrorCode: TypeAlias = Int32

ExtNotification: TypeAlias = Any


class CancelRequestNotification(Notification):
    METHOD = "$/cancel_request"

    request_id: RequestId
    meta: Metadata = UNSET
