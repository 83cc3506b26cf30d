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

PUBLIC = "93.184.215.14"

# Every one of them means this machine, its network, a metadata service, or nothing at all.
FORBIDDEN = (
    # Plain addresses.
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/",
    "http://127.255.255.254/",
    "http://0.0.0.0/",
    "http://0.0.0.0:80/",
    "http://0.1.2.3/",
    "http://10.0.0.1/",
    "http://100.64.0.1/",
    "http://100.100.100.200/latest/meta-data/",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.170.2/v2/credentials",
    "http://168.63.129.16/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.0.0.192/opc/v2/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://192.168.1.1/",
    "http://198.18.0.1/",
    "http://198.51.100.7/",
    "http://203.0.113.9/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    # Other spellings of this machine.
    "http://2130706433/",
    "http://017700000001/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://0177.0.0.01/",
    "http://127.1/",
    "http://127.0.1/",
    "http://0/",
    "http://0x0/",
    "http://127.000.000.001/",
    "http://127.0.0.1./",
    "http://127.0.0.1.:80/",
    "http://0300.0250.0001.0001/",
    "http://3232235777/",
    "http://169.254.43518/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://425.510.425.510/",
    "http://00000000177.0.0.1/",
    "http://127.0.0.1%00.example.org/",
    "http://127.0.0.1%2f/",
    "http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/",
    "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11/",
    "http://127\u30020\u30020\u30021/",
    "http://127\uff0e0\uff0e0\uff0e1/",
    "http://\u0661\u0662\u0667.\u0660.\u0660.\u0661/",
    "http://a\u0661.example.org/",
    # IPv6.
    "http://[::1]/",
    "http://[::]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[64:ff9b:1::a00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:a9fe:a9fe::1]/",
    "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
    "http://[2001:db8::1]/",
    "http://[2001:10::1]/",
    "http://[3fff::1]/",
    "http://[2a00::5efe:127.0.0.1]/",
    "http://[2a00::200:5efe:10.0.0.1]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[100::1]/",
    "http://[5f00::1]/",
    "http://[::1%25lo]/",
    "http://[127.0.0.1]/",
    "http://[v1.x]/",
    "http://[::1/",
    # Names of this machine and of its network.
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://localhost:3000/",
    "http://api.localhost/",
    "http://\u24dbocalhost/",
    "http://localhost.localdomain/",
    "http://printer.local/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://router.lan/",
    "http://nas.home.arpa/",
    "http://metadata/",
    "http://kubernetes/",
    # Names and passwords, and what hides a host behind them.
    "http://example.org@127.0.0.1/",
    "http://user:password@example.org/",
    "http://127.0.0.1@example.org/",
    "http://example.org:80@127.0.0.1/",
    "http://@127.0.0.1/",
    "http://example.org%40127.0.0.1/",
    "http://example.org\\@127.0.0.1/",
    "http://127.0.0.1\\.example.org/",
    "http:\\\\127.0.0.1\\",
    # No web address.
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "ftp://example.org/",
    "gopher://127.0.0.1:6379/_",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "jar:http://127.0.0.1!/",
    "//127.0.0.1/",
    "127.0.0.1",
    "localhost",
    "",
    "http:///etc/passwd",
    "http://",
    "http:127.0.0.1",
    "http:/127.0.0.1/",
    "http://:80/",
    "http://.",
    "http://../",
    "http://a..example.org/",
    "http://-.example.org/",
    "http://exa mple.org/",
    "http://example.org/a b",
    " http://127.0.0.1/",
    "http://127.0.0.1/\n",
    "http://exam\tple.org/",
    "http://example.org/\u202e",
    "http://example.org\x00.127.0.0.1/",
    "http://example.org:0/",
    "http://example.org:99999/",
    "http://example.org:port/",
    "http://example.org:\uff18\uff10/",
    "http://ex*mple.org/",
    "http://" + "a" * 64 + ".org/",
    "http://" + "a." * 130 + "org/",
    "http://example.org/" + "a" * 8_000,
)


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
