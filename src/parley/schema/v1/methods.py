"""Every method of v1: its name, who handles it, what it carries.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from parley.schema.method import Method
from parley.schema.v1.auth import (
    AuthenticateRequest,
    AuthenticateResponse,
    AuthStatusRequest,
    AuthStatusResponse,
    AuthStatusUpdateNotification,
    LogoutRequest,
    LogoutResponse,
)
from parley.schema.v1.config import SetSessionConfigOptionRequest, SetSessionConfigOptionResponse
from parley.schema.v1.elicitation import (
    CompleteElicitationNotification,
    CreateElicitationRequest,
    CreateElicitationResponse,
)
from parley.schema.v1.fs import (
    ReadTextFileRequest,
    ReadTextFileResponse,
    WriteTextFileRequest,
    WriteTextFileResponse,
)
from parley.schema.v1.initialize import InitializeRequest, InitializeResponse
from parley.schema.v1.mcp import MessageMcpNotification, MessageMcpRequest, MessageMcpResponse
from parley.schema.v1.permission import RequestPermissionRequest, RequestPermissionResponse
from parley.schema.v1.provider import (
    DisableProviderRequest,
    DisableProviderResponse,
    ListProvidersRequest,
    ListProvidersResponse,
    SetProviderRequest,
    SetProviderResponse,
)
from parley.schema.v1.proxy import (
    InitializeProxyRequest,
    InitializeProxyResponse,
    ProxySuccessorNotification,
    ProxySuccessorRequest,
    ProxySuccessorResponse,
)
from parley.schema.v1.request import CancelRequestNotification
from parley.schema.v1.session import (
    ArchiveSessionRequest,
    ArchiveSessionResponse,
    CancelNotification,
    CloseSessionRequest,
    CloseSessionResponse,
    DeleteSessionRequest,
    DeleteSessionResponse,
    ForkSessionRequest,
    ForkSessionResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LoadSessionRequest,
    LoadSessionResponse,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SessionStatusRequest,
    SessionStatusResponse,
    SetSessionModeRequest,
    SetSessionModeResponse,
    SetSessionTitleRequest,
    SetSessionTitleResponse,
    UnarchiveSessionRequest,
    UnarchiveSessionResponse,
)
from parley.schema.v1.terminal import (
    CreateTerminalRequest,
    CreateTerminalResponse,
    KillTerminalRequest,
    KillTerminalResponse,
    ReleaseTerminalRequest,
    ReleaseTerminalResponse,
    TerminalOutputRequest,
    TerminalOutputResponse,
    WaitForTerminalExitRequest,
    WaitForTerminalExitResponse,
)
from parley.schema.v1.update import SessionNotification

METHODS: tuple[Method, ...] = (
    Method(
        "$/cancel_request", "both", "notification", CancelRequestNotification, None, unstable=False
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
        "authenticate",
        "agent",
        "request",
        AuthenticateRequest,
        AuthenticateResponse,
        unstable=False,
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
    Method(
        "fs/read_text_file",
        "client",
        "request",
        ReadTextFileRequest,
        ReadTextFileResponse,
        unstable=False,
    ),
    Method(
        "fs/write_text_file",
        "client",
        "request",
        WriteTextFileRequest,
        WriteTextFileResponse,
        unstable=False,
    ),
    Method("initialize", "agent", "request", InitializeRequest, InitializeResponse, unstable=False),
    Method("logout", "agent", "request", LogoutRequest, LogoutResponse, unstable=False),
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
    Method("session/cancel", "agent", "notification", CancelNotification, None, unstable=False),
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
        "session/load", "agent", "request", LoadSessionRequest, LoadSessionResponse, unstable=False
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
        "session/set_mode",
        "agent",
        "request",
        SetSessionModeRequest,
        SetSessionModeResponse,
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
    Method("session/update", "client", "notification", SessionNotification, None, unstable=False),
    Method(
        "terminal/create",
        "client",
        "request",
        CreateTerminalRequest,
        CreateTerminalResponse,
        unstable=False,
    ),
    Method(
        "terminal/kill",
        "client",
        "request",
        KillTerminalRequest,
        KillTerminalResponse,
        unstable=False,
    ),
    Method(
        "terminal/output",
        "client",
        "request",
        TerminalOutputRequest,
        TerminalOutputResponse,
        unstable=False,
    ),
    Method(
        "terminal/release",
        "client",
        "request",
        ReleaseTerminalRequest,
        ReleaseTerminalResponse,
        unstable=False,
    ),
    Method(
        "terminal/wait_for_exit",
        "client",
        "request",
        WaitForTerminalExitRequest,
        WaitForTerminalExitResponse,
        unstable=False,
    ),
)
