"""Puts the coding agent together: settings from the configuration, providers, tools, rules.

The only place that knows all parts. What is wrong with the configuration becomes a warning that
the user sees in the first session, since nobody reads what an agent writes before it answers.
"""

import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from parley import __version__
from parley.cli.first_answer import logins_for
from parley.cli.tool_environment import tool_environment
from parley.coder.application import Application
from parley.coder.config import Config, ProviderConfig
from parley.coder.config_file import AgentTable
from parley.coder.config_hooks import unknown_tools
from parley.coder.instructions import NAMES, own_instructions
from parley.coder.permission.rule import Rule, parse_rules
from parley.coder.providers.choice import Choice, choose, sees_images
from parley.coder.providers.making import find_local, providers_of
from parley.coder.providers.offline import HOW_TO_CONFIGURE, NO_MODEL
from parley.coder.runtime import Runtime
from parley.coder.sandbox.policy import cache_variables, key_stores
from parley.coder.sandbox.sandbox import Sandbox
from parley.coder.settings import CoderSettings, RetryLimits, SubagentLimits
from parley.coder.skills.tool import NAME as SKILL
from parley.coder.store.store import Store
from parley.coder.tools.agent import Agent
from parley.coder.tools.bash import Bash
from parley.coder.tools.edit_file import EditFile
from parley.coder.tools.glob import Glob
from parley.coder.tools.grep import Grep
from parley.coder.tools.job import BashOutput, StopJob
from parley.coder.tools.list_files import ListFiles
from parley.coder.tools.read_file import ReadFile
from parley.coder.tools.recall import Recall
from parley.coder.tools.todo import Todo
from parley.coder.tools.tool import Tool
from parley.coder.tools.web_fetch import WebFetch
from parley.coder.tools.write_file import WriteFile
from parley.coder.vendors import LOCAL_SERVERS, OFFLINE, OFFLINE_MODEL, LocalServer
from parley.errors import AuthRequired, ConfigError

SKILL_FOLDERS = ("~/.claude/skills", "~/.agents/skills")
"""Where users keep skills for every agent."""


def tools() -> tuple[Tool, ...]:
    """Every tool, in the order in which models are told of them."""
    return (
        ReadFile(),
        ListFiles(),
        Glob(),
        Grep(),
        EditFile(),
        WriteFile(),
        Bash(),
        BashOutput(),
        StopJob(),
        WebFetch(),
        Todo(),
        Recall(),
        Agent(),
    )


def tool_names() -> tuple[str, ...]:
    """The tools that a session may have, beside those of MCP servers."""
    return (*(tool.spec.name for tool in tools()), SKILL)


class Composition:
    """An agent made of a configuration, which can be read again."""

    def __init__(
        self,
        config: Config,
        choice: Choice,
        load: Callable[[], Config],
        local_servers: tuple[LocalServer, ...] = LOCAL_SERVERS,
    ) -> None:
        self._config = config
        self._choice = choice
        self._load = load
        self._local_servers = local_servers

    def runtime(self) -> Runtime:
        """What all sessions share.

        Raises:
            ConfigError: a script is wanted and cannot be read.
        """
        config, choice = self._config, self._choice
        rules, problems = rules_of(config)
        providers = providers_of(config, choice)

        async def login(method_id: str) -> None:
            await self._look_again(runtime)

        async def discover() -> None:
            await self._find_local(runtime, config)

        runtime = Runtime(
            settings_of(config, choice, problems),
            Store(config.folders.data),
            providers,
            tools(),
            rules,
            logins=logins_for(choice),
            login=login,
            discover=discover if choice.local else None,
            sandbox=sandbox_of(config),
        )
        return runtime

    def application(self, runtime: Runtime) -> Application:
        """The agent of one connection."""
        return _Application(runtime, self.log_out)

    async def log_out(self, runtime: Runtime) -> None:
        """Use no model until somebody looks again. Keys stay where they are."""
        agent = replace(self._config.agent, provider=OFFLINE, model=None)
        config = replace(self._config, agent=agent, providers=())
        choice = Choice(OFFLINE_MODEL, "logged out", configured=False)
        self._adopt(runtime, config, choice)

    async def _look_again(self, runtime: Runtime) -> None:
        """Use what was configured meanwhile.

        Raises:
            AuthRequired: nothing was.
        """
        config = self._load()
        choice = choose(config)
        if choice.configured:
            self._adopt(runtime, config, choice)
        elif not (choice.local and await self._find_local(runtime, config)):
            why = " ".join(choice.notices) or "No model is configured."
            raise AuthRequired(f"Authentication required: {why} {HOW_TO_CONFIGURE}")

    async def _find_local(self, runtime: Runtime, config: Config) -> bool:
        """Look for a model server on this machine; whether one is used now."""
        if config.agent.local_servers is False:
            return False
        found = await find_local(self._local_servers)
        if found:
            self._adopt(runtime, *_with_local(config, found))
        return bool(found)

    def _adopt(self, runtime: Runtime, config: Config, choice: Choice) -> None:
        _, problems = rules_of(config)
        providers = providers_of(config, choice)
        settings = settings_of(config, choice, problems)
        # Those that were advertised stay, so that a client may use them once more.
        runtime.adopt(settings, providers, logins=runtime.logins)


