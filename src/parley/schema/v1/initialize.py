"""The first exchange: versions, names and capabilities.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from parley.schema.base import (
    UNSET,
    DefaultOnError,
    Metadata,
    Model,
    Request,
    SkipInvalid,
    UnsetType,
)
from parley.schema.v1.auth import AuthMethod
from parley.schema.v1.ids import ProtocolVersion


class InitializeResponse(Model):
    protocol_version: ProtocolVersion
    agent_capabilities: DefaultOnError[AgentCapabilities | UnsetType] = UNSET
    auth_methods: DefaultOnError[SkipInvalid[list[AuthMethod] | UnsetType]] = UNSET
    """Omitted means `[]`."""
    agent_info: DefaultOnError[Implementation | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class AgentCapabilities(Model):
    UNSTABLE_FIELDS = frozenset({"providers"})

    load_session: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    prompt_capabilities: DefaultOnError[PromptCapabilities | UnsetType] = UNSET
    mcp_capabilities: DefaultOnError[McpCapabilities | UnsetType] = UNSET
    session_capabilities: DefaultOnError[SessionCapabilities | UnsetType] = UNSET
    """Omitted means `{}`."""
    auth: DefaultOnError[AgentAuthCapabilities | UnsetType] = UNSET
    """Omitted means `{}`."""
    providers: DefaultOnError[ProvidersCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class PromptCapabilities(Model):
    image: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    audio: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    embedded_context: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    meta: Metadata = UNSET


class McpCapabilities(Model):
    UNSTABLE_FIELDS = frozenset({"acp"})

    http: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    sse: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    acp: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    meta: Metadata = UNSET


class SessionCapabilities(Model):
    UNSTABLE_FIELDS = frozenset({"system_prompt", "fork", "archive", "status", "title"})

    list: DefaultOnError[SessionListCapabilities | None | UnsetType] = UNSET
    delete: DefaultOnError[SessionDeleteCapabilities | None | UnsetType] = UNSET
    additional_directories: DefaultOnError[
        SessionAdditionalDirectoriesCapabilities | None | UnsetType
    ] = UNSET
    system_prompt: DefaultOnError[SessionSystemPromptCapabilities | None | UnsetType] = UNSET
    fork: DefaultOnError[SessionForkCapabilities | None | UnsetType] = UNSET
    archive: DefaultOnError[SessionArchiveCapabilities | None | UnsetType] = UNSET
    status: DefaultOnError[SessionStatusCapabilities | None | UnsetType] = UNSET
    title: DefaultOnError[SessionTitleCapabilities | None | UnsetType] = UNSET
    resume: DefaultOnError[SessionResumeCapabilities | None | UnsetType] = UNSET
    close: DefaultOnError[SessionCloseCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SessionListCapabilities(Model):
    meta: Metadata = UNSET


class SessionDeleteCapabilities(Model):
    meta: Metadata = UNSET


class SessionAdditionalDirectoriesCapabilities(Model):
    meta: Metadata = UNSET


class SessionSystemPromptCapabilities(Model):
    UNSTABLE = True

    mode: DefaultOnError[SessionSystemPromptModeCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SessionSystemPromptModeCapabilities(Model):
    UNSTABLE = True

    override: DefaultOnError[SessionSystemPromptOverrideCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SessionSystemPromptOverrideCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class SessionForkCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class SessionArchiveCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class SessionStatusCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class SessionTitleCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class SessionResumeCapabilities(Model):
    meta: Metadata = UNSET


class SessionCloseCapabilities(Model):
    meta: Metadata = UNSET


class AgentAuthCapabilities(Model):
    UNSTABLE_FIELDS = frozenset({"status"})

    status: DefaultOnError[AuthStatusCapabilities | None | UnsetType] = UNSET
    logout: DefaultOnError[LogoutCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class AuthStatusCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class LogoutCapabilities(Model):
    meta: Metadata = UNSET


class ProvidersCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class Implementation(Model):
    name: str
    version: str
    title: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ClientCapabilities(Model):
    UNSTABLE_FIELDS = frozenset({"subagents", "plan"})

    fs: DefaultOnError[FileSystemCapabilities | UnsetType] = UNSET
    terminal: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    session: DefaultOnError[ClientSessionCapabilities | None | UnsetType] = UNSET
    subagents: DefaultOnError[SubagentCapabilities | None | UnsetType] = UNSET
    plan: DefaultOnError[PlanCapabilities | None | UnsetType] = UNSET
    auth: DefaultOnError[AuthCapabilities | UnsetType] = UNSET
    elicitation: DefaultOnError[ElicitationCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class FileSystemCapabilities(Model):
    read_text_file: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    write_text_file: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    meta: Metadata = UNSET


class ClientSessionCapabilities(Model):
    compaction: DefaultOnError[CompactionCapabilities | None | UnsetType] = UNSET
    config_options: DefaultOnError[SessionConfigOptionsCapabilities | None | UnsetType] = UNSET
    notices: DefaultOnError[NoticeCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class CompactionCapabilities(Model):
    pass


class SessionConfigOptionsCapabilities(Model):
    boolean: DefaultOnError[BooleanConfigOptionCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class BooleanConfigOptionCapabilities(Model):
    meta: Metadata = UNSET


class NoticeCapabilities(Model):
    pass


class SubagentCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class PlanCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class AuthCapabilities(Model):
    terminal: DefaultOnError[bool | UnsetType] = UNSET
    """Omitted means `false`."""
    meta: Metadata = UNSET


class ElicitationCapabilities(Model):
    form: DefaultOnError[ElicitationFormCapabilities | None | UnsetType] = UNSET
    url: DefaultOnError[ElicitationUrlCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ElicitationFormCapabilities(Model):
    meta: Metadata = UNSET


class ElicitationUrlCapabilities(Model):
    meta: Metadata = UNSET


class InitializeRequest(Request[InitializeResponse]):
    METHOD = "initialize"
    RESULT = InitializeResponse

    protocol_version: ProtocolVersion
    client_capabilities: DefaultOnError[ClientCapabilities | UnsetType] = UNSET
    client_info: DefaultOnError[Implementation | None | UnsetType] = UNSET
    meta: Metadata = UNSET
