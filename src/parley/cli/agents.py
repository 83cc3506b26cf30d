"""`parley agents`: the agents that are here, those that could be, and how to get them."""

import argparse
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from parley.client.agents import FoundAgent, Start, choose_agent, find_agents
from parley.coder.config import load
from parley.frontend.visible import cells, one_line

EPILOG = """\
Name one of them wherever an agent is asked for:

  parley run --agent gemini "what does this project do?"

An agent of your own is written into the configuration file (~/.config/parley/config.toml):

  [agents.mine]
  command = "my-agent"          # in PATH, or an absolute path
  args = ["--acp"]
  env = { MY_AGENT_MODE = "quiet" }

Programs in the folder you work in are never used, and nothing is read from it. --registry reads a
copy of the ACP registry (its registry.json); nothing is fetched.
"""
_HEADER = ("NAME", "TITLE", "FROM", "STATE")
_PROSE = {"parley": "this package", "known": "known", "config": "your file", "registry": "registry"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("name", nargs="?", metavar="NAME", help="tell all about this agent")
    parser.add_argument("--json", action="store_true", help="print what is found as JSON")
    parser.add_argument("--registry", metavar="FILE", help="also those in a copy of the registry")
    parser.add_argument("--config", metavar="FILE", help="the configuration file")


def run(options: argparse.Namespace) -> int:
    config = load(os.environ, {"config": options.config}).folders.config
    registry = Path(options.registry) if options.registry else None
    found = find_agents(os.environ.get("PATH", os.defpath), config, registry, cwd=os.getcwd())
    if options.name is not None:
        agent = choose_agent(found, options.name)
        lines = [json.dumps(_plain(agent), indent=2)] if options.json else _details(agent)
    elif options.json:
        lines = [json.dumps([_plain(each) for each in found], indent=2)]
    else:
        lines = _table(found)
    for line in lines:
        print(line)
    return 0


def _table(found: Sequence[FoundAgent]) -> Iterator[str]:
    # What is here comes first; the order among those is that of preference.
    ordered = sorted(found, key=lambda each: not each.installed)
    rows = [_HEADER, *(_row(each) for each in ordered)]
    widths = [max(cells(row[at]) for row in rows) for at in range(len(_HEADER))]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for row in rows:
        padded = (cell + " " * (size - cells(cell)) for cell, size in zip(row, widths, strict=True))
        yield one_line("  ".join(padded), width)
    if width is not None:
        yield one_line("`parley agents NAME` tells all about one.", width)


def _row(agent: FoundAgent) -> tuple[str, str, str, str]:
    return (
        one_line(agent.name),
        one_line(agent.title, 30),
        _PROSE[agent.source],
        one_line(_state(agent)),
    )


def _state(agent: FoundAgent) -> str:
    if agent.start:
        return "installed" if agent.source == "parley" else f"installed: {agent.start.command[0]}"
    if agent.refused:
        return f"not used, since it lies in the folder you work in: {agent.refused}"
    return f"missing: {agent.install}"


def _details(agent: FoundAgent) -> Iterator[str]:
    facts = {
        "name": agent.name,
        "other names": ", ".join(agent.aliases),
        "title": agent.title,
        "about": agent.about,
        "version": agent.version,
        "from": f"{_PROSE[agent.source]} {agent.origin}",
        "state": _state(agent),
        "starts with": _command(agent.start) if agent.start else "",
        "started in": (agent.start.cwd or "") if agent.start else "",
        "variables": ", ".join(agent.start.env) if agent.start else "",
        "without installing": _command(agent.fetch) if agent.fetch else "",
        "note": agent.note,
    }
    for name, text in facts.items():
        if text.strip():
            yield f"{name + ':':<20}{one_line(text)}"


def _command(start: Start) -> str:
    return shlex.join(start.command)


def _plain(agent: FoundAgent) -> dict[str, Any]:
    return {
        "name": agent.name,
        "aliases": agent.aliases,
        "title": agent.title,
        "about": agent.about,
        "version": agent.version,
        "source": agent.source,
        "file": agent.origin,
        "installed": agent.installed,
        "start": _plain_start(agent.start),
        "fetch": _plain_start(agent.fetch),
        "install": agent.install,
        "refused": agent.refused,
        "note": agent.note,
    }


def _plain_start(start: Start | None) -> dict[str, Any] | None:
    if start is None:
        return None
    # A value may be a key, so only the names are told.
    return {"command": start.command, "env": sorted(start.env), "cwd": start.cwd}
