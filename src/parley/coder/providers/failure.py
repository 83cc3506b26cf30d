"""What a failed request to a model means: kind, whether to try again, and words for a person.

Pure: status, headers and body in, `ProviderError` out. Texts never contain a key or a header.
"""

from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import quote, urlsplit

import msgspec

from parley.coder.errors import ProviderError, ProviderFailure

MESSAGE_LIMIT = 500
"""Characters shown of what an API says itself."""
WAIT_LIMIT = 24 * 3600.0
"""Seconds; no API asks in earnest for a longer wait."""

_CONTEXT_SIGNS = (
    "context_length_exceeded",
    "context length",
    "context limit",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "input token count",
    "request_too_large",
)
_KEY_SIGNS = ("api key not valid", "api_key_invalid", "api key expired")
_QUOTA_SIGNS = ("insufficient_quota", "insufficient balance", "credit balance", "billing")
# Codes of error objects that arrive inside a stream, where the status was 200 already.
_STATUS_OF_CODE = {
    "invalid_request_error": 400,
    "invalid_prompt": 400,
    "context_length_exceeded": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "overloaded_error": 529,
}


_HIDDEN = "the configured address"
_LATER = "hint: try again later or choose another model"


class Place(msgspec.Struct, frozen=True):
    """Whom we talk to, as far as an error text may say it."""

    name: str
    """Of the provider."""
    base_url: str
    key_hint: str = ""
    """How a person sets the key: the name of its variable."""
    secrets: tuple[str, ...] = ()
    """Never shown, wherever they turn up."""

    @property
    def host(self) -> str:
        """The address without path, user or password."""
        try:
            parts = urlsplit(self.base_url)
        except ValueError:
            return _HIDDEN
        # A slash in a password ends the host too early, and half the password would be shown.
        if "@" in parts.path:
            return _HIDDEN
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    @property
    def key_fix(self) -> str:
        """What a person does about a key that is not accepted."""
        if self.key_hint:
            return f"set {self.key_hint} to a key that it accepts"
        return f"set `key_env` or `key` of [providers.{self.name}] in the configuration file"

    def clean(self, text: str) -> str:
        """The text on one line, without secrets, no longer than the limit."""
        for secret in self.secrets:
            # A placeholder key of a local server is no secret, and might be a part of any word.
            if len(secret) >= 4:
                text = text.replace(secret, "[key]").replace(quote(secret, safe=""), "[key]")
        text = " ".join(text.split())
        return text if len(text) <= MESSAGE_LIMIT else text[: MESSAGE_LIMIT - 1] + "…"


def failure_of_status(
    place: Place, status: int, headers: Mapping[str, str], body: bytes, *, now: float
) -> ProviderError:
    """What an answer with an error status means; `headers` have lower-case names."""
    said, code = _said(body)
    wait = retry_after(headers, now=now)
    return _failure(place, status, said, code, _delay(body) if wait is None else wait)


def failure_of_payload(place: Place, payload: Any) -> ProviderError:
    """What an error object inside a stream means."""
    said, code = _words(payload)
    found = [each for each in code if each.isdigit() and 400 <= int(each) < 600]
    status = (
        int(found[0])
        if found
        else next((_STATUS_OF_CODE[each] for each in code if each in _STATUS_OF_CODE), 500)
    )
    return _failure(place, status, said, code, None)


def dropped(
    place: Place, what: str = "the stream ended before the answer was complete"
) -> ProviderError:
    """A connection that broke: the same request may well succeed."""
    return ProviderError(f"{place.name} ({place.host}): {what}", retryable=True, kind="network")


def unreachable(place: Place, why: str) -> ProviderError:
    """No connection came about."""
    why = place.clean(why)
    text = f"{place.name}: cannot connect to {place.host}: {why}"
    if "CERTIFICATE" in why.upper():
        hint = "hint: check the certificate of the server or SSL_CERT_FILE"
        return ProviderError(f"{text}\n{hint}", retryable=False, kind="network")
    hint = "hint: check the base URL and the network, or start the local server"
    return ProviderError(f"{text}\n{hint}", retryable=True, kind="network")


