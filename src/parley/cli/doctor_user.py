"""What `parley doctor` says of what the user has added to the agent: hooks and skills."""

import os
from collections.abc import Iterator

from parley.cli.composition import skill_folders_of, tool_names
from parley.cli.finding import Finding
from parley.coder.config import Config
from parley.coder.config_hooks import unknown_tools
from parley.coder.hook import Hook
from parley.coder.hooks.run import program_of
from parley.coder.skills.places import found_in

_MOST_NAMES = 50


def user_findings(config: Config) -> Iterator[Finding]:
    yield from _hooks(config)
    yield from _skills(config)


def _hooks(config: Config) -> Iterator[Finding]:
    for hook in config.hooks.before:
        yield _hook(hook, "so every call that it concerns is stopped")
    for hook in config.hooks.after:
        yield _hook(hook, "so it never runs")
    for error in unknown_tools(config.hooks, tool_names()):
        yield Finding(error.key, "problem", error.problem, error.hint)


def _hook(hook: Hook, so: str) -> Finding:
    text = f"`{hook.line}` for {', '.join(hook.tools)}, {hook.seconds:g} seconds at most"
    if program_of(hook.command[0], os.environ.get("PATH", os.defpath), ()) is None:
        fix = f"correct `command` in {hook.file}, or make the program executable"
        return Finding(hook.name, "problem", f"{text}: the program cannot be found, {so}", fix)
    return Finding(hook.name, "ok", text)


def _skills(config: Config) -> Iterator[Finding]:
    folders = skill_folders_of(config)
    for named in config.agent.skill_folders or ():
        if not os.path.isabs(os.path.expanduser(named)):
            fix = "begin it with / or ~/"
            yield Finding("skills", "problem", f"`{named}` is not an absolute path", fix)
    found = found_in(folders)
    names = [skill.name for skill in found.skills]
    if names:
        shown = ", ".join(names[:_MOST_NAMES])
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        yield Finding("skills", "ok", f"{len(names)} of your own: {shown}{more}")
    for problem in found.problems:
        yield Finding("skills", "note", problem)
