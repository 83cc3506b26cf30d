"""What must not be asked for in a form or carried in an address: secrets, told by their names.

It knows JSON schemas and addresses, and nothing of sessions. A name says little about a value, so
this catches mistakes; it is no proof that no secret is there.
"""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from parley.schema.reading import is_object

_SECRET = re.compile(
    r"password|passwd|passphrase|passcode|secret(?!ar)|credential"
    r"|apikey|accesskey|privatekey|token(?!i[sz])"
)
# An address with a signature opens a door by itself, like one with a token.
_SECRET_IN_ADDRESS = re.compile(rf"{_SECRET.pattern}|signature|^(?:key|sig|jwt|auth)$")
_NUMBERS = ("integer", "number")


def check_form(schema: dict[str, Any]) -> None:
    """V1-ELI-06: a form asks for no secrets.

    Raises:
        ValueError: the name or the title of a property is that of a secret.
    """
    properties: Any = schema.get("properties")
    for name, details in properties.items() if is_object(properties) else ():
        if _is_secret(name, details if is_object(details) else {}):
            raise ValueError(
                f"the form asks for a secret: {name!r}\n"
                "hint: `turn.visit(message, url)` sends the person to a page that may ask for it"
            )


def check_address(url: str) -> None:
    """V1-ELI-17: an address carries no credentials, and leads to https or to this machine.

    Raises:
        ValueError: it does not. The message leaves the address out, for what may be in it.
    """
    parts = urlsplit(url)
    if re.search(r"[\s\\]", url) or not parts.hostname:
        raise ValueError("the address has no host, or has characters that no address has")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(parts.hostname)):
        raise ValueError(
            f"an address of {parts.scheme!r} is not safe\n"
            "hint: it starts with `https://`; `http://` is for this machine only"
        )
    if "@" in parts.netloc:
        raise ValueError("the address names a user\nhint: leave out what stands before the `@`")
    for name in _parameters(parts):
        if _SECRET_IN_ADDRESS.search(_plain(name)):
            raise ValueError(
                f"the address carries a secret: {name!r}\n"
                "hint: the page asks for it, or the agent sends it there by itself"
            )


def _is_secret(name: str, details: dict[str, Any]) -> bool:
    kind = details.get("type")
    if kind == "boolean":
        return False  # Whether a password is kept is no secret.
    words = (name, details.get("title"), details.get("format"))
    found = {
        hit for word in words if isinstance(word, str) for hit in _SECRET.findall(_plain(word))
    }
    # A number of tokens is a size; no other secret turns harmless by being a number.
    return bool(found - {"token"} if kind in _NUMBERS else found)


def _plain(name: str) -> str:
    """The letters and digits of a name, without case and whatever separates them."""
    return "".join(filter(str.isalnum, name)).casefold()


def _parameters(parts: SplitResult) -> Iterator[str]:
    """The names in the query, and in the fragment, where some logins put what they give."""
    for text in (parts.query, parts.fragment.rpartition("?")[2]):
        yield from (name for name, _ in parse_qsl(text, keep_blank_values=True))


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