class _Application(Application):
    """The application, with the meaning that logging out has for the whole process."""

    def __init__(
        self, runtime: Runtime, log_out: Callable[[Runtime], Coroutine[Any, Any, None]]
    ) -> None:
        super().__init__(runtime)
        self._shared = runtime
        self._log_out = log_out

    async def logout(self) -> None:
        if not self._shared.logins:
            await super().logout()
        await self._log_out(self._shared)


def settings_of(
    config: Config, choice: Choice, problems: tuple[ConfigError, ...] = ()
) -> CoderSettings:
    """The settings of sessions; what the configuration leaves open has its default."""
    agent, default = config.agent, CoderSettings()
    # Rules that cannot be read might have forbidden something, so nothing goes unasked.
    idle = unknown_tools(config.hooks, tool_names())
    doubtful = (bool(problems or idle) or config.rules_unclear) and agent.mode != "plan"
    wrong = (*config.problems, *problems, *idle)
    warnings = (*map(str, wrong), *config.warnings, *choice.notices)
    return replace(
        default,
        version=__version__,
        default_model=choice.model,
        images=sees_images(config, choice),
        mode="ask" if doubtful else agent.mode or default.mode,
        thought_level=agent.thought_level or default.thought_level,
        prompt_size=agent.prompt_size or default.prompt_size,
        network=agent.network is not False,
        budget=agent.budget,
        max_requests=agent.max_requests or default.max_requests,
        subagents=_subagents(default.subagents, agent),
        retry=_retry(default.retry, agent.retry_seconds),
        hint="" if choice.configured else NO_MODEL,
        warnings=warnings,
        commands_folder=str(config.folders.config.with_name("commands")),
        instructions=own_instructions(config.folders.config.with_name(NAMES[0])),
        mcp_servers=config.mcp_servers,
        environment=_environment(config),
        skill_folders=skill_folders_of(config),
        own_paths=tuple(map(os.path.realpath, own_paths(config))),
        hooks=config.hooks,
    )


def skill_folders_of(config: Config) -> tuple[str, ...]:
    """The folders of the user that hold skills, our own first."""
    named = config.agent.skill_folders
    others = map(_absolute, SKILL_FOLDERS if named is None else named)
    return (str(config.folders.config.with_name("skills")), *filter(os.path.isabs, others))


def sandbox_of(config: Config) -> Sandbox:
    """What confines commands. The agent's own files stay hidden, whatever the user lets through."""
    agent, folders = config.agent, config.folders
    let_through = set(map(_absolute, agent.readable or ()))
    own = (folders.config, folders.config.with_name("rules"), folders.data, folders.state)
    keys = (path for path in key_stores(_absolute("~")) if path not in let_through)
    return Sandbox(
        agent.sandbox or "auto",
        hidden=(*map(str, own), *keys),
        own=own_paths(config),
        private=tuple(map(str, (*_own_folder(config), folders.data, folders.state))),
        writable=tuple(filter(os.path.isabs, map(_absolute, agent.writable or ()))),
        cache=_caches(config),
    )


def own_paths(config: Config) -> tuple[str, ...]:
    """What decides how the agent works, whether it exists or not; nobody writes it unasked."""
    file, folders = config.folders.config, config.folders
    beside = (file.with_name(name) for name in ("rules", "commands", "skills", *NAMES))
    own = (*_own_folder(config), file, *beside, folders.data, folders.state)
    return (*map(str, own), *skill_folders_of(config))


def _own_folder(config: Config) -> tuple[Path, ...]:
    """The folder of the configuration, if nothing else is in it."""
    folder = config.folders.config.parent
    return (folder,) if folder.name == "parley" else ()


def _environment(config: Config) -> dict[str, str]:
    """Of commands. Where the user has moved a cache, it stays there."""
    moved = {} if config.agent.sandbox == "off" else cache_variables(_caches(config))
    return moved | tool_environment(config.agent.environment or ())


def _caches(config: Config) -> str:
    """Beside the sessions, which commands cannot see."""
    data = config.folders.data
    return str(data.with_name(f"{data.name}-caches"))


def _absolute(path: str) -> str:
    return os.path.normpath(os.path.expanduser(path))


def _subagents(default: SubagentLimits, agent: AgentTable) -> SubagentLimits:
    return SubagentLimits(
        agent.subagents or default.at_once,
        agent.subagent_requests or default.requests,
        agent.subagent_tokens or default.tokens,
    )


def _retry(default: RetryLimits, seconds: float | None) -> RetryLimits:
    return default if seconds is None else replace(default, total=seconds)


def rules_of(config: Config) -> tuple[tuple[Rule, ...], tuple[ConfigError, ...]]:
    """The rules of the user. If one cannot be read, only those that forbid something hold."""
    rules: list[Rule] = []
    problems: list[ConfigError] = []
    for line in config.rules:
        try:
            rules.extend(parse_rules(line.text))
        except ConfigError as error:
            problems.append(ConfigError(line.file, line.key, error.problem, error.hint))
    if problems or config.rules_unclear:
        rules = [rule for rule in rules if rule.effect == "deny"]
    return tuple(rules), tuple(problems)


def _with_local(config: Config, found: tuple[ProviderConfig, ...]) -> tuple[Config, Choice]:
    """The configuration with the local servers in it, and the choice of one of them."""
    local = replace(config, providers=found)
    wanted = config.agent.model
    first = next((each for each in found if wanted in each.models), found[0])
    model = wanted if wanted in first.models else first.models[0]
    return local, Choice(f"{first.name}/{model}", f"{first.title} answers on this machine")
