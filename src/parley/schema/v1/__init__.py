"""Every message of v1: write `v1.PromptRequest`, never a bare name.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from typing import TYPE_CHECKING

from parley.schema.lazy import importer

if TYPE_CHECKING:
    from parley.schema.v1.auth import (
        AuthAccount,
        AuthenticateRequest,
        AuthenticateResponse,
        AuthMethod,
        AuthMethodAgent,
        AuthMethodTerminal,
        AuthState,
        AuthStatusRequest,
        AuthStatusResponse,
        AuthStatusUpdateNotification,
        LogoutRequest,
        LogoutResponse,
        OtherAuthMethod,
    )
    from parley.schema.v1.command import (
        AvailableCommand,
        AvailableCommandInput,
        AvailableCommandsUpdate,
        UnstructuredCommandInput,
    )
    from parley.schema.v1.config import (
        ConfigOptionUpdate,
        OtherSessionConfigOption,
        OtherSetSessionConfigOptionRequest,
        SessionConfigBoolean,
        SessionConfigOption,
        SessionConfigOptionCategory,
        SessionConfigSelect,
        SessionConfigSelectGroup,
        SessionConfigSelectOption,
        SessionConfigSelectOptions,
        SetBooleanConfigOption,
        SetSelectConfigOption,
        SetSessionConfigOptionRequest,
        SetSessionConfigOptionResponse,
    )
    from parley.schema.v1.content import (
        Annotations,
        AudioContent,
        BlobResourceContents,
        ContentBlock,
        EmbeddedResource,
        EmbeddedResourceResource,
        ImageContent,
        OtherContentBlock,
        ResourceLink,
        Role,
        TextContent,
        TextResourceContents,
    )
    from parley.schema.v1.elicitation import (
        BooleanPropertySchema,
        CompleteElicitationNotification,
        CreateElicitationRequest,
        CreateElicitationResponse,
        ElicitationAcceptAction,
        ElicitationCancelAction,
        ElicitationContentValue,
        ElicitationDeclineAction,
        ElicitationFormMode,
        ElicitationPropertySchema,
        ElicitationSchema,
        ElicitationSchemaType,
        ElicitationUrlMode,
        EnumOption,
        IntegerPropertySchema,
        MultiSelectItems,
        MultiSelectPropertySchema,
        NumberPropertySchema,
        OtherCreateElicitationRequest,
        OtherCreateElicitationResponse,
        OtherElicitationPropertySchema,
        OtherMultiSelectItems,
        StringFormat,
        StringMultiSelectItems,
        StringPropertySchema,
        TitledMultiSelectItems,
    )
    from parley.schema.v1.fs import (
        ReadTextFileRequest,
        ReadTextFileResponse,
        WriteTextFileRequest,
        WriteTextFileResponse,
    )
    from parley.schema.v1.ids import (
        AuthMethodId,
        CompactionId,
        ElicitationId,
        McpRequestId,
        McpServerAcpId,
        MessageId,
        PermissionOptionId,
        PlanId,
        ProtocolVersion,
        ProviderId,
        RequestId,
        SessionConfigGroupId,
        SessionConfigId,
        SessionConfigValueId,
        SessionId,
        SessionModeId,
        TerminalId,
        ToolCallId,
    )
    from parley.schema.v1.initialize import (
        AgentAuthCapabilities,
        AgentCapabilities,
        AuthCapabilities,
        AuthStatusCapabilities,
        BooleanConfigOptionCapabilities,
        ClientCapabilities,
        ClientSessionCapabilities,
        CompactionCapabilities,
        ElicitationCapabilities,
        ElicitationFormCapabilities,
        ElicitationUrlCapabilities,
        FileSystemCapabilities,
        Implementation,
        InitializeRequest,
        InitializeResponse,
        LogoutCapabilities,
        McpCapabilities,
        NoticeCapabilities,
        PlanCapabilities,
        PromptCapabilities,
        ProvidersCapabilities,
        SessionAdditionalDirectoriesCapabilities,
        SessionArchiveCapabilities,
        SessionCapabilities,
        SessionCloseCapabilities,
        SessionConfigOptionsCapabilities,
        SessionDeleteCapabilities,
        SessionForkCapabilities,
        SessionListCapabilities,
        SessionResumeCapabilities,
        SessionStatusCapabilities,
        SessionSystemPromptCapabilities,
        SessionSystemPromptModeCapabilities,
        SessionSystemPromptOverrideCapabilities,
        SessionTitleCapabilities,
        SubagentCapabilities,
    )
    from parley.schema.v1.mcp import (
        EnvVariable,
        HttpHeader,
        McpError,
        McpMessageError,
        McpMessageResult,
        McpServer,
        McpServerAcp,
        McpServerHttp,
        McpServerSse,
        McpServerStdio,
        MessageMcpNotification,
        MessageMcpRequest,
        MessageMcpResponse,
        OtherMcpServer,
    )
    from parley.schema.v1.methods import METHODS
    from parley.schema.v1.permission import (
        CancelledPermissionOutcome,
        OtherRequestPermissionOutcome,
        PermissionOption,
        PermissionOptionKind,
        RequestPermissionOutcome,
        RequestPermissionRequest,
        RequestPermissionResponse,
        SelectedPermissionOutcome,
    )
    from parley.schema.v1.plan import (
        OtherPlanUpdateContent,
        Plan,
        PlanEntry,
        PlanEntryPriority,
        PlanEntryStatus,
        PlanFile,
        PlanItems,
        PlanMarkdown,
        PlanRemoved,
        PlanUpdate,
        PlanUpdateContent,
    )
    from parley.schema.v1.provider import (
        DisableProviderRequest,
        DisableProviderResponse,
        ListProvidersRequest,
        ListProvidersResponse,
        LlmProtocol,
        ProviderCurrentConfig,
        ProviderInfo,
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
    from parley.schema.v1.request import (
        CancelRequestNotification,
        Error,
        ErrorCode,
        ExtNotification,
        ExtRequest,
        ExtResponse,
    )
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
        SessionArchiveFilter,
        SessionInfo,
        SessionMode,
        SessionModeState,
        SessionStatus,
        SessionStatusRequest,
        SessionStatusResponse,
        SetSessionModeRequest,
        SetSessionModeResponse,
        SetSessionTitleRequest,
        SetSessionTitleResponse,
        SystemPrompt,
        SystemPromptMode,
        UnarchiveSessionRequest,
        UnarchiveSessionResponse,
    )
    from parley.schema.v1.state import ActivityState, IdleStopReason, StateUpdate, StopReason, Usage
    from parley.schema.v1.terminal import (
        CreateTerminalRequest,
        CreateTerminalResponse,
        KillTerminalRequest,
        KillTerminalResponse,
        ReleaseTerminalRequest,
        ReleaseTerminalResponse,
        TerminalExitStatus,
        TerminalOutputRequest,
        TerminalOutputResponse,
        WaitForTerminalExitRequest,
        WaitForTerminalExitResponse,
    )
    from parley.schema.v1.tool_call import (
        Content,
        Diff,
        OtherToolCallContent,
        Terminal,
        ToolCall,
        ToolCallContent,
        ToolCallLocation,
        ToolCallProgress,
        ToolCallStatus,
        ToolCallUpdate,
        ToolKind,
    )
    from parley.schema.v1.update import (
        AgentMessageChunk,
        AgentThoughtChunk,
        CompactionStatus,
        CompactionSummaryChunk,
        CompactionUpdate,
        ContentChunk,
        Cost,
        CurrentModeUpdate,
        Notice,
        NoticeSeverity,
        OtherSessionUpdate,
        SessionCancelCapabilities,
        SessionInfoUpdate,
        SessionMessage,
        SessionMessageChunk,
        SessionNotification,
        SessionUpdate,
        SubagentSessionCapabilities,
        SubagentUpdate,
        UsageUpdate,
        UserMessageChunk,
    )
else:
    __getattr__ = importer(
        "parley.schema.v1",
        {
            "auth": """AuthAccount AuthMethod AuthMethodAgent AuthMethodTerminal AuthState
        AuthStatusRequest AuthStatusResponse AuthStatusUpdateNotification AuthenticateRequest
        AuthenticateResponse LogoutRequest LogoutResponse OtherAuthMethod""",
            "command": """AvailableCommand AvailableCommandInput AvailableCommandsUpdate
        UnstructuredCommandInput""",
            "config": """ConfigOptionUpdate OtherSessionConfigOption OtherSetSessionConfigOptionRequest
        SessionConfigBoolean SessionConfigOption SessionConfigOptionCategory SessionConfigSelect
        SessionConfigSelectGroup SessionConfigSelectOption SessionConfigSelectOptions
        SetBooleanConfigOption SetSelectConfigOption SetSessionConfigOptionRequest
        SetSessionConfigOptionResponse""",
            "content": """Annotations AudioContent BlobResourceContents ContentBlock EmbeddedResource
        EmbeddedResourceResource ImageContent OtherContentBlock ResourceLink Role TextContent
        TextResourceContents""",
            "elicitation": """BooleanPropertySchema CompleteElicitationNotification
        CreateElicitationRequest CreateElicitationResponse ElicitationAcceptAction
        ElicitationCancelAction ElicitationContentValue ElicitationDeclineAction ElicitationFormMode
        ElicitationPropertySchema ElicitationSchema ElicitationSchemaType ElicitationUrlMode
        EnumOption IntegerPropertySchema MultiSelectItems MultiSelectPropertySchema
        NumberPropertySchema OtherCreateElicitationRequest OtherCreateElicitationResponse
        OtherElicitationPropertySchema OtherMultiSelectItems StringFormat StringMultiSelectItems
        StringPropertySchema TitledMultiSelectItems""",
            "fs": """ReadTextFileRequest ReadTextFileResponse WriteTextFileRequest
        WriteTextFileResponse""",
            "ids": """AuthMethodId CompactionId ElicitationId McpRequestId McpServerAcpId MessageId
        PermissionOptionId PlanId ProtocolVersion ProviderId RequestId SessionConfigGroupId
        SessionConfigId SessionConfigValueId SessionId SessionModeId TerminalId ToolCallId""",
            "initialize": """AgentAuthCapabilities AgentCapabilities AuthCapabilities
        AuthStatusCapabilities BooleanConfigOptionCapabilities ClientCapabilities
        ClientSessionCapabilities CompactionCapabilities ElicitationCapabilities
        ElicitationFormCapabilities ElicitationUrlCapabilities FileSystemCapabilities Implementation
        InitializeRequest InitializeResponse LogoutCapabilities McpCapabilities NoticeCapabilities
        PlanCapabilities PromptCapabilities ProvidersCapabilities
        SessionAdditionalDirectoriesCapabilities SessionArchiveCapabilities SessionCapabilities
        SessionCloseCapabilities SessionConfigOptionsCapabilities SessionDeleteCapabilities
        SessionForkCapabilities SessionListCapabilities SessionResumeCapabilities
        SessionStatusCapabilities SessionSystemPromptCapabilities
        SessionSystemPromptModeCapabilities SessionSystemPromptOverrideCapabilities
        SessionTitleCapabilities SubagentCapabilities""",
            "mcp": """EnvVariable HttpHeader McpError McpMessageError McpMessageResult McpServer
        McpServerAcp McpServerHttp McpServerSse McpServerStdio MessageMcpNotification
        MessageMcpRequest MessageMcpResponse OtherMcpServer""",
            "methods": """METHODS""",
            "permission": """CancelledPermissionOutcome OtherRequestPermissionOutcome PermissionOption
        PermissionOptionKind RequestPermissionOutcome RequestPermissionRequest
        RequestPermissionResponse SelectedPermissionOutcome""",
            "plan": """OtherPlanUpdateContent Plan PlanEntry PlanEntryPriority PlanEntryStatus PlanFile
        PlanItems PlanMarkdown PlanRemoved PlanUpdate PlanUpdateContent""",
            "provider": """DisableProviderRequest DisableProviderResponse ListProvidersRequest
        ListProvidersResponse LlmProtocol ProviderCurrentConfig ProviderInfo SetProviderRequest
        SetProviderResponse""",
            "proxy": """InitializeProxyRequest InitializeProxyResponse ProxySuccessorNotification
        ProxySuccessorRequest ProxySuccessorResponse""",
            "request": """CancelRequestNotification Error ErrorCode ExtNotification ExtRequest
        ExtResponse""",
            "session": """ArchiveSessionRequest ArchiveSessionResponse CancelNotification
        CloseSessionRequest CloseSessionResponse DeleteSessionRequest DeleteSessionResponse
        ForkSessionRequest ForkSessionResponse ListSessionsRequest ListSessionsResponse
        LoadSessionRequest LoadSessionResponse NewSessionRequest NewSessionResponse PromptRequest
        PromptResponse ResumeSessionRequest ResumeSessionResponse SessionArchiveFilter SessionInfo
        SessionMode SessionModeState SessionStatus SessionStatusRequest SessionStatusResponse
        SetSessionModeRequest SetSessionModeResponse SetSessionTitleRequest SetSessionTitleResponse
        SystemPrompt SystemPromptMode UnarchiveSessionRequest UnarchiveSessionResponse""",
            "state": """ActivityState IdleStopReason StateUpdate StopReason Usage""",
            "terminal": """CreateTerminalRequest CreateTerminalResponse KillTerminalRequest
        KillTerminalResponse ReleaseTerminalRequest ReleaseTerminalResponse TerminalExitStatus
        TerminalOutputRequest TerminalOutputResponse WaitForTerminalExitRequest
        WaitForTerminalExitResponse""",
            "tool_call": """Content Diff OtherToolCallContent Terminal ToolCall ToolCallContent
        ToolCallLocation ToolCallProgress ToolCallStatus ToolCallUpdate ToolKind""",
            "update": """AgentMessageChunk AgentThoughtChunk CompactionStatus CompactionSummaryChunk
        CompactionUpdate ContentChunk Cost CurrentModeUpdate Notice NoticeSeverity
        OtherSessionUpdate SessionCancelCapabilities SessionInfoUpdate SessionMessage
        SessionMessageChunk SessionNotification SessionUpdate SubagentSessionCapabilities
        SubagentUpdate UsageUpdate UserMessageChunk""",
        },
    )
# fmt: off
__all__ = [
    "ActivityState", "AgentAuthCapabilities", "AgentCapabilities", "AgentMessageChunk",
    "AgentThoughtChunk", "Annotations", "ArchiveSessionRequest", "ArchiveSessionResponse",
    "AudioContent", "AuthAccount", "AuthCapabilities", "AuthMethod", "AuthMethodAgent",
    "AuthMethodId", "AuthMethodTerminal", "AuthState", "AuthStatusCapabilities",
    "AuthStatusRequest", "AuthStatusResponse", "AuthStatusUpdateNotification",
    "AuthenticateRequest", "AuthenticateResponse", "AvailableCommand", "AvailableCommandInput",
    "AvailableCommandsUpdate", "BlobResourceContents", "BooleanConfigOptionCapabilities",
    "BooleanPropertySchema", "CancelNotification", "CancelRequestNotification",
    "CancelledPermissionOutcome", "ClientCapabilities", "ClientSessionCapabilities",
    "CloseSessionRequest", "CloseSessionResponse", "CompactionCapabilities", "CompactionId",
    "CompactionStatus", "CompactionSummaryChunk", "CompactionUpdate",
    "CompleteElicitationNotification", "ConfigOptionUpdate", "Content", "ContentBlock",
    "ContentChunk", "Cost", "CreateElicitationRequest", "CreateElicitationResponse",
    "CreateTerminalRequest", "CreateTerminalResponse", "CurrentModeUpdate", "DeleteSessionRequest",
    "DeleteSessionResponse", "Diff", "DisableProviderRequest", "DisableProviderResponse",
    "ElicitationAcceptAction", "ElicitationCancelAction", "ElicitationCapabilities",
    "ElicitationContentValue", "ElicitationDeclineAction", "ElicitationFormCapabilities",
    "ElicitationFormMode", "ElicitationId", "ElicitationPropertySchema", "ElicitationSchema",
    "ElicitationSchemaType", "ElicitationUrlCapabilities", "ElicitationUrlMode", "EmbeddedResource",
    "EmbeddedResourceResource", "EnumOption", "EnvVariable", "Error", "ErrorCode",
    "ExtNotification", "ExtRequest", "ExtResponse", "FileSystemCapabilities", "ForkSessionRequest",
    "ForkSessionResponse", "HttpHeader", "IdleStopReason", "ImageContent", "Implementation",
    "InitializeProxyRequest", "InitializeProxyResponse", "InitializeRequest", "InitializeResponse",
    "IntegerPropertySchema", "KillTerminalRequest", "KillTerminalResponse", "ListProvidersRequest",
    "ListProvidersResponse", "ListSessionsRequest", "ListSessionsResponse", "LlmProtocol",
    "LoadSessionRequest", "LoadSessionResponse", "LogoutCapabilities", "LogoutRequest",
    "LogoutResponse", "METHODS", "McpCapabilities", "McpError", "McpMessageError",
    "McpMessageResult", "McpRequestId", "McpServer", "McpServerAcp", "McpServerAcpId",
    "McpServerHttp", "McpServerSse", "McpServerStdio", "MessageId", "MessageMcpNotification",
    "MessageMcpRequest", "MessageMcpResponse", "MultiSelectItems", "MultiSelectPropertySchema",
    "NewSessionRequest", "NewSessionResponse", "Notice", "NoticeCapabilities", "NoticeSeverity",
    "NumberPropertySchema", "OtherAuthMethod", "OtherContentBlock", "OtherCreateElicitationRequest",
    "OtherCreateElicitationResponse", "OtherElicitationPropertySchema", "OtherMcpServer",
    "OtherMultiSelectItems", "OtherPlanUpdateContent", "OtherRequestPermissionOutcome",
    "OtherSessionConfigOption", "OtherSessionUpdate", "OtherSetSessionConfigOptionRequest",
    "OtherToolCallContent", "PermissionOption", "PermissionOptionId", "PermissionOptionKind",
    "Plan", "PlanCapabilities", "PlanEntry", "PlanEntryPriority", "PlanEntryStatus", "PlanFile",
    "PlanId", "PlanItems", "PlanMarkdown", "PlanRemoved", "PlanUpdate", "PlanUpdateContent",
    "PromptCapabilities", "PromptRequest", "PromptResponse", "ProtocolVersion",
    "ProviderCurrentConfig", "ProviderId", "ProviderInfo", "ProvidersCapabilities",
    "ProxySuccessorNotification", "ProxySuccessorRequest", "ProxySuccessorResponse",
    "ReadTextFileRequest", "ReadTextFileResponse", "ReleaseTerminalRequest",
    "ReleaseTerminalResponse", "RequestId", "RequestPermissionOutcome", "RequestPermissionRequest",
    "RequestPermissionResponse", "ResourceLink", "ResumeSessionRequest", "ResumeSessionResponse",
    "Role", "SelectedPermissionOutcome", "SessionAdditionalDirectoriesCapabilities",
    "SessionArchiveCapabilities", "SessionArchiveFilter", "SessionCancelCapabilities",
    "SessionCapabilities", "SessionCloseCapabilities", "SessionConfigBoolean",
    "SessionConfigGroupId", "SessionConfigId", "SessionConfigOption", "SessionConfigOptionCategory",
    "SessionConfigOptionsCapabilities", "SessionConfigSelect", "SessionConfigSelectGroup",
    "SessionConfigSelectOption", "SessionConfigSelectOptions", "SessionConfigValueId",
    "SessionDeleteCapabilities", "SessionForkCapabilities", "SessionId", "SessionInfo",
    "SessionInfoUpdate", "SessionListCapabilities", "SessionMessage", "SessionMessageChunk",
    "SessionMode", "SessionModeId", "SessionModeState", "SessionNotification",
    "SessionResumeCapabilities", "SessionStatus", "SessionStatusCapabilities",
    "SessionStatusRequest", "SessionStatusResponse", "SessionSystemPromptCapabilities",
    "SessionSystemPromptModeCapabilities", "SessionSystemPromptOverrideCapabilities",
    "SessionTitleCapabilities", "SessionUpdate", "SetBooleanConfigOption", "SetProviderRequest",
    "SetProviderResponse", "SetSelectConfigOption", "SetSessionConfigOptionRequest",
    "SetSessionConfigOptionResponse", "SetSessionModeRequest", "SetSessionModeResponse",
    "SetSessionTitleRequest", "SetSessionTitleResponse", "StateUpdate", "StopReason",
    "StringFormat", "StringMultiSelectItems", "StringPropertySchema", "SubagentCapabilities",
    "SubagentSessionCapabilities", "SubagentUpdate", "SystemPrompt", "SystemPromptMode", "Terminal",
    "TerminalExitStatus", "TerminalId", "TerminalOutputRequest", "TerminalOutputResponse",
    "TextContent", "TextResourceContents", "TitledMultiSelectItems", "ToolCall", "ToolCallContent",
    "ToolCallId", "ToolCallLocation", "ToolCallProgress", "ToolCallStatus", "ToolCallUpdate",
    "ToolKind", "UnarchiveSessionRequest", "UnarchiveSessionResponse", "UnstructuredCommandInput",
    "Usage", "UsageUpdate", "UserMessageChunk", "WaitForTerminalExitRequest",
    "WaitForTerminalExitResponse", "WriteTextFileRequest", "WriteTextFileResponse",
]
# fmt: on
