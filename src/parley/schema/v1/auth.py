"""Ways to log in, logging in and out.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    Choice,
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
from parley.schema.v1.ids import AuthMethodId


class AuthMethodTerminal(Model, tag_field="type", tag="terminal"):
    id: AuthMethodId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    args: NullAsEmpty[list[str] | UnsetType] = UNSET
    env: NullAsEmpty[dict[str, str] | UnsetType] = UNSET
    meta: Metadata = UNSET


class OtherAuthMethod(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `AuthMethod` whose `type` is not in the schema."""

    CLOSED = True


class AuthMethodAgent(Model):
    TAGS = ("agent",)

    id: AuthMethodId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class AuthenticateResponse(Model):
    meta: Metadata = UNSET


class LogoutResponse(Model):
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


AuthMethod: TypeAlias = Choice[AuthMethodTerminal | AuthMethodAgent | OtherAuthMethod]


class AuthenticateRequest(Request[AuthenticateResponse]):
    METHOD = "authenticate"
    RESULT = AuthenticateResponse

    method_id: AuthMethodId
    meta: Metadata = UNSET


class LogoutRequest(Request[LogoutResponse]):
    METHOD = "logout"
    RESULT = LogoutResponse

    meta: Metadata = UNSET


class AuthStatusRequest(Request[AuthStatusResponse]):
    METHOD = "auth/status"
    RESULT = AuthStatusResponse
    UNSTABLE = True

    meta: Metadata = UNSET
