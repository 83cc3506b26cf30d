"""The model providers an agent can be pointed at.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from parley.schema.base import UNSET, DefaultOnError, Model, Open, Request, SkipInvalid, UnsetType
from parley.schema.v1.ids import ProviderId


class ListProvidersResponse(Model):
    UNSTABLE = True

    providers: list[ProviderInfo]
    meta: dict[str, Any] | None | UnsetType = UNSET


class ProviderInfo(Model):
    UNSTABLE = True

    provider_id: ProviderId
    supported: DefaultOnError[SkipInvalid[list[LlmProtocol]]]
    required: bool
    current: ProviderCurrentConfig | None | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


LlmProtocol: TypeAlias = Open[Literal["anthropic", "openai", "azure", "vertex", "bedrock"]]


class ProviderCurrentConfig(Model):
    UNSTABLE = True

    api_type: LlmProtocol
    base_url: str
    meta: dict[str, Any] | None | UnsetType = UNSET


class SetProviderResponse(Model):
    UNSTABLE = True

    meta: dict[str, Any] | None | UnsetType = UNSET


class DisableProviderResponse(Model):
    UNSTABLE = True

    meta: dict[str, Any] | None | UnsetType = UNSET


class ListProvidersRequest(Request[ListProvidersResponse]):
    METHOD = "providers/list"
    RESULT = ListProvidersResponse
    UNSTABLE = True

    meta: dict[str, Any] | None | UnsetType = UNSET


class SetProviderRequest(Request[SetProviderResponse]):
    METHOD = "providers/set"
    RESULT = SetProviderResponse
    UNSTABLE = True

    provider_id: ProviderId
    api_type: LlmProtocol
    base_url: str
    headers: dict[str, str] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


class DisableProviderRequest(Request[DisableProviderResponse]):
    METHOD = "providers/disable"
    RESULT = DisableProviderResponse
    UNSTABLE = True

    provider_id: ProviderId
    meta: dict[str, Any] | None | UnsetType = UNSET
