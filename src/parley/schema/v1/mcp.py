"""MCP servers that a client asks an agent to use, and messages to those it provides.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    Choice,
    Int32,
    Metadata,
    Model,
    Notification,
    NullAsEmpty,
    Request,
    Unknown,
    UnsetType,
)
from parley.schema.v1.ids import McpRequestId, McpServerAcpId


class EnvVariable(Model):
    name: str
    value: str
    meta: Metadata = UNSET


class McpServerHttp(Model, tag_field="type", tag="http"):
    name: str
    url: str
    headers: NullAsEmpty[list[HttpHeader]]
    meta: Metadata = UNSET


class McpServerSse(Model, tag_field="type", tag="sse"):
    name: str
    url: str
    headers: NullAsEmpty[list[HttpHeader]]
    meta: Metadata = UNSET


class McpServerAcp(Model, tag_field="type", tag="acp"):
    UNSTABLE = True

    name: str
    server_id: McpServerAcpId
    meta: Metadata = UNSET


class OtherMcpServer(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `McpServer` whose `type` is not in the schema."""

    CLOSED = True


class McpServerStdio(Model):
    TAGS = ("stdio",)

    name: str
    command: str
    args: NullAsEmpty[list[str]]
    env: NullAsEmpty[list[EnvVariable]]
    meta: Metadata = UNSET


class HttpHeader(Model):
    name: str
    value: str
    meta: Metadata = UNSET


class McpMessageResult(Model):
    UNSTABLE = True

    result: Any
    meta: Metadata = UNSET


class McpMessageError(Model):
    UNSTABLE = True

    error: McpError
    meta: Metadata = UNSET


class McpError(Model):
    UNSTABLE = True

    code: Int32
    message: str
    data: Any = UNSET


class MessageMcpNotification(Notification):
    METHOD = "mcp/message"
    UNSTABLE = True

    server_id: McpServerAcpId
    request_id: McpRequestId
    method: str
    params: dict[str, Any] | None | UnsetType = UNSET
    meta: Metadata = UNSET


McpServer: TypeAlias = Choice[
    McpServerHttp | McpServerSse | McpServerAcp | McpServerStdio | OtherMcpServer
]

MessageMcpResponse: TypeAlias = Choice[McpMessageResult | McpMessageError]


class MessageMcpRequest(Request[MessageMcpResponse]):
    METHOD = "mcp/message"
    RESULT = MessageMcpResponse
    UNSTABLE = True

    server_id: McpServerAcpId
    request_id: McpRequestId
    method: str
    params: dict[str, Any] | None | UnsetType = UNSET
    meta: Metadata = UNSET
