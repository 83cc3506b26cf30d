"""The user's configuration file, read leniently.

What is wrong in it is a list of problems, never a failure: an agent that an editor started must
answer, and say what is wrong, rather than be gone. It knows the shape of the file and not what the
values are for.
"""

import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from parley.coder.vendors import ApiType
from parley.errors import ConfigError

LogLevel = Literal["debug", "info", "warning", "error"]
UNKNOWN = "is unknown"
"""The problem of a key that means nothing."""
HOOK_EVENTS = ("before_tool", "after_tool")
_SIZE_LIMIT = 1024 * 1024


class AgentTable(Struct, frozen=True):
    """`[agent]`. A value that is missing, or wrong, is `None`."""

    provider: str | None = None
    model: str | None = None
    mode: Literal["ask", "auto-edit", "plan", "full-access"] | None = None
    thought_level: Literal["off", "low", "medium", "high"] | None = None
    prompt_size: Literal["full", "small"] | None = None
    budget: Annotated[float, Meta(gt=0)] | None = None
    max_requests: Annotated[int, Meta(ge=1)] | None = None
    retry_seconds: Annotated[float, Meta(ge=0)] | None = None
    """How long a model that fails for the moment is asked again."""
    local_servers: bool | None = None
    log_level: LogLevel | None = None
    environment: tuple[str, ...] | None = None
    """Variables that commands get beside the harmless ones."""
    sandbox: Literal["auto", "off", "require"] | None = None
    network: bool | None = None
    """Whether confined commands may use the network."""
    writable: tuple[str, ...] | None = None
    """Folders in which confined commands may write beside the workspace."""
    readable: tuple[str, ...] | None = None
    """Places of keys that confined commands may read nevertheless."""
    subagents: Annotated[int, Meta(ge=1, le=64)] | None = None
    """How many run at the same time."""
    subagent_requests: Annotated[int, Meta(ge=1)] | None = None
    subagent_tokens: Annotated[int, Meta(ge=1)] | None = None
    skill_folders: tuple[str, ...] | None = None
    """Where the user keeps skills, beside the folder next to the configuration."""


class ProviderTable(Struct, frozen=True):
    """`[providers.NAME]`."""

    type: ApiType | None = None
    base_url: str | None = None
    key_env: str | None = None
    key: str | None = None
    keyring: bool | None = None
    models: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"ProviderTable(type={self.type!r}, base_url={self.base_url!r})"


class McpTable(Struct, frozen=True):
    """`[mcp.NAME]`: a program or an address."""

    command: str | None = None
    args: tuple[str, ...] | None = None
    env: dict[str, str] | None = None
    url: str | None = None
    headers: dict[str, str] | None = None

    @property
    def may_hold_keys(self) -> bool:
        return bool(self.env or self.headers)

    def __repr__(self) -> str:
        return f"McpTable(command={self.command!r}, url={self.url!r})"


class HookTable(Struct, frozen=True):
    """`[[hooks.before_tool]]` and `[[hooks.after_tool]]`."""

    command: str | tuple[str, ...] | None = None
    """Words, or a line for the shell."""
    tools: str | tuple[str, ...] | None = None
    timeout: Annotated[float, Meta(gt=0, le=600)] | None = None
    """Seconds."""


class ConfigFile(Struct, frozen=True):
    """What a file says, as far as it can be used."""

    path: str = ""
    agent: AgentTable = AgentTable()
    providers: Mapping[str, ProviderTable] = {}
    rules: tuple[str, ...] = ()
    mcp: Mapping[str, McpTable] = {}
    hooks: Mapping[str, tuple[HookTable, ...]] = {}
    problems: tuple[ConfigError, ...] = ()
    exposed: bool = False
    """Whether others on this machine could read the keys that are in it."""


def read_config_file(path: Path) -> ConfigFile:
    """Read the file; without one everything is as if it were empty."""
    shown = str(path)
    try:
        about = path.stat()
    except FileNotFoundError:
        return ConfigFile(shown)
    except OSError as error:
        return _unreadable(shown, error)
    # Most users have no file, and a start should not pay for the reader of one.
    import tomllib  # noqa: PLC0415

    try:
        if not stat.S_ISREG(about.st_mode):
            return _unusable(shown, "is not a regular file", "make it a text file")
        if about.st_size > _SIZE_LIMIT:
            return _unusable(shown, "is too large", "a configuration has a few lines")
        document = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        return _unreadable(shown, error)
    except UnicodeDecodeError:
        return _unusable(shown, "is not UTF-8", "save it as UTF-8")
    except tomllib.TOMLDecodeError as error:
        return _unusable(shown, f"is not TOML: {error}", "correct that line")
    read = _Reading(shown).read(document)
    keys = any(table.key is not None for table in read.providers.values())
    keys = keys or any(table.may_hold_keys for table in read.mcp.values())
    exposed = keys and bool(stat.S_IMODE(about.st_mode) & 0o077)
    return msgspec.structs.replace(read, exposed=exposed)


