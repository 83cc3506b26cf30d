"""The methods between a conductor and the proxies in its chain.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from parley.schema.base import (
    UNSET,
    DefaultOnError,
    Metadata,
    Model,
    Notification,
    Request,
    SkipInvalid,
    UnsetType,
)
from parley.schema.v2.auth import AuthMethod
from parley.schema.v2.ids import ProtocolVersion
from parley.schema.v2.initialize import AgentCapabilities, ClientCapabilities, Implementation


class InitializeProxyResponse(Model):
    UNSTABLE = True

    protocol_version: ProtocolVersion
    info: Implementation
    capabilities: DefaultOnError[AgentCapabilities | UnsetType] = UNSET
    """Omitted means `{}`."""
    auth_methods: DefaultOnError[SkipInvalid[list[AuthMethod] | UnsetType]] = UNSET
    meta: Metadata = UNSET


ProxySuccessorResponse: TypeAlias = Any


class ProxySuccessorNotification(Notification):
    METHOD = "proxy/successor"
    UNSTABLE = True

    method: str
    params: Any = UNSET
    meta: Metadata = UNSET


class InitializeProxyRequest(Request[InitializeProxyResponse]):
    METHOD = "proxy/initialize"
    RESULT = InitializeProxyResponse
    UNSTABLE = True

    protocol_version: ProtocolVersion
    info: Implementation
    capabilities: DefaultOnError[ClientCapabilities | UnsetType] = UNSET
    """Omitted means `{}`."""
    meta: Metadata = UNSET


class ProxySuccessorRequest(Request[ProxySuccessorResponse]):
    METHOD = "proxy/successor"
    RESULT = ProxySuccessorResponse
    UNSTABLE = True

    method: str
    params: Any = UNSET
    meta: Metadata = UNSET
