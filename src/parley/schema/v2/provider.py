"""The model providers an agent can be pointed at.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import (
    UNSET,
    DefaultOnError,
    Metadata,
    Model,
    Open,
    Request,
    SkipInvalid,
    UnsetType,
)
from parley.schema.v2.ids import ProviderId


class ListProvidersResponse(Model):
    UNSTABLE = True

    providers: list[ProviderInfo]
    meta: Metadata = UNSET


class ProviderInfo(Model):
    UNSTABLE = True

    provider_id: ProviderId
    supported: DefaultOnError[SkipInvalid[list[LlmProtocol]]]
    required: bool
    current: ProviderCurrentConfig | None | UnsetType = UNSET
    meta: Metadata = UNSET


LlmProtocol: TypeAlias = Open[Literal["anthropic", "openai", "azure", "vertex", "bedrock"]]


class ProviderCurrentConfig(Model):
    UNSTABLE = True

    api_type: LlmProtocol
    base_url: str
    meta: Metadata = UNSET


class SetProviderResponse(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class DisableProviderResponse(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class ListProvidersRequest(Request[ListProvidersResponse]):
    METHOD = "providers/list"
    RESULT = ListProvidersResponse
    UNSTABLE = True

    meta: Metadata = UNSET


class SetProviderRequest(Request[SetProviderResponse]):
    METHOD = "providers/set"
    RESULT = SetProviderResponse
    UNSTABLE = True

    provider_id: ProviderId
    api_type: LlmProtocol
    base_url: str
    headers: dict[str, str] | UnsetType = UNSET
    meta: Metadata = UNSET


class DisableProviderRequest(Request[DisableProviderResponse]):
    METHOD = "providers/disable"
    RESULT = DisableProviderResponse
    UNSTABLE = True

    provider_id: ProviderId
    meta: Metadata = UNSET
