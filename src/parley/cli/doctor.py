"""`parley doctor`: what the agent found on this machine, what is missing, and how to get it.

It shows where each key came from, and never a part of a key.
"""

import argparse
import asyncio
import importlib.util
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from parley import __version__
from parley.cli.composition import rules_of, sandbox_of
from parley.cli.doctor_store import repair_command, reported, run_repair, store_findings
from parley.cli.doctor_trust import trust_findings
from parley.cli.doctor_user import user_findings
from parley.cli.finding import Finding, Status, is_bad, lines
from parley.coder.config import Config, ProviderConfig, load
from parley.coder.errors import ProviderError
from parley.coder.message import TextPart, UserMessage
from parley.coder.providers.catalogue import known
from parley.coder.providers.choice import Choice, choose
from parley.coder.providers.making import find_local, providers_of
from parley.coder.providers.provider import ModelRequest, Provider
from parley.coder.vendors import LOCAL_SERVERS, LocalServer
from parley.errors import ConfigError

_EXTRA = "pip install 'parley-acp[agent]'"
_ONLINE_SECONDS = 30.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Explain what the agent finds on this machine, and what is missing."
    parser.epilog = (
        "The exit status is 0 if the agent can work, and 1 if something is wrong.\n"
        "With --repair it is 0 if the stored sessions are in order now, else 1."
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--config", metavar="FILE", help="the configuration file")
    parser.add_argument("--data-dir", metavar="FOLDER", help="where sessions and logs are kept")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--online", action="store_true", help="also ask the model for one word, which may cost"
    )
    kind.add_argument(
        "--repair",
        action="store_true",
        help="put the stored sessions in order; what is damaged is kept beside them",
    )


def run(options: argparse.Namespace) -> int:
    flags = {"config": options.config, "data_dir": options.data_dir}
    config = load(os.environ, flags)
    if options.repair:
        return run_repair(config.folders.data, options)
    fix = repair_command(options.data_dir)
    found = (
        *asyncio.run(findings(config, online=options.online, named=_named(options))),
        *store_findings(config.folders.data, progress=reported(), fix=fix),
    )
    if options.json:
        print(json.dumps([msgspec.to_builtins(each) for each in found], indent=2))
    else:
        print("\n".join(line for each in found for line in lines(each)))
    return int(is_bad(found))


def _named(options: argparse.Namespace) -> str:
    """What names the configuration file; empty if it is at its usual place."""
    if options.config is not None:
        return "--config"
    return "PARLEY_CONFIG" if os.environ.get("PARLEY_CONFIG") else ""


async def findings(
    config: Config,
    *,
    online: bool = False,
    servers: tuple[LocalServer, ...] = LOCAL_SERVERS,
    named: str = "",
) -> list[Finding]:
    """Everything there is to say but of the sessions. Only `online` leaves this machine."""
    local = await find_local(servers) if config.agent.local_servers is not False else ()
    found = [
        Finding("parley", "ok", f"{__version__} on Python {sys.version.split()[0]}"),
        *_file(config, named),
        *_folders(config),
        *_providers(config),
        *_local(local),
    ]
    choice = choose(config)
    found += _default(choice, local)
    found += user_findings(config)
    found += trust_findings(config.folders.data)
    found += _parts(config)
    found.append(await _sandbox(config))
    if online:
        found.append(await _asked(config, choice))
    return found


def _file(config: Config, named: str) -> Iterator[Finding]:
    path = config.folders.config
    if path.exists():
        yield Finding("configuration", "ok", f"{path}")
    elif named:
        fix = f"name a file that exists with {named}, or leave {named} out"
        yield Finding("configuration", "problem", f"{path} does not exist", fix)
    else:
        yield Finding("configuration", "ok", f"{path} does not exist, which is fine")
    rules, wrong = rules_of(config)
    for error in (*config.problems, *wrong):
        yield Finding(
            "configuration", "problem", f"{error.file}: `{error.key}` {error.problem}", error.hint
        )
    for warning in config.warnings:
        yield Finding("configuration", "problem", warning)
    if rules:
        yield Finding("rules", "ok", f"{len(rules)} of your own")
    for name, source in config.sources.items():
        yield Finding(f"setting {name}", "ok", f"{getattr(config.agent, name)} (from {source})")


def _folders(config: Config) -> Iterator[Finding]:
    for about, folder in (("sessions", config.folders.data), ("logs", config.folders.state)):
        yield _folder(about, folder)


