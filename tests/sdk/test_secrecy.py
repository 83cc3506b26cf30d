"""Which forms ask for secrets, and which addresses carry them."""

from typing import Any

import pytest

from parley.sdk.secrecy import check_address, check_form


def _form(name: str, **details: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"city": {"type": "string"}, name: details}}


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "Pass-Word",
        "db_passwd",
        "passphrase",
        "clientSecret",
        "token",
        "GITHUB_TOKEN",
        "accessTokens",
        "apiKey",
        "API KEY",
        "api.key",
        "credentials",
        "private-key",
        "access_key",
    ],
)
def test_v1_eli_06_a_form_that_asks_for_a_secret_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"asks for a secret: (.|\n)*hint: `turn.visit"):
        check_form(_form(name, type="string"))
    with pytest.raises(ValueError, match="asks for a secret: 'field'"):
        check_form(_form("field", type="string", title=name))


def test_a_format_can_give_a_secret_away() -> None:
    with pytest.raises(ValueError, match="asks for a secret: 'x'"):
        check_form(_form("x", type="string", format="password"))


def test_a_number_is_a_secret_as_well_unless_it_counts_tokens() -> None:
    check_form(_form("max_tokens", type="integer"))
    check_form(_form("tokens", type="number", title="Token limit"))
    with pytest.raises(ValueError, match="asks for a secret: 'one_time_password'"):
        check_form(_form("one_time_password", type="integer"))


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": None},
        {"properties": {"name": True}},
        _form("name", type="string", title="Your name"),
        _form("secretary", type="string"),
        _form("tokenizer", type="string"),
        _form("remember_password", type="boolean"),
        _form("passenger", type="string", title=["Password"]),
    ],
)
def test_a_form_that_asks_for_no_secret_is_fine(schema: dict[str, Any]) -> None:
    check_form(schema)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/login",
        "https://example.org:8443/a?client_id=x&state=y&code_challenge=z&response_type=token#top",
        "HTTPS://EXAMPLE.ORG",
        "http://localhost:8080/callback",
        "http://login.localhost/",
        "http://127.0.0.1/",
        "http://[::1]:80/",
    ],
)
def test_an_address_that_carries_nothing_is_fine(url: str) -> None:
    check_address(url)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://example.org/", "'http' is not safe"),
        ("http://127.0.0.1.example.org/", "'http' is not safe"),
        ("http://192.168.0.1/", "'http' is not safe"),
        ("ftp://localhost/", "'ftp' is not safe"),
        ("javascript://example.org/%0aalert(1)", "'javascript' is not safe"),
        ("//example.org/", "'' is not safe"),
        ("example.org", "no host"),
        ("https:///path", "no host"),
        ("file:///etc/passwd", "no host"),
        ("https://example.org/a b", "no address has"),
        ("https://example.org\\@other.example/", "no address has"),
        ("https://ada@example.org/", "names a user"),
        ("https://ada:key@example.org/", "names a user"),
        ("https://example.org/?access_token=1", "carries a secret: 'access_token'"),
        ("https://example.org/?a=1&API-Key=", "carries a secret: 'API-Key'"),
        ("https://example.org/?X-Amz-Signature=1", "carries a secret: 'X-Amz-Signature'"),
        ("https://example.org/?key=1", "carries a secret: 'key'"),
        ("https://example.org/#id_token=1", "carries a secret: 'id_token'"),
        ("https://example.org/#/page?secret=1", "carries a secret: 'secret'"),
        ("https://example.org/?%74oken=1", "carries a secret: 'token'"),
    ],
)
def test_v1_eli_17_an_address_that_is_unsafe_or_carries_a_secret_is_refused(
    url: str, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        check_address(url)


def test_the_value_of_a_secret_is_in_no_message() -> None:
    for url in ("https://ada:hunter2@example.org/", "https://example.org/?password=hunter2"):
        with pytest.raises(ValueError, match="address") as refusal:
            check_address(url)
        assert "hunter2" not in str(refusal.value)
