"""The first exchange: versions, names and capabilities.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
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
from parley.schema.v2.auth import AuthMethod
from parley.schema.v2.ids import ProtocolVersion


class InitializeResponse(Model):
    protocol_version: ProtocolVersion
    info: Implementation
    capabilities: DefaultOnError[AgentCapabilities | UnsetType] = UNSET
    """Omitted means `{}`."""
    auth_methods: DefaultOnError[SkipInvalid[list[AuthMethod] | UnsetType]] = UNSET
    meta: Metadata = UNSET


class Implementation(Model):
    name: str
    version: str
    title: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class AgentCapabilities(Model):
    UNSTABLE_FIELDS = frozenset({"providers"})

    session: DefaultOnError[SessionCapabilities | None | UnsetType] = UNSET
    auth: DefaultOnError[AgentAuthCapabilities | None | UnsetType] = UNSET
    providers: DefaultOnError[ProvidersCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SessionCapabilities(Model):
    UNSTABLE_FIELDS = frozenset({"system_prompt", "fork", "archive", "status", "title"})

    prompt: DefaultOnError[PromptCapabilities | None | UnsetType] = UNSET
    mcp: DefaultOnError[McpCapabilities | None | UnsetType] = UNSET
    delete: DefaultOnError[SessionDeleteCapabilities | None | UnsetType] = UNSET
    additional_directories: DefaultOnError[
        SessionAdditionalDirectoriesCapabilities | None | UnsetType
    ] = UNSET
    system_prompt: DefaultOnError[SessionSystemPromptCapabilities | None | UnsetType] = UNSET
    fork: DefaultOnError[SessionForkCapabilities | None | UnsetType] = UNSET
    archive: DefaultOnError[SessionArchiveCapabilities | None | UnsetType] = UNSET
    status: DefaultOnError[SessionStatusCapabilities | None | UnsetType] = UNSET
    title: DefaultOnError[SessionTitleCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class PromptCapabilities(Model):
    image: DefaultOnError[PromptImageCapabilities | None | UnsetType] = UNSET
    audio: DefaultOnError[PromptAudioCapabilities | None | UnsetType] = UNSET
    embedded_context: DefaultOnError[PromptEmbeddedContextCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class PromptImageCapabilities(Model):
    meta: Metadata = UNSET


class PromptAudioCapabilities(Model):
    meta: Metadata = UNSET


class PromptEmbeddedContextCapabilities(Model):
    meta: Metadata = UNSET


class McpCapabilities(Model):
    UNSTABLE_FIELDS = frozenset({"acp"})

    stdio: DefaultOnError[McpStdioCapabilities | None | UnsetType] = UNSET
    http: DefaultOnError[McpHttpCapabilities | None | UnsetType] = UNSET
    acp: DefaultOnError[McpAcpCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class McpStdioCapabilities(Model):
    meta: Metadata = UNSET


class McpHttpCapabilities(Model):
    meta: Metadata = UNSET


class McpAcpCapabilities(Model):
    UNSTABLE = True

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


class AgentAuthCapabilities(Model):
    UNSTABLE_FIELDS = frozenset({"status"})

    status: DefaultOnError[AuthStatusCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class AuthStatusCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class ProvidersCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class ClientCapabilities(Model):
    auth: DefaultOnError[ClientAuthCapabilities | None | UnsetType] = UNSET
    elicitation: DefaultOnError[ElicitationCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ClientAuthCapabilities(Model):
    terminal: DefaultOnError[TerminalAuthCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class TerminalAuthCapabilities(Model):
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
    info: Implementation
    capabilities: DefaultOnError[ClientCapabilities | UnsetType] = UNSET
    """Omitted means `{}`."""
    meta: Metadata = UNSET
