"""What the agent is told by its user: file, environment and flags, the later before the earlier.

Every value remembers where it came from, so that a message can name it. Nothing is ever read from
the folder that the agent works in: whoever writes a repository must not choose the model, the
permissions, or the place where keys are sent. `environ` and flags are passed in.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from parley.coder.config_file import (
    UNKNOWN,
    AgentTable,
    ConfigFile,
    ProviderTable,
    checked,
    read_config_file,
)
from parley.coder.config_hooks import hooks_of
from parley.coder.config_mcp import servers_of
from parley.coder.hook import Hooks
from parley.coder.keys import Key, is_plausible
from parley.coder.vendors import BY_NAME, EMBEDDED, VENDORS, ApiType, Vendor
from parley.errors import ConfigError
from parley.session.role import McpServer

ENVIRONMENT = "the environment"
_LISTS = ("environment", "writable", "readable", "skill_folders")


class Folders(Struct, frozen=True):
    """Where things of the user are. Absolute."""

    config: Path
    """The configuration file."""
    data: Path
    """Sessions."""
    state: Path
    """Logs."""


class RuleLine(Struct, frozen=True):
    """A rule of the user as it is written, and where."""

    file: str
    key: str
    text: str


class ProviderConfig(Struct, frozen=True):
    """A provider that can be used: it has a key, or somebody gave its address."""

    name: str
    title: str
    type: ApiType
    base_url: str
    key: Key | None
    models: tuple[str, ...]
    """The preferred one first."""
    key_hint: str
    """The variable that a person would set."""
    source: str


class Config(Struct, frozen=True):
    """Everything together. `problems` says what could not be used; the rest holds without it."""

    folders: Folders
    agent: AgentTable
    sources: Mapping[str, str]
    """By the name of the value; one that is missing here has its default."""
    providers: tuple[ProviderConfig, ...]
    """In the order of preference."""
    rules: tuple[RuleLine, ...] = ()
    script: str | None = None
    mcp_servers: tuple[McpServer, ...] = ()
    hooks: Hooks = Hooks()
    problems: tuple[ConfigError, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def rules_unclear(self) -> bool:
        """Whether there may be rules, or hooks that stop calls, which could not be read."""
        return any(map(_concerns_rules, self.problems))

    def provider(self, name: str) -> ProviderConfig | None:
        return next((each for each in self.providers if each.name == name), None)


def _concerns_rules(error: ConfigError) -> bool:
    """Whether there may be a rule or a hook behind a problem; one in the wrong place counts too."""
    first, _, rest = error.key.replace("[", ".").partition(".")
    if first == "agent":
        first = rest.partition(".")[0]
    misspelled = error.problem == UNKNOWN and not rest
    return misspelled or first in ("the file", "the rules", "rules", "hooks")


def load(environ: Mapping[str, str], flags: Mapping[str, str | None] | None = None) -> Config:
    """Read everything there is. It never fails; flags that are `None` were not given."""
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    folders, problems = _folders(environ, given)
    file = read_config_file(folders.config)
    problems += file.problems
    agent, sources, wrong = _agent(file, environ, given)
    providers, missing, warnings = _providers(file, environ)
    rules, unreadable = _rules(file, folders.config.with_name("rules"))
    servers, unusable = servers_of(file)
    hooks, useless = hooks_of(file)
    if file.exposed:
        warnings += (
            f"{file.path} holds a key and can be read by others on this machine; "
            f"run `chmod 600 {file.path}`",
        )
    return Config(
        folders,
        agent,
        sources,
        providers,
        rules,
        given.get("script") or environ.get("PARLEY_SCRIPT") or None,
        servers,
        hooks,
        (*problems, *wrong, *missing, *unreadable, *unusable, *useless),
        warnings,
    )


def _folders(
    environ: Mapping[str, str], given: Mapping[str, str]
) -> tuple[Folders, tuple[ConfigError, ...]]:
    problems: list[ConfigError] = []

    def named(variable: str) -> Path | None:
        """A folder from the environment. A relative one would lie in somebody's repository."""
        value = environ.get(variable, "")
        if not value:
            return None
        if os.path.isabs(value):
            return Path(value)
        problems.append(
            ConfigError(ENVIRONMENT, variable, "is not an absolute path", "begin it with /")
        )
        return None

    home = named("HOME") or Path(os.path.expanduser("~"))
    config = Path(given["config"]).absolute() if "config" in given else named("PARLEY_CONFIG")
    data = Path(given["data_dir"]).absolute() if "data_dir" in given else named("PARLEY_DATA_DIR")
    # Who names a folder for the data wants everything there.
    state = data / "log" if data else (named("XDG_STATE_HOME") or home / ".local/state") / "parley"
    return (
        Folders(
            config or (named("XDG_CONFIG_HOME") or home / ".config") / "parley/config.toml",
            data or (named("XDG_DATA_HOME") or home / ".local/share") / "parley",
            state,
        ),
        tuple(problems),
    )


