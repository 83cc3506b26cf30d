"""The tool that fetches pages, asked for addresses that it must not reach, in every spelling.

    python -m tests.security.web_campaign

Whatever the tool says, an audit hook of the interpreter notes every connection that is begun: none
may go anywhere but to the site of the campaign, which is on this machine.
"""

import asyncio
import gzip
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from parley.coder.errors import ToolError
from parley.coder.tools.tool import Desk
from parley.coder.tools.web_address import Resolver, checked, target_of
from parley.coder.tools.web_fetch import MOST_SECONDS, WebFetch, nowhere
from parley.coder.tools.web_page import MOST_BYTES
from parley.coder.workspace.workspace import Workspace
from tests.coder.tools.forbidden_addresses import FORBIDDEN
from tests.coder.tools.website import Answer, moved, page, serving
from tests.coder.tools.witness import call
from tests.security.campaign import Result, table

PUBLIC = "93.184.215.14"
SECRET = "what only this machine may see"
_DESK = Desk("s", Workspace(("/",)))
_PATIENCE = 5.0
_SLACK = 5.0

# Names that look public, with what a resolver says of them: the first answer, then the next ones.
NAMES: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ("127.0.0.1.nip.io", (("127.0.0.1",),)),
    ("7f000001.nip.io", (("127.0.0.1",),)),
    ("169-254-169-254.sslip.io", (("169.254.169.254",),)),
    ("10.0.0.1.xip.example.org", (("10.0.0.1",),)),
    ("localtest.example.org", (("127.0.0.1",), ("::1",))),
    ("both.example.org", ((PUBLIC, "127.0.0.1"),)),
    ("both-turned.example.org", (("127.0.0.1", PUBLIC),)),
    ("many.example.org", ((*[PUBLIC] * 20, "192.168.0.1"),)),
    ("mapped.example.org", (("::ffff:127.0.0.1",),)),
    ("mapped-hex.example.org", (("::ffff:7f00:1",),)),
    ("compatible.example.org", (("::127.0.0.1",),)),
    ("nat64.example.org", (("64:ff9b::7f00:1",),)),
    ("nat64-local.example.org", (("64:ff9b:1::a00:1",),)),
    ("six-to-four.example.org", (("2002:7f00:1::",),)),
    ("teredo.example.org", (("2001:0:4136:e378:8000:63bf:80ff:fffe",),)),
    ("scoped.example.org", (("fe80::1%lo",),)),
    ("loopback6.example.org", (("::1",),)),
    ("unspecified.example.org", (("0.0.0.0",),)),
    ("unspecified6.example.org", (("::",),)),
    ("unique.example.org", (("fd00::1",),)),
    ("metadata6.example.org", (("fd00:ec2::254",),)),
    ("carrier.example.org", (("100.64.0.1",),)),
    ("broadcast.example.org", (("255.255.255.255",),)),
    ("multicast.example.org", (("224.0.0.1",),)),
    ("nothing.example.org", ((),)),
    ("garbage.example.org", (("not an address",),)),
    ("zeroes.example.org", (("127.000.000.001",),)),
    ("number.example.org", (("2130706433",),)),
)
# What follows the first answer, which is the site: a name that changes its address in between.
REBOUND = ("127.0.0.2", "::1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "192.168.1.1", "fd00::1")


class Connections:
    """Every connection that this process begins while it is watched."""

    def __init__(self) -> None:
        self.made: list[object] = []
        self._watching = False
        # A hook cannot be taken back; it does nothing while nobody watches.
        sys.addaudithook(self._hear)

    @contextmanager
    def watched(self) -> Generator[None]:
        self._watching = True
        try:
            yield
        finally:
            self._watching = False

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._watching and event == "socket.connect":
            self.made.append(arguments[1])


def spellings() -> list[str]:
    """The spellings that are taken for public ones, if every name had a public address."""

    async def passes(url: str) -> bool:
        try:
            await checked(target_of(url), _says(((PUBLIC,),)), nowhere)
        except ToolError:
            return False
        return True

    return [f"{url[:80]!r} is taken" for url in FORBIDDEN if asyncio.run(passes(url))]


async def fetched() -> list[str]:
    """What the whole tool does with the same spellings, where every name is this machine."""
    tool = WebFetch(resolve=_says((("127.0.0.1",),)), seconds=_PATIENCE)
    return [f"{url[:80]!r} was fetched" for url in FORBIDDEN if await _gets(tool, url)]


async def redirected() -> list[str]:
    """Pages that lead to the same spellings; only the site itself may be asked."""
    failures: list[str] = []
    pages: dict[str, Answer] = {}
    async with serving(pages) as site:
        tool = WebFetch(resolve=_says((("127.0.0.1",),)), allowed=site.allows, seconds=_PATIENCE)
        for number, url in enumerate(FORBIDDEN):
            if not url.isprintable() or not url.isascii():
                continue  # No header can hold it.
            pages[f"/{number}"] = moved(url)
            if await _gets(tool, f"http://example.org:{site.port}/{number}"):
                failures.append(f"a redirect to {url[:80]!r} was followed")
    return failures


async def named() -> list[str]:
    """Names that lead inside."""
    failures: list[str] = []
    async with serving({"/": page(SECRET)}) as site:
        tool = WebFetch(resolve=_knows(dict(NAMES)), seconds=_PATIENCE)
        for name, _ in NAMES:
            if await _gets(tool, f"http://{name}:{site.port}/"):
                failures.append(f"{name} was fetched")
        if site.requests:
            failures.append(f"the site was asked {len(site.requests)} times")
    return failures


async def rebound() -> list[str]:
    """Names that change their address once they were judged."""
    names = {f"r{n}.example.org": (("127.0.0.1",), (later,)) for n, later in enumerate(REBOUND)}
    failures: list[str] = []
    async with serving({"/": moved("/inside"), "/inside": page(SECRET)}) as site:
        tool = WebFetch(resolve=_knows(names), allowed=site.allows, seconds=_PATIENCE)
        for name, (_, later) in names.items():
            if await _gets(tool, f"http://{name}:{site.port}/"):
                failures.append(f"a name that became {later} was followed")
        if len(site.requests) != len(REBOUND):
            failures.append(f"the site was asked {len(site.requests)} times")
    return failures


async def bombs() -> list[str]:
    """Pages that grow: at most the limit is kept of each, and it is over soon."""
    whole = gzip.compress(b"a" * 60_000_000)
    sent: dict[str, Answer] = {
        "/bomb": page(whole, Content_Encoding="gzip"),
        "/twice": page(gzip.compress(whole), Content_Encoding="gzip"),
        "/tail": page(gzip.compress(b"a") + b"b" * 8_000_000, Content_Encoding="gzip"),
        "/length": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n" + b"a" * 6_000_000,
        "/endless": _endless(b"a" * 65_536),
        "/chunks": _endless(b"10000\r\n" + b"a" * 65_536 + b"\r\n", b"Transfer-Encoding: chunked"),
        "/headers": _endless(b"X-Header: " + b"a" * 1_000 + b"\r\n", bare=True),
        "/deflate": page(b"\x78\x9c" + b"\x00" * 1_000, Content_Encoding="deflate"),
    }
    failures: list[str] = []
    async with serving(sent) as site:
        tool = WebFetch(resolve=_says((("127.0.0.1",),)), allowed=site.allows, seconds=_PATIENCE)
        for path in sent:
            begun = time.monotonic()
            try:
                url = f"http://example.org:{site.port}{path}"
                outcome = await call(tool, _DESK, {"url": url, "max_length": 200_000})
                kept = outcome.raw_output["length"]
            except ToolError:
                kept = 0
            if kept > MOST_BYTES or time.monotonic() - begun > _PATIENCE + _SLACK:
                failures.append(f"{path} came to {kept} characters")
    return failures


async def slow() -> list[str]:
    """A page that comes one byte at a time, with the limit that people have."""

    over = asyncio.Event()

    async def trickle(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        while not over.is_set():
            writer.write(b"a")
            await writer.drain()
            with suppress(TimeoutError):
                async with asyncio.timeout(0.2):
                    await over.wait()

    async with serving({"/": trickle}) as site:
        tool = WebFetch(resolve=_says((("127.0.0.1",),)), allowed=site.allows)
        begun = time.monotonic()
        got = await _gets(tool, f"http://example.org:{site.port}/")
        took = time.monotonic() - begun
        over.set()
        await asyncio.sleep(0.1)
    return [f"a slow page took {took:.0f} seconds"] if got or took > MOST_SECONDS + 1 else []


def campaign() -> Iterator[Result]:
    connections = Connections()
    parts: tuple[Callable[[], list[str]], ...] = (
        spellings,
        lambda: asyncio.run(fetched()),
        lambda: asyncio.run(redirected()),
        lambda: asyncio.run(named()),
        lambda: asyncio.run(rebound()),
    )
    with connections.watched():
        failures = [failure for part in parts for failure in part()]
    strangers = {str(each) for each in connections.made if not _is_here(each)}
    failures += [f"connected to {each}" for each in sorted(strangers)]
    tried = len(set(FORBIDDEN)) + len(NAMES) + len(REBOUND)
    how = (
        f"{len(set(FORBIDDEN))} spellings asked for and redirected to, {len(NAMES)} names, "
        f"{len(REBOUND)} rebound; {len(connections.made)} connections, all to the test's own site"
    )
    yield Result("forbidden web addresses", tried, 60, tuple(failures), how)
    grown = (*asyncio.run(bombs()), *asyncio.run(slow()))
    how = f"at most {MOST_BYTES / 1e6:.0f} MB and {MOST_SECONDS:.0f} s each, the slow one for real"
    yield Result("pages that grow or do not come", 9, 9, grown, how)


def _is_here(address: object) -> bool:
    return str(address).startswith("('127.0.0.1', ")


def _knows(names: Mapping[str, tuple[tuple[str, ...], ...]]) -> Resolver:
    """A resolver with a list of answers for each name."""
    known = {name: _says(answers) for name, answers in names.items()}

    async def resolve(host: str, port: int) -> Sequence[str]:
        return await known[host](host, port)

    return resolve


def _says(answers: tuple[tuple[str, ...], ...]) -> Resolver:
    """A resolver with a list of answers, the last of which stays."""
    left = list(answers)

    async def resolve(host: str, port: int) -> Sequence[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve


async def _gets(tool: WebFetch, url: str) -> bool:
    """Whether a page was returned."""
    try:
        await call(tool, _DESK, {"url": url})
    except ToolError:
        return False
    return True


def _endless(piece: bytes, header: bytes = b"X: y", *, bare: bool = False) -> Answer:
    """A server that never stops sending."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

    async def flood(writer: asyncio.StreamWriter) -> None:
        writer.write(head if bare else head + header + b"\r\n\r\n")
        while True:
            writer.write(piece)
            await writer.drain()

    return flood


if __name__ == "__main__":
    rows = list(campaign())
    sys.stdout.write("\n".join(table(rows)) + "\n")
    sys.exit(not all(row.holds for row in rows))
