"""MCP servers of the user's configuration file, `[mcp.NAME]`. Pure."""

from urllib.parse import urlsplit

from parley.coder.config_file import ConfigFile, McpTable
from parley.errors import ConfigError
from parley.session.role import HttpServer, McpServer, StdioServer


def servers_of(file: ConfigFile) -> tuple[tuple[McpServer, ...], tuple[ConfigError, ...]]:
    """The servers that can be used, and what is wrong with the others."""
    servers: list[McpServer] = []
    problems: list[ConfigError] = []
    for name, table in file.mcp.items():
        try:
            servers.append(_server(name, table, file.path))
        except ConfigError as error:
            problems.append(error)
    return tuple(servers), tuple(problems)


def _server(name: str, table: McpTable, path: str) -> McpServer:
    where = f"mcp.{name}"
    if (table.command is None) == (table.url is None):
        hint = "write one of them: a program, or an address"
        raise ConfigError(path, where, "needs either `command` or `url`", hint)
    if table.command is not None:
        if table.headers is not None:
            raise ConfigError(path, f"{where}.headers", "is for servers with a `url`", "remove it")
        return StdioServer(name, table.command, table.args or (), table.env or {})
    if table.args is not None or table.env is not None:
        hint = "remove `args` and `env`"
        raise ConfigError(path, where, "has values that are for servers with a `command`", hint)
    url = table.url or ""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(path, f"{where}.url", "is no address", "begin it with https://")
    return HttpServer(name, url, tuple((table.headers or {}).items()))