def _rules(file: ConfigFile, path: Path) -> tuple[tuple[RuleLine, ...], tuple[ConfigError, ...]]:
    """The rules in the configuration, and those in the file of rules beside it."""
    rules = [RuleLine(file.path, f"rules[{at}]", text) for at, text in enumerate(file.rules)]
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return tuple(rules), ()
    except (OSError, UnicodeDecodeError):
        problem = ConfigError(str(path), "the rules", "cannot be read", "make it a text file")
        return tuple(rules), (problem,)
    rules += [RuleLine(str(path), f"line {at}", text) for at, text in enumerate(lines, 1)]
    return tuple(rules), ()


def _agent(
    file: ConfigFile, environ: Mapping[str, str], given: Mapping[str, str]
) -> tuple[AgentTable, dict[str, str], tuple[ConfigError, ...]]:
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    problems: list[ConfigError] = []
    for name in AgentTable.__struct_fields__:
        if getattr(file.agent, name) is not None:
            values[name], sources[name] = getattr(file.agent, name), file.path
        variable, flag = f"PARLEY_{name.upper()}", f"--{name.replace('_', '-')}"
        words = ((ENVIRONMENT, variable, environ.get(variable)), ("flag", flag, given.get(name)))
        for place, key, word in words:
            if not word:
                continue
            value = word.split(",") if name in _LISTS else word
            try:
                values[name] = checked(place, key, value, AgentTable, name, text=True)
                sources[name] = key
            except ConfigError as error:
                problems.append(error)
    return AgentTable(**values), sources, tuple(problems)


def _providers(
    file: ConfigFile, environ: Mapping[str, str]
) -> tuple[tuple[ProviderConfig, ...], tuple[ConfigError, ...], tuple[str, ...]]:
    """Those of the file first, since they were written down on purpose; then the vendors."""
    found: list[ProviderConfig] = []
    problems: list[ConfigError] = []
    names = [*file.providers, *(each.name for each in VENDORS if each.name not in file.providers)]
    for name in names:
        table = file.providers.get(name, ProviderTable())
        try:
            provider = _provider(name, table, file.path, environ)
        except ConfigError as error:
            problems.append(error)
            continue
        if provider is not None:
            found.append(provider)
    return tuple(found), tuple(problems), tuple(_unsafe(found))


def _provider(
    name: str, table: ProviderTable, path: str, environ: Mapping[str, str]
) -> ProviderConfig | None:
    """A provider, if there is enough to use it."""
    where = f"providers.{name}"
    if name in EMBEDDED:
        raise ConfigError(path, where, "has the name of an embedded provider", "rename it")
    vendor = BY_NAME.get(name)
    url, url_source = _address(table, vendor, path, environ)
    api = table.type or (vendor.type if vendor else None)
    if vendor is None and (url is None or api is None):
        hint = 'write both, for instance type = "openai"'
        raise ConfigError(path, where, "needs `type` and `base_url`", hint)
    key = _key(name, table, vendor, path, environ)
    if api is None or (key is None and url is None):
        return None
    base_url = url or (vendor.base_url if vendor else "")
    if urlsplit(base_url).scheme not in ("http", "https") or not urlsplit(base_url).netloc:
        raise ConfigError(
            url_source, f"{where}.base_url", "is no address", "begin it with https://"
        )
    return ProviderConfig(
        name,
        vendor.title if vendor else name,
        api,
        base_url,
        key,
        table.models or ((vendor.model,) if vendor and url is None else ()),
        table.key_env or (vendor.key_variables[0] if vendor else ""),
        key.source if key else url_source,
    )


def _address(
    table: ProviderTable, vendor: Vendor | None, path: str, environ: Mapping[str, str]
) -> tuple[str | None, str]:
    variable = vendor.url_variable if vendor else None
    if variable and environ.get(variable):
        return environ[variable], variable
    return table.base_url, path


def _key(
    name: str,
    table: ProviderTable,
    vendor: Vendor | None,
    path: str,
    environ: Mapping[str, str],
) -> Key | None:
    variables = (table.key_env,) if table.key_env else (vendor.key_variables if vendor else ())
    for variable in variables:
        if value := environ.get(variable, "").strip():
            return Key(variable, _plausible(value, ENVIRONMENT, variable))
    if table.key is not None:
        return Key(path, _plausible(table.key.strip(), path, f"providers.{name}.key"))
    if table.keyring:
        return Key("the keyring", in_keyring=True)
    if table.key_env:
        hint = f"set {table.key_env} in the environment, or remove the line"
        raise ConfigError(
            path, f"providers.{name}.key_env", "names a variable that is not set", hint
        )
    return None


def _plausible(key: str, file: str, name: str) -> str:
    if is_plausible(key):
        return key
    raise ConfigError(file, name, "is no key: it has blanks or strange characters", "copy it anew")


def _unsafe(providers: list[ProviderConfig]) -> Iterator[str]:
    for provider in providers:
        parts = urlsplit(provider.base_url)
        if provider.key and parts.scheme == "http" and not _is_here(parts.hostname or ""):
            yield (
                f"the key of {provider.name} travels unencrypted to {parts.hostname}; "
                "use an https:// address"
            )


def _is_here(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
