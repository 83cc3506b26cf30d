"""Servers that a project names in its `.mcp.json`: used once the user trusts exactly that content.

What is agreed to is the command with its arguments and variables, or the address with its headers,
and the content of those files of the project that they name. Nothing in the file is expanded: no
variables, no `~`. A path of a file in the project is made absolute, since servers run elsewhere.
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from parley.coder.mcp.named_files import Budget, Named, Uncheckable, is_named_file, named_in
from parley.coder.tools.title import one_line
from parley.coder.trust.content import Content, digest_of
from parley.coder.trust.project import Brought
from parley.coder.workspace.outside import environment_outside, program_outside
from parley.session.role import HttpServer, McpServer, StdioServer

FILE = ".mcp.json"
KIND = "MCP server"
MOST_SERVERS = 32
_LARGEST = 64 * 1024


class _Table(Struct, frozen=True):
    """A server as the file describes it. Other members mean nothing here."""

    type: str | None = None
    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str | None = None
    headers: dict[str, str] = {}


class _Usable(Struct, frozen=True):
    written: McpServer
    """What is agreed to."""
    runnable: McpServer
    """The same, with the path of its program."""


Start = Callable[[Sequence[McpServer], Callable[[McpServer], bool]], None]
"""Begins to use servers; the function tells at the last moment whether one still may be used."""


class ProjectServers:
    """The servers of one project."""

    def __init__(self, roots: Sequence[str], start: Start, path: str | None = None) -> None:
        self._roots = tuple(roots)
        self._start = start
        self._path = os.environ.get("PATH", os.defpath) if path is None else path
        self._found: dict[Content, _Usable] = {}
        self._started: dict[str, str] = {}
        # The digests of what was started, by the place of it.

    def found(self) -> Brought:
        """Read the file, and what its servers name."""
        root = self._roots[0]
        try:
            tables = _tables(os.path.join(root, FILE))
        except ValueError as error:
            why = one_line(str(error), 200)
            problem = f"This project has a `{FILE}` that cannot be read, so it is not used: {why}."
            return Brought((), (problem,))
        found: dict[Content, _Usable] = {}
        problems: list[str] = []
        budget = Budget()
        for name in list(tables)[:MOST_SERVERS]:
            try:
                server = _server(name, tables[name], root)
                content = _content(server, root, budget)
                found[content] = _Usable(server, self._outside(server))
            except (ValueError, Uncheckable) as error:
                shown = one_line(name, 40)
                why = one_line(str(error), 200)
                problems.append(f"The MCP server `{shown}` of `{FILE}` cannot be used: {why}.")
        if len(tables) > MOST_SERVERS:
            problems.append(f"Only {MOST_SERVERS} MCP servers of `{FILE}` can be used.")
        self._found = found
        return Brought(tuple(found), tuple(problems))

    def adopt(self, contents: Sequence[Content]) -> Sequence[Content]:
        """Start those that were not started before in this session, in whatever form."""
        found = self._found  # Another look, that nobody waits for, may replace it.
        new = {
            each: found[each]
            for each in contents
            if each in found and each.place not in self._started
        }
        self._started |= {each.place: each.digest for each in new}
        if new:
            self._begin(new)
        return [each for each in contents if self._started.get(each.place) == each.digest]

    def _begin(self, new: Mapping[Content, _Usable]) -> None:
        agreed = {each.name: (each, usable.written) for each, usable in new.items()}

        def still(server: McpServer) -> bool:
            content, written = agreed[server.name]
            try:
                unchanged = _content(written, self._roots[0], Budget()) == content
            except Uncheckable:
                unchanged = False
            if not unchanged:
                # It never ran, so this session can use it in another form.
                self._started.pop(content.place, None)
            return unchanged

        self._start([usable.runnable for usable in new.values()], still)

    def _outside(self, server: McpServer) -> McpServer:
        """With programs that cannot be those of the workspace by their mere names.

        Raises:
            ValueError: there is none.
        """
        if not isinstance(server, StdioServer):
            return server
        search = environment_outside(self._roots, {"PATH": self._path})
        program: str | None = server.command
        if os.sep not in server.command:
            program = program_outside(self._roots, server.command, search["PATH"].split(os.pathsep))
        if program is None:
            raise ValueError(f"`{server.command}` is not installed outside of this project")
        # Many programs are scripts, and look for others by name.
        return replace(server, command=program, env={**search, **server.env})


def _tables(path: str) -> Mapping[str, Any]:
    """The servers of a file by their names.

    Raises:
        ValueError: it is not understood; the text says why.
    """
    try:
        # A pipe must not make anybody wait, and a link could lead anywhere.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return {}
    except OSError as error:
        linked = error.errno == errno.ELOOP
        raise ValueError("it is a link" if linked else f"{error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise ValueError("it is not a file")
        text = os.read(fd, _LARGEST + 1).removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise ValueError(f"{error.strerror}") from None
    finally:
        os.close(fd)
    if len(text) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST} bytes")
    try:
        document = msgspec.json.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(_misspelt(text, str(error))) from None
    servers = cast("dict[str, Any]", document).get("mcpServers") if _is_table(document) else None
    return cast("dict[str, Any]", servers) if _is_table(servers) else {}


def _misspelt(text: bytes, problem: str) -> str:
    """What is wrong with JSON, and in which line."""
    found = re.search(r"\(byte (\d+)\)", problem)
    if found is None:
        return f"it is no JSON: {problem}"
    line = text[: int(found[1])].count(b"\n") + 1
    return f"it is no JSON: line {line}: {problem[: found.start()].rstrip()}"


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _server(name: str, table: Any, root: str) -> McpServer:
    """What would be started.

    Raises:
        ValueError: it makes no sense; the text says why.
    """
    given = msgspec.convert(table, _Table)
    if (given.command is None) == (given.url is None):
        raise ValueError("it needs either `command` or `url`")
    if given.url is not None:
        parts = urlsplit(given.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("its `url` is no address")
        return HttpServer(name, given.url, tuple(given.headers.items()), sse=given.type == "sse")
    command = given.command or ""
    if any("\0" in text for text in (command, *given.args, *given.env, *given.env.values())):
        raise ValueError("it has a character that no command can have")
    if not command or any(not name or "=" in name for name in given.env):
        raise ValueError("its `command`, or a name in `env`, is empty or impossible")
    if os.sep in command:
        command = _absolute(command, root)
    # A word without either is more often the name of something else than that of a file.
    args = (_absolute(each, root) if "/" in each or "." in each else each for each in given.args)
    return StdioServer(name, command, tuple(args), dict(given.env))


def _absolute(word: str, root: str) -> str:
    if is_named_file(root, word):
        return os.path.normpath(os.path.join(root, word))
    return word


def _content(server: McpServer, root: str, budget: Budget) -> Content:
    """What the user would agree to.

    Raises:
        Uncheckable: nobody could tell whether it changes.
    """
    named = Named()
    if isinstance(server, StdioServer):
        texts = (server.command, *server.args, *server.env.values())
        named = named_in(root, texts, budget)
        parts = (server.command, _json(server.args), _json(sorted(server.env.items())))
        lines = _program_lines(server, named, root)
    else:
        assert isinstance(server, HttpServer), "a file cannot describe another kind"
        parts = (server.url, _json(server.headers), str(server.sse))
        lines = _address_lines(server)
    files = (
        part for each in named.files for part in (each.path, each.leads, each.digest or "outside")
    )
    digest = digest_of("1", type(server).__name__, *parts, str(len(named.files)), *files)
    return Content(KIND, server.name, root, FILE, digest, "\n".join(lines))


def _program_lines(server: StdioServer, named: Named, root: str) -> list[str]:
    lines = [
        "In every session in this folder, run the program",
        _json((server.command, *server.args)),
    ]
    if server.env:
        lines += ["with the variables", _json(server.env)]
    lines.append("It runs with your rights, in your home folder, and no sandbox confines it.")
    for file in named.files:
        inside = file.size is not None
        lines.append(
            f"It names {_json(file.path)}, {file.size} bytes; a change of it asks again."
            if inside
            else f"It names {_json(file.path)}, which leads to {_json(file.leads)}."
        )
    lines += [
        f"It names the folder {_json(folder)}: what changes in there does not ask again."
        for folder in named.folders
    ]
    if "${" in _json((server.command, server.args, server.env)):
        lines.append("Variables in it, like ${NAME}, are not replaced by anything.")
    return lines


def _address_lines(server: HttpServer) -> list[str]:
    lines = ["In every session in this folder, use the server at", _json(server.url)]
    if server.headers:
        lines += ["with the headers", _json(dict(server.headers))]
    return lines


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
