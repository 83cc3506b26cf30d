"""Each way a model's API fails has its kind, its chance of a retry and words for a person."""

import json
from typing import Any

import pytest

from parley.coder.errors import ProviderError
from parley.coder.providers.failure import (
    MESSAGE_LIMIT,
    Place,
    dropped,
    failure_of_payload,
    failure_of_status,
    retry_after,
    unreachable,
    unreadable,
)

KEY = "sk-very/secret+key"
PLACE = Place("acme", "https://user:password@api.acme.test:8443/v1", "ACME_API_KEY", (KEY, ""))
NOW = 1_800_000_000.0


def failure(status: int, body: Any = b"", headers: dict[str, str] | None = None) -> ProviderError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    error = failure_of_status(PLACE, status, headers or {}, raw, now=NOW)
    assert KEY not in str(error)
    return error


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (307, "request", False),
        (400, "request", False),
        (401, "auth", False),
        (402, "limit", False),
        (403, "auth", False),
        (404, "request", False),
        (408, "server", True),
        (409, "server", True),
        (413, "context", False),
        (422, "request", False),
        (429, "limit", True),
        (500, "server", True),
        (503, "server", True),
        (529, "server", True),
    ],
)
def test_each_status_has_its_kind(status: int, kind: str, retryable: bool) -> None:
    error = failure(status, {"error": {"message": "no"}})
    assert (error.kind, error.retryable) == (kind, retryable)
    assert str(error).startswith("acme (https://api.acme.test:8443)")


def test_a_refused_key_names_its_variable_and_repeats_nothing_of_the_api() -> None:
    error = failure(401, {"error": {"message": "Incorrect API key provided: sk-ver***key"}})
    assert str(error).endswith("hint: set ACME_API_KEY to a key that it accepts")
    assert "sk-ver" not in str(error)


def test_a_refused_key_without_a_variable_names_its_place_in_the_configuration() -> None:
    error = failure_of_status(Place("local", "http://h"), 403, {}, b"", now=NOW)
    assert str(error).endswith(
        "hint: set `key_env` or `key` of [providers.local] in the configuration file"
    )


@pytest.mark.parametrize("status", [401, 402, 404, 413, 429, 500])
def test_what_a_person_can_do_stands_on_a_line_of_its_own(status: int) -> None:
    first, *rest = str(failure(status, {"error": {"message": "no"}})).split("\n")
    assert "hint" not in first
    assert [line[:6] for line in rest] == ["hint: "]


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 8192 tokens",
        "prompt is too long: 300000 tokens > 200000 maximum",
        "the request exceeds the available context size",
        "The input token count (2000000) exceeds the maximum",
    ],
)
def test_a_conversation_that_is_too_long_is_told_from_other_requests(message: str) -> None:
    error = failure(400, {"error": {"message": message}})
    assert (error.kind, error.retryable) == ("context", False)


def test_a_code_alone_tells_that_the_conversation_is_too_long() -> None:
    assert failure(400, {"error": {"code": "context_length_exceeded"}}).kind == "context"


@pytest.mark.parametrize(
    ("details", "wait"),
    [
        ([{"@type": "QuotaFailure"}, {"retryDelay": "34.5s"}], 34.5),
        ([{"retryDelay": "soon"}], None),
        ([{"@type": "QuotaFailure"}], None),
        ("none", None),
    ],
)
def test_a_quota_that_comes_back_is_waited_for(details: Any, wait: float | None) -> None:
    error = failure(429, {"error": {"message": "Check your billing.", "details": details}})
    assert (error.retry_after, error.retryable) == (wait, wait is not None)


def test_a_refused_key_is_told_from_other_bad_requests() -> None:
    error = failure(400, {"error": {"message": f"API key not valid: {KEY}"}})
    assert (error.kind, error.retryable) == ("auth", False)
    assert "ACME_API_KEY" in str(error)
    assert KEY not in str(error)


