"""Every method of v2: its name, who handles it, what it carries.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from parley.schema.method import Method
from parley.schema.v2.auth import (
    AuthStatusRequest,
    AuthStatusResponse,
    AuthStatusUpdateNotification,
    LoginAuthRequest,
    LoginAuthResponse,
    LogoutAuthRequest,
    LogoutAuthResponse,
)
from parley.schema.v2.config import SetSessionConfigOptionRequest, SetSessionConfigOptionResponse
from parley.schema.v2.elicitation import (
    CompleteElicitationNotification,
    CreateElicitationRequest,
    CreateElicitationResponse,
)
from parley.schema.v2.initialize import InitializeRequest, InitializeResponse
from parley.schema.v2.mcp import MessageMcpNotification, MessageMcpRequest, MessageMcpResponse
from parley.schema.v2.permission import RequestPermissionRequest, RequestPermissionResponse
from parley.schema.v2.provider import (
    DisableProviderRequest,
    DisableProviderResponse,
    ListProvidersRequest,
    ListProvidersResponse,
    SetProviderRequest,
    SetProviderResponse,
)
from parley.schema.v2.proxy import (
    InitializeProxyRequest,
    InitializeProxyResponse,
    ProxySuccessorNotification,
    ProxySuccessorRequest,
    ProxySuccessorResponse,
)
from parley.schema.v2.request import CancelRequestNotification
from parley.schema.v2.session import (
    ArchiveSessionRequest,
    ArchiveSessionResponse,
    CancelSessionNotification,
    CloseSessionRequest,
    CloseSessionResponse,
    DeleteSessionRequest,
    DeleteSessionResponse,
    ForkSessionRequest,
    ForkSessionResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SessionStatusRequest,
    SessionStatusResponse,
    SetSessionTitleRequest,
    SetSessionTitleResponse,
    UnarchiveSessionRequest,
    UnarchiveSessionResponse,
)
from parley.schema.v2.terminal import CancelTerminalRequest, CancelTerminalResponse
from parley.schema.v2.tool_call import CancelToolCallRequest, CancelToolCallResponse
from parley.schema.v2.update import UpdateSessionNotification

METHODS: tuple[Method, ...] = (
    Method(
        "$/cancel_request", "both", "notification", CancelRequestNotification, None, unstable=False
    ),
    Method("auth/login", "agent", "request", LoginAuthRequest, LoginAuthResponse, unstable=False),
    Method(
        "auth/logout", "agent", "request", LogoutAuthRequest, LogoutAuthResponse, unstable=False
    ),
    Method("auth/status", "agent", "request", AuthStatusRequest, AuthStatusResponse, unstable=True),
    Method(
        "auth/status_update",
        "client",
        "notification",
        AuthStatusUpdateNotification,
        None,
        unstable=True,
    ),
    Method(
        "elicitation/complete",
        "client",
        "notification",
        CompleteElicitationNotification,
        None,
        unstable=False,
    ),
    Method(
        "elicitation/create",
        "client",
        "request",
        CreateElicitationRequest,
        CreateElicitationResponse,
        unstable=False,
    ),
    Method("initialize", "agent", "request", InitializeRequest, InitializeResponse, unstable=False),
    Method("mcp/message", "agent", "notification", MessageMcpNotification, None, unstable=True),
    Method(
        "mcp/message", "client", "request", MessageMcpRequest, MessageMcpResponse, unstable=True
    ),
    Method(
        "providers/disable",
        "agent",
        "request",
        DisableProviderRequest,
        DisableProviderResponse,
        unstable=True,
    ),
    Method(
        "providers/list",
        "agent",
        "request",
        ListProvidersRequest,
        ListProvidersResponse,
        unstable=True,
    ),
    Method(
        "providers/set", "agent", "request", SetProviderRequest, SetProviderResponse, unstable=True
    ),
    Method(
        "proxy/initialize",
        "proxy",
        "request",
        InitializeProxyRequest,
        InitializeProxyResponse,
        unstable=True,
    ),
    Method(
        "proxy/successor", "proxy", "notification", ProxySuccessorNotification, None, unstable=True
    ),
    Method(
        "proxy/successor",
        "proxy",
        "request",
        ProxySuccessorRequest,
        ProxySuccessorResponse,
        unstable=True,
    ),
    Method(
        "session/archive",
        "agent",
        "request",
        ArchiveSessionRequest,
        ArchiveSessionResponse,
        unstable=True,
    ),
    Method(
        "session/cancel", "agent", "notification", CancelSessionNotification, None, unstable=False
    ),
    Method(
        "session/close",
        "agent",
        "request",
        CloseSessionRequest,
        CloseSessionResponse,
        unstable=False,
    ),
    Method(
        "session/delete",
        "agent",
        "request",
        DeleteSessionRequest,
        DeleteSessionResponse,
        unstable=False,
    ),
    Method(
        "session/fork", "agent", "request", ForkSessionRequest, ForkSessionResponse, unstable=True
    ),
    Method(
        "session/list",
        "agent",
        "request",
        ListSessionsRequest,
        ListSessionsResponse,
        unstable=False,
    ),
    Method(
        "session/new", "agent", "request", NewSessionRequest, NewSessionResponse, unstable=False
    ),
    Method("session/prompt", "agent", "request", PromptRequest, PromptResponse, unstable=False),
    Method(
        "session/request_permission",
        "client",
        "request",
        RequestPermissionRequest,
        RequestPermissionResponse,
        unstable=False,
    ),
    Method(
        "session/resume",
        "agent",
        "request",
        ResumeSessionRequest,
        ResumeSessionResponse,
        unstable=False,
    ),
    Method(
        "session/set_config_option",
        "agent",
        "request",
        SetSessionConfigOptionRequest,
        SetSessionConfigOptionResponse,
        unstable=False,
    ),
    Method(
        "session/set_title",
        "agent",
        "request",
        SetSessionTitleRequest,
        SetSessionTitleResponse,
        unstable=True,
    ),
    Method(
        "session/status",
        "agent",
        "request",
        SessionStatusRequest,
        SessionStatusResponse,
        unstable=True,
    ),
    Method(
        "session/unarchive",
        "agent",
        "request",
        UnarchiveSessionRequest,
        UnarchiveSessionResponse,
        unstable=True,
    ),
    Method(
        "session/update", "client", "notification", UpdateSessionNotification, None, unstable=False
    ),
    Method(
        "terminal/cancel",
        "agent",
        "request",
        CancelTerminalRequest,
        CancelTerminalResponse,
        unstable=False,
    ),
    Method(
        "tool_call/cancel",
        "agent",
        "request",
        CancelToolCallRequest,
        CancelToolCallResponse,
        unstable=False,
    ),
)
