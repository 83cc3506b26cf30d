"""Which addresses of the web may be fetched. Pure: names are looked up by whoever is passed in.

A model can be talked into fetching anything, so nothing inside a network may be reachable: only
addresses that are public beyond doubt. A name is judged by every address it has, never by its
spelling, and an address in an unusual spelling is refused, since programs read those differently.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urljoin, urlsplit

from msgspec import Struct

from parley.coder.errors import ToolError
from parley.coder.tools.title import one_line

LONGEST_URL = 8_000

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Looks a name up: host and port to all its addresses, as text."""
Allowance = Callable[[str, int], bool]
"""Whether an address and port may be reached although they are not public."""

_PORTS = {"http": 80, "https": 443}
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# A last label that starts with a digit makes an address of the whole, in one of many spellings.
_NUMERIC = re.compile(r"[0-9]")
_IPV4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
# Names that are never public, whatever a resolver says.
_PRIVATE_NAMES = (
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "onion",
    "test",
    "invalid",
    "example",
)
_FORBIDDEN_IPV4 = tuple(
    (ip_network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "this machine"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "a carrier's network"),
        ("127.0.0.0/8", "this machine"),
        ("168.63.129.16/32", "a metadata service"),
        ("169.254.0.0/16", "a link-local or metadata address"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "a reserved network"),
        ("192.0.2.0/24", "a documentation network"),
        ("192.31.196.0/24", "a reserved network"),
        ("192.52.193.0/24", "a reserved network"),
        ("192.88.99.0/24", "a tunnel"),
        ("192.168.0.0/16", "a private network"),
        ("192.175.48.0/24", "a reserved network"),
        ("198.18.0.0/15", "a test network"),
        ("198.51.100.0/24", "a documentation network"),
        ("203.0.113.0/24", "a documentation network"),
        ("224.0.0.0/4", "a multicast address"),
        ("240.0.0.0/4", "a reserved network"),
    )
)
_PUBLIC_IPV6 = ip_network("2000::/3")
_FORBIDDEN_IPV6 = tuple(
    (ip_network(network), kind)
    for network, kind in (
        ("2001::/23", "a tunnel or a reserved network"),
        ("2001:db8::/32", "a documentation network"),
        ("2002::/16", "a tunnel"),
        ("2620:4f:8000::/48", "a reserved network"),
        ("3fff::/20", "a documentation network"),
    )
)
# The middle of an address that carries an IPv4 address at its end (ISATAP).
_CARRIES_IPV4 = (0x00005EFE, 0x02005EFE)


class Target(Struct, frozen=True):
    """An address to fetch, in one spelling only."""

    scheme: str
    host: str
    """A name in ASCII, or an address; IPv6 without its brackets."""
    port: int
    path: str
    """With the query, without the fragment."""

    @property
    def is_address(self) -> bool:
        """Whether nothing has to be looked up."""
        return _is_address(self.host)

    @property
    def authority(self) -> str:
        """The host, and the port where it is not the usual one: what `Host` says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"

    def at(self, address: str) -> str:
        """The same with an address instead of the name."""
        host = f"[{address}]" if ":" in address else address
        return f"{self.scheme}://{host}:{self.port}{self.path}"


def target_of(url: str) -> Target:
    """Read an address as the model, a page or a redirect wrote it.

    Raises:
        ToolError: it is not http or https, or its spelling is in doubt.
    """
    if len(url) > LONGEST_URL:
        raise ToolError(f"the address is longer than {LONGEST_URL} characters")
    # Programs disagree on what these mean in an address, and so might two parts of this one.
    if not url.isprintable() or re.search(r"[\s\\]", url):
        raise _refused(url, "blanks, control characters and backslashes must be escaped")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _refused(url, "it is not a well-formed address") from None
    if parts.scheme not in _PORTS:
        raise _refused(url, "only `http://` and `https://` addresses can be fetched")
    if "@" in parts.netloc:
        raise _refused(url, "it must not hold a user name or a password")
    if port == 0:
        raise _refused(url, "0 is no port")
    host = _host(url, parts)
    return Target(parts.scheme, host, port or _PORTS[parts.scheme], _path(parts))


def redirected(target: Target, location: str) -> Target:
    """Where a redirect leads to.

    Raises:
        ToolError: as for `target_of`.
    """
    return target_of(urljoin(target.url, location))


def same_site(one: Target, other: Target) -> bool:
    """Whether who allowed the one has also allowed the other."""
    if one.scheme == "https" and other.scheme == "http":
        return False
    return one.host.removeprefix("www.") == other.host.removeprefix("www.")


async def checked(target: Target, resolve: Resolver, allowed: Allowance) -> tuple[str, ...]:
    """All addresses of a target, when every single one of them may be reached.

    Raises:
        ToolError: one of them may not, or there is none.
    """
    if target.is_address:
        found: Sequence[str] = (target.host,)
    else:
        found = await resolve(target.host, target.port)
    if not found:
        raise _refused(target.url, f"`{target.host}` has no address")
    for address in found:
        kind = forbidden(address)
        if kind is not None and not allowed(address, target.port):
            raise _refused(
                target.url,
                f"`{target.host}` leads to `{address}`, {kind}; only public addresses can be "
                "fetched. If the person wants it, a command in `bash` can do it",
            )
    return tuple(found)


def forbidden(address: str) -> str | None:
    """What kind of address it is, if it is not a public one; `None` if it is."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return "no address"
    if isinstance(parsed, IPv4Address):
        return next((kind for network, kind in _FORBIDDEN_IPV4 if parsed in network), None)
    return _forbidden_ipv6(parsed)


def _forbidden_ipv6(address: IPv6Address) -> str | None:
    if address.scope_id is not None:
        return "an address of one interface"
    # Loopback, link-local, private, multicast, mapped, compatible and translated addresses all
    # lie outside the only part of the address space that is given out.
    if address not in _PUBLIC_IPV6:
        return "not a public address"
    if (int(address) >> 32) & 0xFFFFFFFF in _CARRIES_IPV4:
        return "a tunnel"
    return next((kind for network, kind in _FORBIDDEN_IPV6 if address in network), None)


def _host(url: str, parts: SplitResult) -> str:
    host = parts.hostname or ""
    if parts.netloc.startswith("["):
        if forbidden(host) == "no address" or "%" in host:
            raise _refused(url, "it is not a well-formed address")
        return str(ip_address(host))
    if any(character.isnumeric() and not character.isascii() for character in host):
        raise _refused(url, "write the numbers of its host with the digits 0 to 9")
    # The one place where other alphabets become ASCII; dots of other alphabets become plain.
    try:
        name = host.encode("idna").decode("ascii").lower().removesuffix(".")
    except UnicodeError:
        raise _refused(url, "its host is no name") from None
    if _IPV4.fullmatch(name) and _is_address(name):
        return name
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refused(url, "its host is no name")
    if _NUMERIC.match(labels[-1]):
        raise _refused(url, "write an address as four decimal numbers without leading zeros")
    if any(name == each or name.endswith(f".{each}") for each in _PRIVATE_NAMES):
        raise _refused(url, f"`{name}` is a name of this machine or of its network")
    if len(labels) == 1:
        raise _refused(url, f"`{name}` is a name of its network; write the whole name")
    return name


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _path(parts: SplitResult) -> str:
    path = parts.path or "/"
    return f"{path}?{parts.query}" if parts.query else path


def _refused(url: str, why: str) -> ToolError:
    return ToolError(f"cannot fetch `{one_line(url)}`: {why}")
