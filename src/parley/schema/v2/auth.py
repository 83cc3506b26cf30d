"""Ways to log in, logging in and out.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    DefaultOnError,
    Metadata,
    Model,
    Notification,
    NullAsEmpty,
    Open,
    Request,
    SkipInvalid,
    Unknown,
    UnsetType,
)
from parley.schema.v2.ids import AuthMethodId
from parley.schema.v2.mcp import EnvVariable


class AuthMethodTerminal(Model, tag_field="type", tag="terminal"):
    method_id: AuthMethodId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    args: NullAsEmpty[list[str] | UnsetType] = UNSET
    env: NullAsEmpty[list[EnvVariable] | UnsetType] = UNSET
    meta: Metadata = UNSET


class AuthMethodAgent(Model, tag_field="type", tag="agent"):
    method_id: AuthMethodId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class OtherAuthMethod(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `AuthMethod` whose `type` is not in the schema."""

    method_id: AuthMethodId
    name: str


class LoginAuthResponse(Model):
    meta: Metadata = UNSET


class LogoutAuthResponse(Model):
    meta: Metadata = UNSET


class AuthStatusResponse(Model):
    UNSTABLE = True

    state: AuthState
    accounts: DefaultOnError[SkipInvalid[list[AuthAccount] | UnsetType]] = UNSET
    meta: Metadata = UNSET


AuthState: TypeAlias = Open[Literal["authenticated", "unauthenticated", "not_required", "unknown"]]


class AuthAccount(Model):
    UNSTABLE = True

    label: str
    active: DefaultOnError[bool | None | UnsetType] = UNSET
    name: DefaultOnError[str | None | UnsetType] = UNSET
    email: DefaultOnError[str | None | UnsetType] = UNSET
    organization: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class AuthStatusUpdateNotification(Notification):
    METHOD = "auth/status_update"
    UNSTABLE = True

    state: AuthState
    accounts: DefaultOnError[SkipInvalid[list[AuthAccount] | UnsetType]] = UNSET
    meta: Metadata = UNSET


AuthMethod: TypeAlias = AuthMethodTerminal | AuthMethodAgent | OtherAuthMethod


class LoginAuthRequest(Request[LoginAuthResponse]):
    METHOD = "auth/login"
    RESULT = LoginAuthResponse

    method_id: AuthMethodId
    meta: Metadata = UNSET


class LogoutAuthRequest(Request[LogoutAuthResponse]):
    METHOD = "auth/logout"
    RESULT = LogoutAuthResponse

    meta: Metadata = UNSET


class AuthStatusRequest(Request[AuthStatusResponse]):
    METHOD = "auth/status"
    RESULT = AuthStatusResponse
    UNSTABLE = True

    meta: Metadata = UNSET
