"""Every message of v2: write `v2.PromptRequest`, never a bare name.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from typing import TYPE_CHECKING

from parley.schema.lazy import importer

if TYPE_CHECKING:
    from parley.schema.v2.auth import (
        AuthAccount,
        AuthMethod,
        AuthMethodAgent,
        AuthMethodTerminal,
        AuthState,
        AuthStatusRequest,
        AuthStatusResponse,
        AuthStatusUpdateNotification,
        LoginAuthRequest,
        LoginAuthResponse,
        LogoutAuthRequest,
        LogoutAuthResponse,
        OtherAuthMethod,
    )
    from parley.schema.v2.command import (
        AvailableCommand,
        AvailableCommandInput,
        AvailableCommandsUpdate,
        Command,
        OtherAvailableCommand,
        OtherAvailableCommandInput,
        TextCommandInput,
    )
    from parley.schema.v2.config import (
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
    from parley.schema.v2.content import (
        Annotations,
        AudioContent,
        BlobResourceContents,
        ContentBlock,
        EmbeddedResource,
        EmbeddedResourceResource,
        Icon,
        IconTheme,
        ImageContent,
        OtherContentBlock,
        ResourceLink,
        Role,
        TextContent,
        TextResourceContents,
    )
    from parley.schema.v2.elicitation import (
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
    from parley.schema.v2.ids import (
        AbsolutePath,
        AuthMethodId,
        CompactionId,
        ElicitationId,
        McpRequestId,
        McpServerAcpId,
        MediaType,
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
        SessionListCursor,
        TerminalId,
        ToolCallId,
    )
    from parley.schema.v2.initialize import (
        AgentAuthCapabilities,
        AgentCapabilities,
        AuthStatusCapabilities,
        ClientAuthCapabilities,
        ClientCapabilities,
        ElicitationCapabilities,
        ElicitationFormCapabilities,
        ElicitationUrlCapabilities,
        Implementation,
        InitializeRequest,
        InitializeResponse,
        McpAcpCapabilities,
        McpCapabilities,
        McpHttpCapabilities,
        McpStdioCapabilities,
        PromptAudioCapabilities,
        PromptCapabilities,
        PromptEmbeddedContextCapabilities,
        PromptImageCapabilities,
        ProvidersCapabilities,
        SessionAdditionalDirectoriesCapabilities,
        SessionArchiveCapabilities,
        SessionCapabilities,
        SessionDeleteCapabilities,
        SessionForkCapabilities,
        SessionStatusCapabilities,
        SessionSystemPromptCapabilities,
        SessionSystemPromptModeCapabilities,
        SessionSystemPromptOverrideCapabilities,
        SessionTitleCapabilities,
        TerminalAuthCapabilities,
    )
    from parley.schema.v2.mcp import (
        EnvVariable,
        HttpHeader,
        McpError,
        McpMessageError,
        McpMessageResult,
        McpServer,
        McpServerAcp,
        McpServerHttp,
        McpServerStdio,
        MessageMcpNotification,
        MessageMcpRequest,
        MessageMcpResponse,
        OtherMcpServer,
    )
    from parley.schema.v2.methods import METHODS
    from parley.schema.v2.permission import (
        CancelledPermissionOutcome,
        CommandPermissionSubject,
        OtherRequestPermissionOutcome,
        OtherRequestPermissionSubject,
        PermissionOption,
        PermissionOptionKind,
        RequestPermissionOutcome,
        RequestPermissionRequest,
        RequestPermissionResponse,
        RequestPermissionSubject,
        SelectedPermissionOutcome,
        ToolCallPermissionSubject,
    )
    from parley.schema.v2.plan import (
        OtherPlanUpdateContent,
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
    from parley.schema.v2.provider import (
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
    from parley.schema.v2.proxy import (
        InitializeProxyRequest,
        InitializeProxyResponse,
        ProxySuccessorNotification,
        ProxySuccessorRequest,
        ProxySuccessorResponse,
    )
    from parley.schema.v2.request import (
        CancelRequestNotification,
        Error,
        ErrorCode,
        ErrorData,
        ExtNotification,
        ExtRequest,
        ExtResponse,
        SessionNotFoundErrorData,
        UnsupportedProtocolVersionErrorData,
    )
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
        OtherReplayFrom,
        PromptRequest,
        PromptResponse,
        ReplayFrom,
        ReplayFromStart,
        ResumeSessionRequest,
        ResumeSessionResponse,
        SessionArchiveFilter,
        SessionInfo,
        SessionStatus,
        SessionStatusRequest,
        SessionStatusResponse,
        SetSessionTitleRequest,
        SetSessionTitleResponse,
        SystemPrompt,
        SystemPromptMode,
        UnarchiveSessionRequest,
        UnarchiveSessionResponse,
    )
    from parley.schema.v2.state import (
        ActivityState,
        BackgroundSubagent,
        BackgroundTerminal,
        BackgroundToolCall,
        BackgroundWork,
        OtherBackgroundWork,
        StateUpdate,
        StopReason,
        Usage,
    )
    from parley.schema.v2.terminal import (
        CancelTerminalRequest,
        CancelTerminalResponse,
        TerminalCancelCapabilities,
        TerminalCapabilities,
        TerminalExitStatus,
        TerminalOutput,
        TerminalOutputChunk,
        TerminalSize,
        TerminalUpdate,
    )
    from parley.schema.v2.tool_call import (
        CancelToolCallRequest,
        CancelToolCallResponse,
        Content,
        Diff,
        DiffAdd,
        DiffChange,
        DiffCopy,
        DiffDelete,
        DiffFileType,
        DiffModify,
        DiffMove,
        DiffPatch,
        DiffPatchFormat,
        DiffPathChange,
        DiffPathPairChange,
        OtherDiffChange,
        OtherToolCallContent,
        Terminal,
        ToolCallCancelCapabilities,
        ToolCallCapabilities,
        ToolCallContent,
        ToolCallContentChunk,
        ToolCallLocation,
        ToolCallProgress,
        ToolCallStatus,
        ToolCallUpdate,
        ToolKind,
    )
    from parley.schema.v2.update import (
        AgentMessage,
        AgentMessageChunk,
        AgentThought,
        AgentThoughtChunk,
        CompactionStatus,
        CompactionSummaryChunk,
        CompactionUpdate,
        ContentChunk,
        Cost,
        Notice,
        NoticeSeverity,
        OtherSessionUpdate,
        SessionCancelCapabilities,
        SessionInfoUpdate,
        SessionMessage,
        SessionMessageChunk,
        SessionStateUpdate,
        SessionUpdate,
        SubagentSessionCapabilities,
        SubagentUpdate,
        UpdateSessionNotification,
        UsageUpdate,
        UserMessage,
        UserMessageChunk,
    )
else:
    __getattr__ = importer(
        "parley.schema.v2",
        {
            "auth": """AuthAccount AuthMethod AuthMethodAgent AuthMethodTerminal AuthState
        AuthStatusRequest AuthStatusResponse AuthStatusUpdateNotification LoginAuthRequest
        LoginAuthResponse LogoutAuthRequest LogoutAuthResponse OtherAuthMethod""",
            "command": """AvailableCommand AvailableCommandInput AvailableCommandsUpdate Command
        OtherAvailableCommand OtherAvailableCommandInput TextCommandInput""",
            "config": """ConfigOptionUpdate OtherSessionConfigOption OtherSetSessionConfigOptionRequest
        SessionConfigBoolean SessionConfigOption SessionConfigOptionCategory SessionConfigSelect
        SessionConfigSelectGroup SessionConfigSelectOption SessionConfigSelectOptions
        SetBooleanConfigOption SetSelectConfigOption SetSessionConfigOptionRequest
        SetSessionConfigOptionResponse""",
            "content": """Annotations AudioContent BlobResourceContents ContentBlock EmbeddedResource
        EmbeddedResourceResource Icon IconTheme ImageContent OtherContentBlock ResourceLink Role
        TextContent TextResourceContents""",
            "elicitation": """BooleanPropertySchema CompleteElicitationNotification
        CreateElicitationRequest CreateElicitationResponse ElicitationAcceptAction
        ElicitationCancelAction ElicitationContentValue ElicitationDeclineAction ElicitationFormMode
        ElicitationPropertySchema ElicitationSchema ElicitationSchemaType ElicitationUrlMode
        EnumOption IntegerPropertySchema MultiSelectItems MultiSelectPropertySchema
        NumberPropertySchema OtherCreateElicitationRequest OtherCreateElicitationResponse
        OtherElicitationPropertySchema OtherMultiSelectItems StringFormat StringMultiSelectItems
        StringPropertySchema TitledMultiSelectItems""",
            "ids": """AbsolutePath AuthMethodId CompactionId ElicitationId McpRequestId McpServerAcpId
        MediaType MessageId PermissionOptionId PlanId ProtocolVersion ProviderId RequestId
        SessionConfigGroupId SessionConfigId SessionConfigValueId SessionId SessionListCursor
        TerminalId ToolCallId""",
            "initialize": """AgentAuthCapabilities AgentCapabilities AuthStatusCapabilities
        ClientAuthCapabilities ClientCapabilities ElicitationCapabilities
        ElicitationFormCapabilities ElicitationUrlCapabilities Implementation InitializeRequest
        InitializeResponse McpAcpCapabilities McpCapabilities McpHttpCapabilities
        McpStdioCapabilities PromptAudioCapabilities PromptCapabilities
        PromptEmbeddedContextCapabilities PromptImageCapabilities ProvidersCapabilities
        SessionAdditionalDirectoriesCapabilities SessionArchiveCapabilities SessionCapabilities
        SessionDeleteCapabilities SessionForkCapabilities SessionStatusCapabilities
        SessionSystemPromptCapabilities SessionSystemPromptModeCapabilities
        SessionSystemPromptOverrideCapabilities SessionTitleCapabilities
        TerminalAuthCapabilities""",
            "mcp": """EnvVariable HttpHeader McpError McpMessageError McpMessageResult McpServer
        McpServerAcp McpServerHttp McpServerStdio MessageMcpNotification MessageMcpRequest
        MessageMcpResponse OtherMcpServer""",
            "methods": """METHODS""",
            "permission": """CancelledPermissionOutcome CommandPermissionSubject
        OtherRequestPermissionOutcome OtherRequestPermissionSubject PermissionOption
        PermissionOptionKind RequestPermissionOutcome RequestPermissionRequest
        RequestPermissionResponse RequestPermissionSubject SelectedPermissionOutcome
        ToolCallPermissionSubject""",
            "plan": """OtherPlanUpdateContent PlanEntry PlanEntryPriority PlanEntryStatus PlanFile
        PlanItems PlanMarkdown PlanRemoved PlanUpdate PlanUpdateContent""",
            "provider": """DisableProviderRequest DisableProviderResponse ListProvidersRequest
        ListProvidersResponse LlmProtocol ProviderCurrentConfig ProviderInfo SetProviderRequest
        SetProviderResponse""",
            "proxy": """InitializeProxyRequest InitializeProxyResponse ProxySuccessorNotification
        ProxySuccessorRequest ProxySuccessorResponse""",
            "request": """CancelRequestNotification Error ErrorCode ErrorData ExtNotification ExtRequest
        ExtResponse SessionNotFoundErrorData UnsupportedProtocolVersionErrorData""",
            "session": """ArchiveSessionRequest ArchiveSessionResponse CancelSessionNotification
        CloseSessionRequest CloseSessionResponse DeleteSessionRequest DeleteSessionResponse
        ForkSessionRequest ForkSessionResponse ListSessionsRequest ListSessionsResponse
        NewSessionRequest NewSessionResponse OtherReplayFrom PromptRequest PromptResponse ReplayFrom
        ReplayFromStart ResumeSessionRequest ResumeSessionResponse SessionArchiveFilter SessionInfo
        SessionStatus SessionStatusRequest SessionStatusResponse SetSessionTitleRequest
        SetSessionTitleResponse SystemPrompt SystemPromptMode UnarchiveSessionRequest
        UnarchiveSessionResponse""",
            "state": """ActivityState BackgroundSubagent BackgroundTerminal BackgroundToolCall
        BackgroundWork OtherBackgroundWork StateUpdate StopReason Usage""",
            "terminal": """CancelTerminalRequest CancelTerminalResponse TerminalCancelCapabilities
        TerminalCapabilities TerminalExitStatus TerminalOutput TerminalOutputChunk TerminalSize
        TerminalUpdate""",
            "tool_call": """CancelToolCallRequest CancelToolCallResponse Content Diff DiffAdd DiffChange
        DiffCopy DiffDelete DiffFileType DiffModify DiffMove DiffPatch DiffPatchFormat
        DiffPathChange DiffPathPairChange OtherDiffChange OtherToolCallContent Terminal
        ToolCallCancelCapabilities ToolCallCapabilities ToolCallContent ToolCallContentChunk
        ToolCallLocation ToolCallProgress ToolCallStatus ToolCallUpdate ToolKind""",
            "update": """AgentMessage AgentMessageChunk AgentThought AgentThoughtChunk CompactionStatus
        CompactionSummaryChunk CompactionUpdate ContentChunk Cost Notice NoticeSeverity
        OtherSessionUpdate SessionCancelCapabilities SessionInfoUpdate SessionMessage
        SessionMessageChunk SessionStateUpdate SessionUpdate SubagentSessionCapabilities
        SubagentUpdate UpdateSessionNotification UsageUpdate UserMessage UserMessageChunk""",
        },
    )
# fmt: off
__all__ = [
    "AbsolutePath", "ActivityState", "AgentAuthCapabilities", "AgentCapabilities", "AgentMessage",
    "AgentMessageChunk", "AgentThought", "AgentThoughtChunk", "Annotations",
    "ArchiveSessionRequest", "ArchiveSessionResponse", "AudioContent", "AuthAccount", "AuthMethod",
    "AuthMethodAgent", "AuthMethodId", "AuthMethodTerminal", "AuthState", "AuthStatusCapabilities",
    "AuthStatusRequest", "AuthStatusResponse", "AuthStatusUpdateNotification", "AvailableCommand",
    "AvailableCommandInput", "AvailableCommandsUpdate", "BackgroundSubagent", "BackgroundTerminal",
    "BackgroundToolCall", "BackgroundWork", "BlobResourceContents", "BooleanPropertySchema",
    "CancelRequestNotification", "CancelSessionNotification", "CancelTerminalRequest",
    "CancelTerminalResponse", "CancelToolCallRequest", "CancelToolCallResponse",
    "CancelledPermissionOutcome", "ClientAuthCapabilities", "ClientCapabilities",
    "CloseSessionRequest", "CloseSessionResponse", "Command", "CommandPermissionSubject",
    "CompactionId", "CompactionStatus", "CompactionSummaryChunk", "CompactionUpdate",
    "CompleteElicitationNotification", "ConfigOptionUpdate", "Content", "ContentBlock",
    "ContentChunk", "Cost", "CreateElicitationRequest", "CreateElicitationResponse",
    "DeleteSessionRequest", "DeleteSessionResponse", "Diff", "DiffAdd", "DiffChange", "DiffCopy",
    "DiffDelete", "DiffFileType", "DiffModify", "DiffMove", "DiffPatch", "DiffPatchFormat",
    "DiffPathChange", "DiffPathPairChange", "DisableProviderRequest", "DisableProviderResponse",
    "ElicitationAcceptAction", "ElicitationCancelAction", "ElicitationCapabilities",
    "ElicitationContentValue", "ElicitationDeclineAction", "ElicitationFormCapabilities",
    "ElicitationFormMode", "ElicitationId", "ElicitationPropertySchema", "ElicitationSchema",
    "ElicitationSchemaType", "ElicitationUrlCapabilities", "ElicitationUrlMode", "EmbeddedResource",
    "EmbeddedResourceResource", "EnumOption", "EnvVariable", "Error", "ErrorCode", "ErrorData",
    "ExtNotification", "ExtRequest", "ExtResponse", "ForkSessionRequest", "ForkSessionResponse",
    "HttpHeader", "Icon", "IconTheme", "ImageContent", "Implementation", "InitializeProxyRequest",
    "InitializeProxyResponse", "InitializeRequest", "InitializeResponse", "IntegerPropertySchema",
    "ListProvidersRequest", "ListProvidersResponse", "ListSessionsRequest", "ListSessionsResponse",
    "LlmProtocol", "LoginAuthRequest", "LoginAuthResponse", "LogoutAuthRequest",
    "LogoutAuthResponse", "METHODS", "McpAcpCapabilities", "McpCapabilities", "McpError",
    "McpHttpCapabilities", "McpMessageError", "McpMessageResult", "McpRequestId", "McpServer",
    "McpServerAcp", "McpServerAcpId", "McpServerHttp", "McpServerStdio", "McpStdioCapabilities",
    "MediaType", "MessageId", "MessageMcpNotification", "MessageMcpRequest", "MessageMcpResponse",
    "MultiSelectItems", "MultiSelectPropertySchema", "NewSessionRequest", "NewSessionResponse",
    "Notice", "NoticeSeverity", "NumberPropertySchema", "OtherAuthMethod", "OtherAvailableCommand",
    "OtherAvailableCommandInput", "OtherBackgroundWork", "OtherContentBlock",
    "OtherCreateElicitationRequest", "OtherCreateElicitationResponse", "OtherDiffChange",
    "OtherElicitationPropertySchema", "OtherMcpServer", "OtherMultiSelectItems",
    "OtherPlanUpdateContent", "OtherReplayFrom", "OtherRequestPermissionOutcome",
    "OtherRequestPermissionSubject", "OtherSessionConfigOption", "OtherSessionUpdate",
    "OtherSetSessionConfigOptionRequest", "OtherToolCallContent", "PermissionOption",
    "PermissionOptionId", "PermissionOptionKind", "PlanEntry", "PlanEntryPriority",
    "PlanEntryStatus", "PlanFile", "PlanId", "PlanItems", "PlanMarkdown", "PlanRemoved",
    "PlanUpdate", "PlanUpdateContent", "PromptAudioCapabilities", "PromptCapabilities",
    "PromptEmbeddedContextCapabilities", "PromptImageCapabilities", "PromptRequest",
    "PromptResponse", "ProtocolVersion", "ProviderCurrentConfig", "ProviderId", "ProviderInfo",
    "ProvidersCapabilities", "ProxySuccessorNotification", "ProxySuccessorRequest",
    "ProxySuccessorResponse", "ReplayFrom", "ReplayFromStart", "RequestId",
    "RequestPermissionOutcome", "RequestPermissionRequest", "RequestPermissionResponse",
    "RequestPermissionSubject", "ResourceLink", "ResumeSessionRequest", "ResumeSessionResponse",
    "Role", "SelectedPermissionOutcome", "SessionAdditionalDirectoriesCapabilities",
    "SessionArchiveCapabilities", "SessionArchiveFilter", "SessionCancelCapabilities",
    "SessionCapabilities", "SessionConfigBoolean", "SessionConfigGroupId", "SessionConfigId",
    "SessionConfigOption", "SessionConfigOptionCategory", "SessionConfigSelect",
    "SessionConfigSelectGroup", "SessionConfigSelectOption", "SessionConfigSelectOptions",
    "SessionConfigValueId", "SessionDeleteCapabilities", "SessionForkCapabilities", "SessionId",
    "SessionInfo", "SessionInfoUpdate", "SessionListCursor", "SessionMessage",
    "SessionMessageChunk", "SessionNotFoundErrorData", "SessionStateUpdate", "SessionStatus",
    "SessionStatusCapabilities", "SessionStatusRequest", "SessionStatusResponse",
    "SessionSystemPromptCapabilities", "SessionSystemPromptModeCapabilities",
    "SessionSystemPromptOverrideCapabilities", "SessionTitleCapabilities", "SessionUpdate",
    "SetBooleanConfigOption", "SetProviderRequest", "SetProviderResponse", "SetSelectConfigOption",
    "SetSessionConfigOptionRequest", "SetSessionConfigOptionResponse", "SetSessionTitleRequest",
    "SetSessionTitleResponse", "StateUpdate", "StopReason", "StringFormat",
    "StringMultiSelectItems", "StringPropertySchema", "SubagentSessionCapabilities",
    "SubagentUpdate", "SystemPrompt", "SystemPromptMode", "Terminal", "TerminalAuthCapabilities",
    "TerminalCancelCapabilities", "TerminalCapabilities", "TerminalExitStatus", "TerminalId",
    "TerminalOutput", "TerminalOutputChunk", "TerminalSize", "TerminalUpdate", "TextCommandInput",
    "TextContent", "TextResourceContents", "TitledMultiSelectItems", "ToolCallCancelCapabilities",
    "ToolCallCapabilities", "ToolCallContent", "ToolCallContentChunk", "ToolCallId",
    "ToolCallLocation", "ToolCallPermissionSubject", "ToolCallProgress", "ToolCallStatus",
    "ToolCallUpdate", "ToolKind", "UnarchiveSessionRequest", "UnarchiveSessionResponse",
    "UnsupportedProtocolVersionErrorData", "UpdateSessionNotification", "Usage", "UsageUpdate",
    "UserMessage", "UserMessageChunk",
]
# fmt: on
