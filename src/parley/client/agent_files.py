"""Files that name agents: the user's configuration and a copy of the ACP registry.

It knows their shape and not what is done with it. Nothing is read from the network. The registry
was written by others: what it says may be shown only as their text.
"""

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta, Struct

from parley.errors import ConfigError

_CONFIG_LIMIT = 1024 * 1024
_REGISTRY_LIMIT = 16 * 1024 * 1024
_EXAMPLE = 'write for instance `command = "my-agent"`'


class AgentTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[agents.NAME]` of the configuration file."""

    command: Annotated[str, Meta(min_length=1)]
    """A program in the search path, or an absolute path; `~` is the user's home."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    cwd: str | None = None
    title: str = ""


class Package(Struct, frozen=True):
    """A package of npm or of Python that a runner can fetch."""

    package: Annotated[str, Meta(pattern="^[A-Za-z0-9@]")]
    """Nothing that a runner could take for an option."""
    cmd: Annotated[str, Meta(pattern="^[^-]|^$")] = ""
    """The program in it, where it is not the only one."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}


class Binary(Struct, frozen=True):
    """A program for one platform."""

    archive: str
    cmd: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}


class Distribution(Struct, frozen=True):
    """The ways to get an agent."""

    binary: Mapping[str, Binary] = {}
    """By platform, for instance `linux-x86_64`."""
    npx: Package | None = None
    uvx: Package | None = None


class RegistryAgent(Struct, frozen=True):
    """An entry of the registry; what a client does not need is ignored."""

    id: Annotated[str, Meta(pattern="^[a-z][a-z0-9-]*$", max_length=64)]
    name: str
    version: str
    description: str
    distribution: Distribution


def read_agent_tables(file: Path) -> dict[str, AgentTable]:
    """The agents in a configuration file, by name; none if there is no such file.

    Raises:
        ConfigError: the file or one of its agents cannot be used.
    """
    try:
        document = tomllib.loads(_text(file, _CONFIG_LIMIT))
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            str(file), "the file", f"is not TOML: {error}", "correct that line"
        ) from error
    tables = document.get("agents", {})
    if not isinstance(tables, dict):
        raise ConfigError(str(file), "agents", "is not a table", "write `[agents.NAME]`")
    return {
        name: _table(str(file), name, table)
        for name, table in cast("dict[str, Any]", tables).items()
    }


def read_registry(file: Path) -> tuple[RegistryAgent, ...]:
    """The agents in a copy of the registry, or in the file of one agent.

    Raises:
        ConfigError: the file cannot be used.
    """
    try:
        document: Any = json.loads(_text(file, _REGISTRY_LIMIT))
    except FileNotFoundError:
        hint = "name a copy of the registry's registry.json"
        raise ConfigError(str(file), "the file", "does not exist", hint) from None
    except (ValueError, RecursionError):
        raise ConfigError(str(file), "the file", "is not JSON", "fetch it again") from None
    members = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    if "agents" not in members and "id" in members:
        return (_entry(str(file), "the agent", members),)
    entries = members.get("agents")
    if not isinstance(entries, list):
        hint = 'it begins with {"version": ..., "agents": [...]}'
        raise ConfigError(str(file), "agents", "is not a list", hint)
    return tuple(
        _entry(str(file), f"agents[{at}]", entry)
        for at, entry in enumerate(cast("list[Any]", entries))
    )


def _text(file: Path, limit: int) -> str:
    """What is in a file that exists.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        if not file.is_file() and file.exists():
            raise ConfigError(str(file), "the file", "is not a regular file", "name a text file")
        with file.open("rb") as opened:
            content = opened.read(limit + 1)
        if len(content) > limit:
            hint = f"no more than {limit // 1024} KiB are read"
            raise ConfigError(str(file), "the file", "is too large", hint)
        return content.decode("utf-8")
    except FileNotFoundError:
        raise
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise ConfigError(str(file), "the file", problem, "check who owns it") from error
    except UnicodeDecodeError as error:
        raise ConfigError(str(file), "the file", "is not UTF-8", "save it as UTF-8") from error


def _table(file: str, name: str, table: Any) -> AgentTable:
    key = f"agents.{name}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", name):
        raise ConfigError(file, key, "has a strange name", "use letters, digits, -")
    if not isinstance(table, dict):
        raise ConfigError(file, key, "is not a table", f"write `[{key}]`")
    for each in cast("dict[str, Any]", table):
        if each not in AgentTable.__struct_fields__:
            raise ConfigError(file, f"{key}.{each}", "is unknown", _suggestion(each))
    if "command" not in table:
        raise ConfigError(file, f"{key}.command", "is missing", _EXAMPLE)
    try:
        return msgspec.convert(table, AgentTable)
    except msgspec.ValidationError as error:
        problem, path = _parts(error)
        hint = _EXAMPLE if path == ".command" else "correct or remove it"
        raise ConfigError(file, f"{key}{path}", f"is wrong: {problem}", hint) from None


def _entry(file: str, key: str, entry: Any) -> RegistryAgent:
    try:
        return msgspec.convert(entry, RegistryAgent)
    except msgspec.ValidationError as error:
        # The library names types and positions, and none of the words in the file.
        problem, path = _parts(error)
        hint = "correct the entry, or fetch the registry again"
        raise ConfigError(file, f"{key}{path}", f"is wrong: {problem}", hint) from None


def _parts(error: msgspec.ValidationError) -> tuple[str, str]:
    problem, _, path = str(error).partition(" - at `")
    return problem, path.removeprefix("$").removesuffix("`")


def _suggestion(name: str) -> str:
    known = AgentTable.__struct_fields__
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean `{close[0]}`?" if close else f"the keys here are: {', '.join(known)}"