def unreadable(place: Place, what: str) -> ProviderError:
    """The server sent something that is not its own format."""
    return ProviderError(
        f"{place.name} ({place.host}) sent an answer that cannot be read: {place.clean(what)}",
        retryable=True,
        kind="server",
    )


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """Seconds the server asks us to wait: `retry-after-ms`, or `retry-after` in either form."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return _bounded(milliseconds / 1000)
    value = headers.get("retry-after")
    if value is None:
        return None
    if (seconds := _number(value)) is not None:
        return _bounded(seconds)
    try:
        return _bounded(parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _failure(
    place: Place, status: int, said: str, code: Iterable[str], wait: float | None
) -> ProviderError:
    kind, retryable, text = _judged(place, status, said, " ".join(code), wait)
    return ProviderError(text, retryable=retryable, retry_after=wait, kind=kind)


def _judged(
    place: Place, status: int, said: str, code: str, wait: float | None
) -> tuple[ProviderFailure, bool, str]:
    shown = f": {place.clean(said)}" if said else ""
    where = f"{place.name} ({place.host})"
    signs = f"{code} {said}".lower()
    if status in (401, 403) or (status == 400 and _has(signs, _KEY_SIGNS)):
        # The API's own words are left out: some of them repeat the key.
        text = f"{where} did not accept the key (status {status})"
        return "auth", False, f"{text}\nhint: {place.key_fix}"
    # A quota that comes back after a while is not used up, even where the words speak of billing.
    final = wait is None or "insufficient_quota" in signs
    if status == 402 or (status == 429 and final and _has(signs, _QUOTA_SIGNS)):
        hint = "hint: top up the account or choose another model"
        return "limit", False, f"{where}: the quota is used up{shown}\n{hint}"
    if status == 429:
        return "limit", True, f"{where} asks for a pause (status 429){shown}\n{_LATER}"
    if status == 413 or (400 <= status < 500 and _has(signs, _CONTEXT_SIGNS)):
        hint = "hint: begin a new session or choose a model with a larger window"
        return (
            "context",
            False,
            f"{where}: the conversation is too long for the model{shown}\n{hint}",
        )
    if status in (408, 409, 425) or status >= 500:
        return "server", True, f"{where} failed (status {status}){shown}\n{_LATER}"
    if 300 <= status < 400:
        hint = "hint: set the base URL to the final address"
        return "request", False, f"{where} wants to redirect (status {status})\n{hint}"
    hint = "\nhint: check the model's name and the base URL" if status == 404 else ""
    return "request", False, f"{where} refused the request (status {status}){shown}{hint}"


def _has(text: str, signs: Iterable[str]) -> bool:
    return any(sign in text for sign in signs)


def _said(body: bytes) -> tuple[str, tuple[str, ...]]:
    """The API's own message and codes in an error body of any known shape."""
    try:
        return _words(msgspec.json.decode(body))
    except msgspec.DecodeError:
        text = body.decode(errors="replace").strip()
        # A page of a proxy says nothing that a person could use.
        return ("" if text.startswith("<") else text), ()


def _words(payload: Any) -> tuple[str, tuple[str, ...]]:
    if isinstance(payload, list):
        items = cast("list[Any]", payload)
        return _words(items[0]) if items else ("", ())
    if isinstance(payload, str):
        return payload, ()
    if not isinstance(payload, dict):
        return "", ()
    found = cast("dict[str, Any]", payload)
    inner = found.get("error")
    if isinstance(inner, (dict, str)) and inner:
        return _words(cast("Any", inner))
    said = found.get("message") or found.get("detail") or ""
    if not isinstance(said, str):
        said = msgspec.json.encode(said).decode()
    codes = (found.get(name) for name in ("code", "type", "status"))
    return said, tuple(str(code) for code in codes if isinstance(code, (str, int)))


class _Detail(msgspec.Struct):
    retry_delay: str | None = msgspec.field(default=None, name="retryDelay")


class _Detailed(msgspec.Struct):
    details: list[_Detail]


class _Delayed(msgspec.Struct):
    error: _Detailed


def _delay(body: bytes) -> float | None:
    """Seconds to wait where the body says it, as Google's do: `"retryDelay": "34.5s"`."""
    try:
        details = msgspec.json.decode(body, type=_Delayed).error.details
    except (msgspec.DecodeError, RecursionError):
        return None
    asked = next((detail.retry_delay for detail in details if detail.retry_delay), "")
    seconds = _number(asked.removesuffix("s"))
    return None if seconds is None else _bounded(seconds)


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _bounded(seconds: float) -> float | None:
    # Not a number compares false with everything.
    return min(max(seconds, 0.0), WAIT_LIMIT) if seconds == seconds else None
