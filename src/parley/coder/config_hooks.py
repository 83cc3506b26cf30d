"""Hooks of the user's configuration file: `[[hooks.before_tool]]`, `[[hooks.after_tool]]`. Pure."""

from collections.abc import Iterable

from msgspec.structs import replace

from parley.coder.config_file import ConfigFile, HookTable
from parley.coder.hook import DEFAULT_SECONDS, SHELL, Hook, Hooks
from parley.errors import ConfigError


def hooks_of(file: ConfigFile) -> tuple[Hooks, tuple[ConfigError, ...]]:
    """The hooks that can be used, and what is wrong with the others."""
    problems: list[ConfigError] = []
    found: dict[str, tuple[Hook, ...]] = {}
    for event, tables in file.hooks.items():
        usable: list[Hook] = []
        for at, table in enumerate(tables):
            try:
                usable.append(_hook(f"hooks.{event}[{at}]", table, file.path))
            except ConfigError as error:
                problems.append(error)
        found[event] = tuple(usable)
    return Hooks(found.get("before_tool", ()), found.get("after_tool", ())), tuple(problems)


def unknown_tools(hooks: Hooks, known: Iterable[str]) -> tuple[ConfigError, ...]:
    """Names of tools that no session has: a guard that never runs guards nothing."""
    names = tuple(known)
    return tuple(
        ConfigError(
            hook.file,
            hook.name,
            f"names the tool `{pattern}`, which there is not",
            f"the tools are: {', '.join(names)}; those of MCP servers are server__tool",
        )
        for hook in (*hooks.before, *hooks.after)
        for pattern in hook.tools
        # The tools of servers are not known before they run.
        if "__" not in pattern
        and not any(replace(hook, tools=(pattern,)).concerns(name) for name in names)
    )


def _hook(name: str, table: HookTable, path: str) -> Hook:
    command = table.command
    if not command or (isinstance(command, str) and not command.strip()) or not command[0]:
        raise ConfigError(path, name, "has no `command`", 'write `command = ["program", "word"]`')
    words = (SHELL, "-c", command) if isinstance(command, str) else command
    if any("\0" in word for word in words):
        raise ConfigError(path, f"{name}.command", "has a zero byte in it", "remove it")
    if "/" in words[0] and not words[0].startswith(("/", "~/")):
        hint = "begin it with / or ~/, or name a program of the search path"
        raise ConfigError(path, f"{name}.command", "is relative to any folder", hint)
    tools = (table.tools,) if isinstance(table.tools, str) else table.tools
    return Hook(name, words, tools or ("*",), table.timeout or DEFAULT_SECONDS, path)