def test_a_spent_quota_is_not_tried_again() -> None:
    error = failure(429, {"error": {"message": "no", "type": "insufficient_quota"}})
    assert (error.kind, error.retryable) == ("limit", False)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ({"error": {"message": "plain"}}, ": plain"),
        ({"error": "a string"}, ": a string"),
        ({"message": "top level"}, ": top level"),
        ({"detail": [{"loc": ["body"], "msg": "bad"}]}, '[{"loc":["body"],"msg":"bad"}]'),
        ([{"error": {"message": "in a list"}}], ": in a list"),
        ("just a text", ": just a text"),
        (b"not JSON", ": not JSON"),
        (b"<html><body>Bad gateway", "status 422)"),
        ([], "status 422)"),
        (7, "status 422)"),
        ({"error": None}, "status 422)"),
        (b"", "status 422)"),
    ],
)
def test_the_words_of_the_api_are_found_in_every_shape(body: Any, shown: str) -> None:
    assert str(failure(422, body)).endswith(shown)


def test_the_words_of_the_api_are_cut_after_the_key_was_taken_out() -> None:
    filler = "x" * (MESSAGE_LIMIT - 10)
    text = str(failure(400, {"error": {"message": f"{filler}{KEY}\n{filler}"}}))
    assert "sk-very" not in text
    assert "[key]" in text
    assert len(text) < MESSAGE_LIMIT + 100


def test_a_key_in_an_address_is_taken_out_too() -> None:
    quoted = "sk-very%2Fsecret%2Bkey"
    assert quoted not in str(failure(400, {"error": {"message": f"bad ?key={quoted}"}}))


def test_a_placeholder_key_does_not_spoil_the_text() -> None:
    place = Place("local", "http://localhost:1", "", ("x",))
    error = failure_of_status(place, 400, {}, b"extra text", now=NOW)
    assert str(error).endswith("extra text")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "9e99"}, 86_400.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:30 GMT"}, 30.0),
        ({"retry-after": "Fri, 15 Jan 2027 07:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
    ],
)
def test_the_wait_is_read_in_each_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=NOW) == seconds
    assert failure(429, b"", headers).retry_after == seconds


@pytest.mark.parametrize(
    ("payload", "kind", "retryable"),
    [
        ({"error": {"message": "busy", "code": 502}}, "server", True),
        ({"error": {"message": "slow down", "code": "429"}}, "limit", True),
        ({"error": {"message": "x", "type": "overloaded_error"}}, "server", True),
        ({"error": {"message": "x", "code": "rate_limit_exceeded"}}, "limit", True),
        ({"message": "x", "code": "context_length_exceeded"}, "context", False),
        ({"error": {"message": "x", "type": "invalid_request_error"}}, "request", False),
        ({"error": {"message": "x", "code": "server_error"}}, "server", True),
        ({"error": "x"}, "server", True),
        (None, "server", True),
    ],
)
def test_an_error_inside_a_stream_has_its_kind(payload: Any, kind: str, retryable: bool) -> None:
    error = failure_of_payload(PLACE, payload)
    assert (error.kind, error.retryable) == (kind, retryable)


def test_a_dropped_stream_may_be_tried_again() -> None:
    error = dropped(PLACE)
    assert (error.kind, error.retryable) == ("network", True)


def test_an_unreadable_answer_may_be_tried_again_and_shows_no_key() -> None:
    error = unreadable(PLACE, f"at {KEY}")
    assert (error.kind, error.retryable) == ("server", True)
    assert str(error).endswith("at [key]")


def test_a_certificate_that_nobody_signed_is_not_tried_again() -> None:
    error = unreachable(PLACE, "[SSL: CERTIFICATE_VERIFY_FAILED] self-signed")
    assert (error.kind, error.retryable) == ("network", False)


@pytest.mark.parametrize("url", ["http://[secret", "http://user:top/secret@host"])
def test_an_address_that_cannot_be_read_is_not_repeated(url: str) -> None:
    assert str(dropped(Place("x", url))).startswith("x (the configured address)")