def _folder(about: str, folder: Path) -> Finding:
    if not folder.exists():
        parent = next(each for each in folder.parents if each.exists())
        if os.access(parent, os.W_OK):
            return Finding(about, "ok", f"{folder} will be made when it is needed")
        return Finding(about, "problem", f"{folder} cannot be made", "name another with --data-dir")
    mode = stat.S_IMODE(folder.stat().st_mode)
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        return Finding(about, "problem", f"{folder} cannot be written to", f"chmod 700 {folder}")
    if mode & 0o077:
        return Finding(
            about, "problem", f"{folder} can be read by others ({mode:o})", f"chmod 700 {folder}"
        )
    return Finding(about, "ok", f"{folder} (private)")


def _providers(config: Config) -> Iterator[Finding]:
    for provider in config.providers:
        yield _provider(provider)


def _provider(provider: ProviderConfig) -> Finding:
    about = f"provider {provider.name}"
    parts = urlsplit(provider.base_url)
    # Without what may stand before an @ in it.
    place = f"{provider.type} at {parts.netloc.rpartition('@')[2]}{parts.path}"
    if provider.key is None:
        return Finding(about, "ok", f"{place}, without a key (from {provider.source})")
    if provider.key.in_keyring:
        try:
            provider.key.reveal(provider.name)
        except ProviderError as error:
            text, _, hint = str(error).partition("\nhint: ")
            return Finding(about, "problem", text, hint)
    return Finding(about, "ok", f"{place}, key from {provider.key.source}")


def _local(found: tuple[ProviderConfig, ...]) -> Iterator[Finding]:
    for server in found:
        models = ", ".join(server.models[:5])
        yield Finding("local server", "ok", f"{server.title} at {server.base_url}: {models}")


def _default(choice: Choice, local: tuple[ProviderConfig, ...]) -> Iterator[Finding]:
    for notice in choice.notices:
        yield Finding("model", "note", notice)
    if choice.configured:
        yield Finding("model", "ok", f"{choice.model}: {choice.reason}")
    elif choice.local and local:
        yield Finding("model", "ok", f"the models of {local[0].title}, since it answers")
    else:
        yield Finding(
            "model",
            "note",
            "none is configured; only plain commands are understood",
            "set a key, for instance ANTHROPIC_API_KEY, or run `parley acp --login`",
        )


def _parts(config: Config) -> Iterator[Finding]:
    yield _package("httpx2", "reaches models", needed=bool(config.providers))
    yield _package("tree_sitter_bash", "understands shell commands; without it more is asked")
    yield _package("html_to_markdown", "reads web pages")
    yield _package("keyring", "keeps keys")
    for program, use in (("rg", "searches fast"), ("git", "shows what changed")):
        beside = Path(sys.executable).with_name(program)
        place = shutil.which(program) or (str(beside) if beside.exists() else None)
        if place:
            yield Finding(program, "ok", place)
        else:
            fix = _EXTRA if program == "rg" else "install git"
            yield Finding(program, "note", f"is missing; it {use}", fix)


async def _sandbox(config: Config) -> Finding:
    """What really holds: the self-test runs."""
    sandbox = sandbox_of(config)
    if sandbox.setting == "off":
        return Finding("sandbox", "note", "is switched off; nothing confines commands")
    standing = await sandbox.standing()
    if standing.level != "none":
        return Finding("sandbox", "ok", f"{standing.level}: {standing.text}")
    status: Status = "problem" if sandbox.setting == "require" else "note"
    return Finding(
        "sandbox", status, standing.text, "use Linux 6.2 or later, or install bubblewrap"
    )


def _package(name: str, use: str, *, needed: bool = False) -> Finding:
    if importlib.util.find_spec(name) is not None:
        return Finding(name, "ok", "is installed")
    return Finding(name, "problem" if needed else "note", f"is missing; it {use}", _EXTRA)


async def _asked(config: Config, choice: Choice) -> Finding:
    """Ask the chosen model for one word."""
    try:
        provider = providers_of(config, choice)[choice.provider]
        async with aclosing(provider), asyncio.timeout(_ONLINE_SECONDS):
            await _one_word(provider, choice.model.partition("/")[2])
    except (ProviderError, ConfigError) as error:
        text, _, hint = str(error).partition("\nhint: ")
        return Finding("online", "problem", text, hint)
    except TimeoutError:
        return Finding("online", "problem", f"{choice.model} did not answer in time")
    return Finding("online", "ok", f"{choice.model} answers")


async def _one_word(provider: Provider, model: str) -> None:
    offered = () if model else await provider.models()
    info = offered[0] if offered else known(model)
    prompt = UserMessage((TextPart("Say the word ok."),))
    async with provider.stream(ModelRequest(info, "Answer with one word.", (prompt,))) as events:
        async for _ in events:
            pass
