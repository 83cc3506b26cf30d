"""Which addresses of the web may be fetched."""

import asyncio
from collections.abc import Sequence

import pytest

from parley.coder.errors import ToolError
from parley.coder.tools.web_address import (
    Target,
    checked,
    forbidden,
    redirected,
    same_site,
    target_of,
)
from tests.coder.tools.forbidden_addresses import FORBIDDEN

PUBLIC = "93.184.215.14"


async def _public(host: str, port: int) -> Sequence[str]:
    return (PUBLIC,)


def _nothing(address: str, port: int) -> bool:
    return False


def _addresses(url: str, *found: str) -> tuple[str, ...]:
    """The addresses that a URL may be fetched from, when its name has these."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        return found

    return asyncio.run(checked(target_of(url), resolve, _nothing))


def test_there_are_enough_spellings() -> None:
    assert len(set(FORBIDDEN)) > 120


@pytest.mark.parametrize("url", FORBIDDEN)
def test_no_spelling_leads_inside(url: str) -> None:
    # The resolver would say yes to every name: the spelling alone is refused.
    with pytest.raises(ToolError, match=r"cannot fetch|longer than"):
        asyncio.run(checked(target_of(url), _public, _nothing))


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://example.org", Target("http", "example.org", 80, "/")),
        ("HTTPS://Example.ORG./a?b=c#d", Target("https", "example.org", 443, "/a?b=c")),
        ("https://example.org:8443/%20", Target("https", "example.org", 8443, "/%20")),
        ("http://93.184.215.14/", Target("http", PUBLIC, 80, "/")),
        ("http://[2606:2800:21F::1]:8080/", Target("http", "2606:2800:21f::1", 8080, "/")),
        ("https://bücher.example.org/", Target("https", "xn--bcher-kva.example.org", 443, "/")),
        ("https://example.org/ä?q=ü", Target("https", "example.org", 443, "/ä?q=ü")),
        ("http://1.example.org/", Target("http", "1.example.org", 80, "/")),
    ],
)
def test_a_public_address_is_read_in_one_spelling(url: str, target: Target) -> None:
    assert target_of(url) == target
    assert asyncio.run(checked(target, _public, _nothing)) == (
        (target.host,) if target.is_address else (PUBLIC,)
    )


def test_a_name_is_refused_when_one_of_its_addresses_is_not_public() -> None:
    url = "https://example.org/"
    assert _addresses(url, PUBLIC, "1.1.1.1") == (PUBLIC, "1.1.1.1")
    for inside in ("127.0.0.1", "::1", "10.1.2.3", "fe80::1%eth0", "::ffff:10.0.0.1", "nonsense"):
        for found in ([inside], [PUBLIC, inside], [inside, PUBLIC]):
            with pytest.raises(ToolError, match="only public addresses"):
                _addresses(url, *found)
    with pytest.raises(ToolError, match=r"`example\.org` has no address"):
        _addresses(url)


def test_an_allowance_is_asked_with_address_and_port() -> None:
    asked: list[tuple[str, int]] = []

    def allowed(address: str, port: int) -> bool:
        asked.append((address, port))
        return True

    target = target_of("http://127.0.0.1:8123/")
    assert asyncio.run(checked(target, _public, allowed)) == ("127.0.0.1",)
    assert asked == [("127.0.0.1", 8123)]


@pytest.mark.parametrize("address", ["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700::1111"])
def test_public_addresses_are_not_forbidden(address: str) -> None:
    assert forbidden(address) is None


def test_a_target_is_written_for_people_for_servers_and_for_the_connection() -> None:
    target = target_of("https://example.org/a?b")
    assert target.url == "https://example.org/a?b"
    assert target.authority == "example.org"
    assert target.at(PUBLIC) == f"https://{PUBLIC}:443/a?b"
    assert target.at("2606::1") == "https://[2606::1]:443/a?b"
    assert target_of("http://example.org:8080/").authority == "example.org:8080"
    assert target_of("http://[2606::1]/").authority == "[2606::1]"


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/b", "https://example.org/b"),
        ("b?c", "https://example.org/a/b?c"),
        ("//other.org/", "https://other.org/"),
        ("http://other.org", "http://other.org/"),
    ],
)
def test_a_redirect_is_read_from_where_it_was_found(location: str, url: str) -> None:
    assert redirected(target_of("https://example.org/a/"), location).url == url


@pytest.mark.parametrize("location", ["file:///etc/passwd", "//localhost/", "http://0x7f.1/"])
def test_a_redirect_is_judged_like_any_address(location: str) -> None:
    with pytest.raises(ToolError, match="cannot fetch"):
        redirected(target_of("https://example.org/"), location)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://example.org/a", "http://example.org/b", True),
        ("http://example.org/", "https://example.org/", True),
        ("http://example.org/", "https://www.example.org/", True),
        ("https://www.example.org/", "https://example.org/", True),
        ("https://example.org/", "http://example.org/", False),
        ("https://example.org/", "https://evil.org/", False),
        ("https://example.org/", "https://a.example.org/", False),
    ],
)
def test_a_redirect_stays_on_the_site_that_was_allowed(one: str, other: str, same: bool) -> None:
    assert same_site(target_of(one), target_of(other)) is same