def checked(
    file: str, key: str, value: Any, table: type[Struct], field: str, *, text: bool = False
) -> Any:
    """A value as the type of a field; `text` says that it comes as a word and may be a number.

    Raises:
        ConfigError: it cannot be one.
    """
    wanted = get_type_hints(table, include_extras=True)[field]
    try:
        # Not strict: a word from the environment may stand for a number.
        return msgspec.convert(value, wanted, strict=not text)
    except msgspec.ValidationError as error:
        # The library's text names types and bounds, never the value, which may be a key.
        problem = re.sub(r" - at `.*", "", str(error)).replace("Object contains", "contains")
        choices = _choices(wanted)
        hint = f"use one of: {', '.join(choices)}" if choices else "correct or remove it"
        said = "is none of its values" if choices else f"has a wrong value: {problem}"
        raise ConfigError(file, key, said, hint) from None


def _unreadable(path: str, error: OSError) -> ConfigFile:
    why = error.strerror or str(error)
    return _unusable(path, f"cannot be read: {why}", "check who owns it, and its mode")


def _unusable(path: str, problem: str, hint: str) -> ConfigFile:
    return ConfigFile(path, problems=(ConfigError(path, "the file", problem, hint),))


class _Reading:
    """Goes through a document and keeps what is right."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._problems: list[ConfigError] = []

    def read(self, document: Mapping[str, Any]) -> ConfigFile:
        # `[agents.NAME]` is for the clients, which read it themselves.
        known = ("agent", "agents", "hooks", "mcp", "providers", "rules")
        self._refuse_unknown("", document, known)
        agent = self._table("agent", document.get("agent", {}), AgentTable)
        providers = self._tables("providers", document, ProviderTable)
        mcp = self._tables("mcp", document, McpTable)
        rules = self._rules(document.get("rules", []))
        hooks = self._hooks(self._mapping("hooks", document.get("hooks", {})))
        return ConfigFile(self._file, agent, providers, rules, mcp, hooks, tuple(self._problems))

    def _tables(self, key: str, document: Mapping[str, Any], kind: type[Any]) -> dict[str, Any]:
        """Tables with names that the user chose."""
        found: dict[str, Any] = {}
        for name, table in self._mapping(key, document.get(key, {})).items():
            if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
                found[name] = self._table(f"{key}.{name}", table, kind)
            else:
                self._problem(f"{key}.{name}", "has a strange name", "use letters, digits, -")
        return found

    def _mapping(self, key: str, value: Any) -> Mapping[str, Any]:
        if isinstance(value, dict):
            return cast("dict[str, Any]", value)
        self._problem(key, "is not a table", f"write `[{key}]`")
        return {}

    def _table(self, key: str, value: Any, kind: type[Any]) -> Any:
        table = self._mapping(key, value)
        self._refuse_unknown(f"{key}.", table, kind.__struct_fields__)
        good: dict[str, Any] = {}
        for name in kind.__struct_fields__:
            if name in table:
                try:
                    good[name] = checked(self._file, f"{key}.{name}", table[name], kind, name)
                except ConfigError as error:
                    self._problems.append(error)
        return kind(**good)

    def _hooks(self, given: Mapping[str, Any]) -> dict[str, tuple[HookTable, ...]]:
        self._refuse_unknown("hooks.", given, HOOK_EVENTS)
        found: dict[str, tuple[HookTable, ...]] = {}
        for event in (each for each in HOOK_EVENTS if each in given):
            tables = given[event]
            if not isinstance(tables, list):
                self._problem(f"hooks.{event}", "is not a list", f"write `[[hooks.{event}]]`")
                continue
            found[event] = tuple(
                self._table(f"hooks.{event}[{at}]", table, HookTable)
                for at, table in enumerate(cast("list[Any]", tables))
            )
        return found

    def _rules(self, value: Any) -> tuple[str, ...]:
        try:
            return msgspec.convert(value, tuple[str, ...])
        except msgspec.ValidationError:
            self._problem("rules", "is not a list of texts", 'write `rules = ["allow bash:make"]`')
            return ()

    def _refuse_unknown(self, before: str, given: Iterable[str], known: Iterable[str]) -> None:
        allowed = tuple(known)
        for name in given:
            if name not in allowed:
                self._problem(f"{before}{name}", UNKNOWN, _suggestion(name, allowed))

    def _problem(self, key: str, problem: str, hint: str) -> None:
        self._problems.append(ConfigError(self._file, key, problem, hint))


def _suggestion(name: str, known: tuple[str, ...]) -> str:
    # Needed for mistakes only.
    import difflib  # noqa: PLC0415

    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean `{close[0]}`?" if close else f"the keys here are: {', '.join(known)}"


def _choices(wanted: Any) -> tuple[str, ...]:
    """The words a type allows, if it allows words only."""
    parts = get_args(wanted)
    literal = next((part for part in (wanted, *parts) if get_origin(part) is Literal), None)
    return get_args(literal)
