"""Files of the client, which know about unsaved changes.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from parley.schema.base import UNSET, Metadata, Model, Request, Uint32, UnsetType
from parley.schema.v1.ids import SessionId


class WriteTextFileResponse(Model):
    meta: Metadata = UNSET


class ReadTextFileResponse(Model):
    content: str
    meta: Metadata = UNSET


class WriteTextFileRequest(Request[WriteTextFileResponse]):
    METHOD = "fs/write_text_file"
    RESULT = WriteTextFileResponse

    session_id: SessionId
    path: str
    content: str
    meta: Metadata = UNSET


class ReadTextFileRequest(Request[ReadTextFileResponse]):
    METHOD = "fs/read_text_file"
    RESULT = ReadTextFileResponse

    session_id: SessionId
    path: str
    line: Uint32 | None | UnsetType = UNSET
    limit: Uint32 | None | UnsetType = UNSET
    meta: Metadata = UNSET
