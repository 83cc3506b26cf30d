"""Files of the client, which know about unsaved changes.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any

from parley.schema.base import UNSET, Model, Request, Uint32, UnsetType
from parley.schema.v1.ids import SessionId


class WriteTextFileResponse(Model):
    meta: dict[str, Any] | None | UnsetType = UNSET


class ReadTextFileResponse(Model):
    content: str
    meta: dict[str, Any] | None | UnsetType = UNSET


class WriteTextFileRequest(Request[WriteTextFileResponse]):
    METHOD = "fs/write_text_file"
    RESULT = WriteTextFileResponse

    session_id: SessionId
    path: str
    content: str
    meta: dict[str, Any] | None | UnsetType = UNSET


class ReadTextFileRequest(Request[ReadTextFileResponse]):
    METHOD = "fs/read_text_file"
    RESULT = ReadTextFileResponse

    session_id: SessionId
    path: str
    line: Uint32 | None | UnsetType = UNSET
    limit: Uint32 | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET
