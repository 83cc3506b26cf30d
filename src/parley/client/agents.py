"""The agents that can be started here: our own, the user's, those we know, those of a registry.

Programs are looked for in the search path and never in the folder one works in; nothing is read
from that folder either. Nothing is started or fetched here.
"""

import difflib
import os
import platform
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from parley.client.agent_files import (
    AgentTable,
    Distribution,
    Package,
    RegistryAgent,
    read_agent_tables,
    read_registry,
)
from parley.client.known_agents import KNOWN, KnownAgent
from parley.client.program_search import Search, checkout_of, is_program
from parley.errors import ConfigError

OWN = "parley"
Source = Literal["parley", "known", "config", "registry"]
_PROGRAM = "import sys; from parley.cli.main import main; sys.exit(main())"


class Start(Struct, frozen=True):
    """How to start an agent."""

    command: tuple[str, ...]
    """The program as an absolute path, then its arguments."""
    env: Mapping[str, str] = {}
    """What is added to the environment."""
    cwd: str | None = None
    """`None` is the folder of the session."""


class FoundAgent(Struct, frozen=True):
    """An agent that somebody may name."""

    name: str
    title: str
    source: Source
    origin: str = ""
    """The file that names it, if one does."""
    start: Start | None = None
    """`None` if it is not installed."""
    fetch: Start | None = None
    """Starts it by fetching it first. To be used only if the user wants that."""
    install: str = ""
    """What a person does to have it."""
    refused: str = ""
    """A program that was found and is not used, since it lies in the folder one works in."""
    note: str = ""
    version: str = ""
    about: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def installed(self) -> bool:
        return self.start is not None


def find_agents(
    path: str,
    config: Path | None = None,
    registry: Path | None = None,
    *,
    cwd: str | os.PathLike[str] = ".",
    home: str | os.PathLike[str] | None = None,
) -> list[FoundAgent]:
    """All agents, our own first, then the user's, then the others; each name stands once.

    `path` is the search path, `config` the user's configuration file, `registry` a copy of the
    ACP registry. What the user wrote wins over the registry, and the registry over what we know.

    Raises:
        ConfigError: one of the files cannot be used.
    """
    own_home = os.path.realpath(os.path.expanduser("~") if home is None else home)
    finder = _Finder(Search(path, checkout_of(cwd, own_home)), own_home)
    tables = read_agent_tables(config) if config else {}
    entries = read_registry(registry) if registry else ()
    found = [own_agent()]
    found += [finder.configured(name, table, str(config)) for name, table in tables.items()]
    listed = {each.id: each for each in entries}
    found += [
        finder.listed(listed[each.registry or each.name], each, str(registry))
        if (each.registry or each.name) in listed
        else finder.known(each)
        for each in KNOWN
    ]
    ours = {each.registry or each.name for each in KNOWN}
    found += [finder.listed(each, None, str(registry)) for each in entries if each.id not in ours]
    first: dict[str, FoundAgent] = {}
    for each in found:
        first.setdefault(each.name, each)
    return list(first.values())


def choose_agent(agents: Iterable[FoundAgent], name: str) -> FoundAgent:
    """The agent with this name, or with this other name.

    Raises:
        ConfigError: there is none.
    """
    by_name: dict[str, FoundAgent] = {}
    for agent in agents:
        by_name[agent.name] = agent
        for alias in agent.aliases:
            by_name.setdefault(alias, agent)
    if name in by_name:
        return by_name[name]
    close = difflib.get_close_matches(name, by_name, 1)
    hint = f"did you mean `{close[0]}`? " if close else ""
    raise ConfigError(
        "the command line", name, "is no agent that is known", f"{hint}`parley agents` lists them"
    )


def own_agent() -> FoundAgent:
    """The coding agent of this package, started with the interpreter that runs now."""
    # Without the flag a module in the folder of the session could take the place of one of ours.
    # A script would have to be found, and its name may be that of another program.
    start = Start((sys.executable, "-P", "-c", _PROGRAM, "acp"))
    about = "the coding agent of this package, `parley acp`"
    return FoundAgent(OWN, "Parley", "parley", start=start, about=about)


class _Finder:
    """Makes agents of what files and tables say."""

    def __init__(self, search: Search, home: str) -> None:
        self._search = search
        self._home = home

    def known(self, agent: KnownAgent) -> FoundAgent:
        start, refused = self._installed(agent.commands)
        program, *args = agent.commands[0]
        packages = Distribution(
            npx=Package(f"{agent.npx}@latest", program, tuple(args)) if agent.npx else None,
            uvx=Package(agent.uvx, program, tuple(args)) if agent.uvx else None,
        )
        return FoundAgent(
            agent.name,
            agent.title,
            "known",
            start=start,
            fetch=self._fetch(packages),
            install=agent.install,
            refused=refused,
            note=agent.note,
            aliases=(agent.registry,) if agent.registry else (),
        )

    def listed(self, agent: RegistryAgent, known: KnownAgent | None, file: str) -> FoundAgent:
        """An agent of the registry. If we know it too, we know its programs better."""
        binary = agent.distribution.binary.get(_platform())
        commands = known.commands if known else ()
        # Another name than its own could be that of any program on this machine.
        if known is None and binary and os.path.basename(binary.cmd) == agent.id:
            commands = ((agent.id, *binary.args),)
        start, refused = self._installed(commands, binary.env if binary else {})
        return FoundAgent(
            known.name if known else agent.id,
            agent.name,
            "registry",
            file,
            start,
            self._fetch(agent.distribution),
            _how_to_install(agent.distribution),
            refused,
            known.note if known else "",
            agent.version,
            agent.description,
            (agent.id,) if known and known.registry else (),
        )

    def configured(self, name: str, table: AgentTable, file: str) -> FoundAgent:
        if name == OWN:
            hint = "rename it; its settings are in `[agent]`"
            raise ConfigError(file, f"agents.{name}", "is the name of our own agent", hint)
        cwd = None if table.cwd is None else self._absolute(table.cwd, file, f"agents.{name}.cwd")
        program, refused = self._program(table.command, file, f"agents.{name}.command")
        start = Start((program, *table.args), table.env, cwd) if program else None
        install = "" if program else f"install `{table.command}`, or correct {file}"
        title = table.title or name
        return FoundAgent(name, title, "config", file, start, install=install, refused=refused)

    def _program(self, command: str, file: str, key: str) -> tuple[str | None, str]:
        """The program that a user named. An absolute path is used wherever it leads."""
        if os.sep in command or command.startswith("~"):
            path = self._absolute(command, file, key)
            return (path if is_program(path) else None), ""
        start, refused = self._installed(((command,),))
        if start is None and not refused and " " in command:
            hint = 'write the arguments in `args`, for instance args = ["--acp"]'
            raise ConfigError(file, key, "has spaces in it", hint)
        return (start.command[0] if start else None), refused

    def _absolute(self, path: str, file: str, key: str) -> str:
        if path == "~" or path.startswith("~/"):
            path = self._home + path[1:]
        if not os.path.isabs(path):
            raise ConfigError(file, key, "is not an absolute path", "begin it with / or ~/")
        return path

    def _installed(
        self, commands: Iterable[tuple[str, ...]], env: Mapping[str, str] | None = None
    ) -> tuple[Start | None, str]:
        """How to start the first command whose program is here, or what is not used."""
        refused = ""
        for program, *args in commands:
            if place := self._search.find(program):
                return Start((place, *args), env or {}), ""
            refused = refused or self._search.find_refused(program) or ""
        return None, refused

    def _fetch(self, ways: Distribution) -> Start | None:
        """How a runner that is here starts it.

        Not in the folder of the session: npx and uvx read settings there, and npx runs what lies
        in its `node_modules` instead of what was named.
        """
        if ways.npx and (runner := self._search.find("npx")):
            what = ways.npx
            named = ("--package", what.package, "--", what.cmd) if what.cmd else (what.package,)
            return Start((runner, "--yes", *named, *what.args), what.env, self._home)
        if ways.uvx and (runner := self._search.find("uvx")):
            what = ways.uvx
            named = ("--from", what.package, what.cmd) if what.cmd else (what.package,)
            return Start((runner, *named, *what.args), what.env, self._home)
        return None


def _how_to_install(ways: Distribution) -> str:
    if ways.npx:
        return f"npm install -g {shlex.quote(ways.npx.package)}"
    if ways.uvx:
        return f"uv tool install {shlex.quote(ways.uvx.package)}"
    binary = ways.binary.get(_platform())
    return f"download {binary.archive}" if binary else f"there is no program for {_platform()}"


def _platform() -> str:
    """This machine, as the registry names it."""
    machine = {"arm64": "aarch64", "amd64": "x86_64"}.get(platform.machine().lower())
    return f"{sys.platform}-{machine or platform.machine().lower()}"
