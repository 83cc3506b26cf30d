"""Ways to log in, logging in and out.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    Choice,
    DefaultOnError,
    Model,
    Notification,
    NullAsEmpty,
    Open,
    Request,
    SkipInvalid,
    Unknown,
    UnsetType,
)
from parley.schema.v1.ids import AuthMethodId


class AuthMethodTerminal(Model, tag_field="type", tag="terminal"):
    id: AuthMethodId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    args: NullAsEmpty[list[str] | UnsetType] = UNSET
    env: NullAsEmpty[dict[str, str] | UnsetType] = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


class OtherAuthMethod(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `AuthMethod` whose `type` is not in the schema."""

    CLOSED = True


class AuthMethodAgent(Model):
    TAGS = ("agent",)

    id: AuthMethodId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


class AuthenticateResponse(Model):
    meta: dict[str, Any] | None | UnsetType = UNSET


class LogoutResponse(Model):
    meta: dict[str, Any] | None | UnsetType = UNSET


class AuthStatusResponse(Model):
    UNSTABLE = True

    state: AuthState
    accounts: DefaultOnError[SkipInvalid[list[AuthAccount] | UnsetType]] = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


AuthState: TypeAlias = Open[Literal["authenticated", "unauthenticated", "not_required", "unknown"]]


class AuthAccount(Model):
    UNSTABLE = True

    label: str
    active: DefaultOnError[bool | None | UnsetType] = UNSET
    name: DefaultOnError[str | None | UnsetType] = UNSET
    email: DefaultOnError[str | None | UnsetType] = UNSET
    organization: DefaultOnError[str | None | UnsetType] = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


class AuthStatusUpdateNotification(Notification):
    METHOD = "auth/status_update"
    UNSTABLE = True

    state: AuthState
    accounts: DefaultOnError[SkipInvalid[list[AuthAccount] | UnsetType]] = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


AuthMethod: TypeAlias = Choice[AuthMethodTerminal | AuthMethodAgent | OtherAuthMethod]


class AuthenticateRequest(Request[AuthenticateResponse]):
    METHOD = "authenticate"
    RESULT = AuthenticateResponse

    method_id: AuthMethodId
    meta: dict[str, Any] | None | UnsetType = UNSET


class LogoutRequest(Request[LogoutResponse]):
    METHOD = "logout"
    RESULT = LogoutResponse

    meta: dict[str, Any] | None | UnsetType = UNSET


class AuthStatusRequest(Request[AuthStatusResponse]):
    METHOD = "auth/status"
    RESULT = AuthStatusResponse
    UNSTABLE = True

    meta: dict[str, Any] | None | UnsetType = UNSET
