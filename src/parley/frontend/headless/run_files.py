"""Files that a user writes for runs: prompts, permissions, MCP servers."""

import json
import tomllib
from pathlib import Path
from typing import Any, cast, get_args

from parley.errors import ConfigError
from parley.frontend.headless.rules import Otherwise, Rules, parse_rule
from parley.session.role import HttpServer, McpServer, StdioServer


def prompts_of(text: str, place: str) -> list[str]:
    """Several prompts: one per line, or JSON lines with strings or objects with a `prompt`.

    Raises:
        ConfigError: a line that begins as JSON is none, or there are no prompts.
    """
    found: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            found.append(_prompt(line.strip(), f"{place}:{number}"))
    if not found:
        raise ConfigError(place, "--prompts", "has no prompts", "write one prompt per line")
    return found


def rules_of(path: str) -> Rules:
    """The rules in a file: JSON, or TOML if its name ends so.

    Raises:
        ConfigError: the file cannot be read or is wrong.
    """
    data = _table(path, "--permissions")
    strangers = sorted(set(data) - {"allow", "deny", "otherwise"})
    if strangers:
        raise ConfigError(path, strangers[0], "is not known", "use allow, deny and otherwise")
    otherwise = data.get("otherwise", "ask")
    if otherwise not in get_args(Otherwise):
        raise ConfigError(path, "otherwise", "is not known", "use ask, allow or refuse")
    lists = {name: _strings(path, name, data.get(name, [])) for name in ("allow", "deny")}
    return Rules(
        tuple(parse_rule(text, path) for text in lists["allow"]),
        tuple(parse_rule(text, path) for text in lists["deny"]),
        cast("Otherwise", otherwise),
    )


def servers_of(path: str) -> list[McpServer]:
    """The MCP servers in a file with the usual `mcpServers`.

    Raises:
        ConfigError: the file cannot be read or is wrong.
    """
    data = _table(path, "--mcp")
    servers = data.get("mcpServers", data.get("servers"))
    if not isinstance(servers, dict):
        raise ConfigError(path, "mcpServers", "is missing", "it is an object, by name of server")
    named = cast("dict[str, Any]", servers)
    return [_server(path, name, value) for name, value in named.items()]


def _prompt(line: str, place: str) -> str:
    if not line.startswith(("{", '"')):
        return line
    try:
        value: Any = json.loads(line)
    except ValueError:
        if line.startswith('"'):
            return line
        raise ConfigError(place, "--prompts", "is not JSON", 'write {"prompt": "..."}') from None
    match value:
        case str(prompt) | {"prompt": str(prompt)} if prompt.strip():
            return prompt
        case _:
            raise ConfigError(place, "prompt", "is missing", 'write {"prompt": "..."}')


def _server(path: str, name: str, value: Any) -> McpServer:
    match value:
        case {"command": str(command)}:
            table = cast("dict[str, Any]", value)
            args = _strings(path, f"{name}.args", table.get("args", []))
            return StdioServer(
                name, command, tuple(args), _texts(path, f"{name}.env", table, "env")
            )
        case {"url": str(url)}:
            table = cast("dict[str, Any]", value)
            headers = _texts(path, f"{name}.headers", table, "headers")
            sse = table.get("type", table.get("transport")) == "sse"
            return HttpServer(name, url, tuple(headers.items()), sse)
        case _:
            raise ConfigError(path, f"mcpServers.{name}", "is no server", "give a command or a url")


def _texts(path: str, key: str, table: dict[str, Any], member: str) -> dict[str, str]:
    value = table.get(member, {})
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        if all(isinstance(each, str) for each in named.values()):
            return named
    raise ConfigError(path, key, "is no object of texts", 'write {"NAME": "value"}')


def _strings(path: str, key: str, value: Any) -> list[str]:
    if isinstance(value, list):
        values = cast("list[Any]", value)
        if all(isinstance(each, str) for each in values):
            return values
    raise ConfigError(path, key, "is no list of texts", 'write ["...", "..."]')


def _table(path: str, option: str) -> dict[str, Any]:
    try:
        text = Path(path).read_text()
        data: Any = tomllib.loads(text) if path.endswith(".toml") else json.loads(text)
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
        raise ConfigError(path, option, why, "name a file that exists") from None
    except ValueError as error:
        raise ConfigError(path, option, f"is not readable: {error}", "correct the file") from None
    if not isinstance(data, dict):
        raise ConfigError(path, option, "is no object", "write an object")
    return cast("dict[str, Any]", data)
