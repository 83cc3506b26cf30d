"""Which agents can be started, from where, and in which order."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parley.client.agents import FoundAgent, Start, choose_agent, find_agents, own_agent
from parley.client.known_agents import KNOWN
from parley.errors import ConfigError


class Machine:
    """A home, a folder to work in and a folder of programs."""

    def __init__(self, root: Path) -> None:
        self.home, self.work, self.bin = root / "home", root / "home/work", root / "bin"
        for folder in (self.home, self.work, self.bin):
            folder.mkdir()
        self.path = str(self.bin)
        self.config = self.home / "config.toml"
        self.registry: Path | None = None

    def install(self, *names: str, folder: Path | None = None) -> None:
        for name in names:
            place = (folder or self.bin) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("#!/bin/sh\n")
            place.chmod(0o755)

    def list_in_registry(self, *entries: dict[str, Any]) -> None:
        self.registry = self.home / "registry.json"
        self.registry.write_text(json.dumps({"version": "1.0.0", "agents": entries}))

    def find(self) -> dict[str, FoundAgent]:
        found = find_agents(self.path, self.config, self.registry, cwd=self.work, home=self.home)
        assert len({each.name for each in found}) == len(found)
        return {each.name: each for each in found}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def entry(name: str, **distribution: Any) -> dict[str, Any]:
    return {
        "id": name,
        "name": f"The {name}",
        "version": "1.2.3",
        "description": "An agent",
        "distribution": distribution,
    }


def this_platform() -> str:
    machine = platform.machine().lower()
    return f"{sys.platform}-{ {'arm64': 'aarch64', 'amd64': 'x86_64'}.get(machine, machine) }"


def test_our_own_agent_is_first_and_installed(machine: Machine) -> None:
    first = next(iter(machine.find().values()))
    assert (first.name, first.source, first.installed) == ("parley", "parley", True)


def test_our_own_agent_is_started_whatever_lies_in_the_folder(tmp_path: Path) -> None:
    start = own_agent().start
    assert start is not None
    for trap in ("parley", "argparse", "json"):
        (tmp_path / f"{trap}.py").write_text("raise SystemExit(66)")
    ended = subprocess.run(
        [*start.command, "--help"], cwd=tmp_path, capture_output=True, timeout=30, check=False
    )
    assert (ended.returncode, b"usage: parley acp" in ended.stdout) == (0, True)


def test_every_known_agent_has_a_name_a_command_and_a_way_to_get_it(machine: Machine) -> None:
    found = machine.find()
    wanted = {"gemini", "claude", "codex", "opencode", "qwen", "goose", "kimi", "vibe", "copilot"}
    assert wanted | {"cursor", "auggie", "stakpak", "openhands", "fast-agent", "hermes"} <= set(
        found
    )
    assert [each.name for each in found.values() if not each.installed and not each.install] == []
    assert [each.name for each in found.values() if each.installed] == ["parley"]
    names = [name for each in KNOWN for name in (each.name, each.registry) if name]
    assert len(names) == len(set(names))


def test_a_known_agent_in_the_path_is_installed(machine: Machine) -> None:
    machine.install("gemini", "opencode")
    found = machine.find()
    assert found["gemini"].start == Start((f"{machine.bin}/gemini", "--acp"))
    assert found["opencode"].start == Start((f"{machine.bin}/opencode", "acp"))
    assert not found["qwen"].installed


def test_the_preferred_command_wins_over_the_older_one(machine: Machine) -> None:
    machine.install("claude-code-acp")
    assert machine.find()["claude"].start == Start((f"{machine.bin}/claude-code-acp",))
    machine.install("claude-agent-acp")
    assert machine.find()["claude"].start == Start((f"{machine.bin}/claude-agent-acp",))


def test_a_program_of_the_checkout_is_never_used(machine: Machine) -> None:
    inside = machine.work / "node_modules/.bin"
    machine.install("gemini", "npx", folder=inside)
    machine.path = f"{inside}:node_modules/.bin:.:{machine.bin}"
    found = machine.find()["gemini"]
    assert (found.start, found.fetch, found.refused) == (None, None, f"{inside}/gemini")
    machine.install("gemini")
    found = machine.find()["gemini"]
    assert (found.start, found.refused) == (Start((f"{machine.bin}/gemini", "--acp")), "")


def test_a_runner_fetches_outside_the_folder_one_works_in(machine: Machine) -> None:
    machine.install("npx", "uvx")
    found = machine.find()
    assert found["gemini"].fetch == Start(
        (
            f"{machine.bin}/npx",
            "--yes",
            "--package",
            "@google/gemini-cli@latest",
            "--",
            "gemini",
            "--acp",
        ),
        cwd=str(machine.home),
    )
    assert found["vibe"].fetch == Start(
        (f"{machine.bin}/uvx", "--from", "mistral-vibe", "vibe-acp"), cwd=str(machine.home)
    )
    assert found["goose"].fetch is None


def test_the_users_agent_wins_over_a_known_one(machine: Machine) -> None:
    machine.install("gemini", "mine")
    machine.config.write_text(
        "[agents.gemini]\ncommand = 'mine'\nargs = ['--quiet']\nenv = {A = '1'}\ncwd = '~/there'\n"
    )
    machine.list_in_registry(entry("gemini", npx={"package": "x"}))
    found = machine.find()
    assert list(found)[:2] == ["parley", "gemini"]
    assert found["gemini"] == FoundAgent(
        "gemini",
        "gemini",
        "config",
        str(machine.config),
        Start((f"{machine.bin}/mine", "--quiet"), {"A": "1"}, f"{machine.home}/there"),
    )


def test_a_path_of_the_user_is_used_wherever_it_leads(machine: Machine) -> None:
    machine.install("mine", folder=machine.work)
    for command in (f"{machine.work}/mine", "~/work/mine"):
        machine.config.write_text(f"[agents.mine]\ncommand = '{command}'\ntitle = 'Mine'\n")
        found = machine.find()["mine"]
        assert (found.title, found.start) == ("Mine", Start((f"{machine.work}/mine",)))


def test_an_agent_of_the_user_that_is_missing_is_listed_with_what_to_do(machine: Machine) -> None:
    machine.install("inside", folder=machine.work)
    machine.path = f"{machine.work}:{machine.bin}"
    machine.config.write_text(
        "[agents.a]\ncommand = 'nowhere'\n[agents.b]\ncommand = '/no/where'\n"
        "[agents.c]\ncommand = 'inside'\n"
    )
    found = machine.find()
    assert [found[name].installed for name in "abc"] == [False] * 3
    assert found["a"].install == f"install `nowhere`, or correct {machine.config}"
    assert [found[name].refused for name in "abc"] == ["", "", f"{machine.work}/inside"]


@pytest.mark.parametrize(
    ("text", "key", "problem", "hint"),
    [
        ("[agents.parley]\ncommand='x'", "agents.parley", "is the name of our own", "rename it"),
        ("[agents.x]\ncommand='./x'", "agents.x.command", "is not an absolute path", "~/"),
        ("[agents.x]\ncommand='~you/x'", "agents.x.command", "is not an absolute path", "~/"),
        ("[agents.x]\ncommand='x --acp'", "agents.x.command", "has spaces", "args"),
        ("[agents.x]\ncommand='x'\ncwd='here'", "agents.x.cwd", "is not an absolute path", "~/"),
    ],
)
def test_what_is_wrong_with_an_agent_of_the_user_is_named(
    text: str, key: str, problem: str, hint: str, machine: Machine
) -> None:
    machine.config.write_text(text)
    with pytest.raises(ConfigError) as raised:
        machine.find()
    assert (raised.value.file, raised.value.key) == (str(machine.config), key)
    assert problem in raised.value.problem
    assert hint in raised.value.hint


def test_a_configuration_in_the_folder_one_works_in_is_not_read(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("config.toml", ".parley/config.toml", ".config/parley/config.toml"):
        (machine.work / place).parent.mkdir(parents=True, exist_ok=True)
        (machine.work / place).write_text("[agents.evil]\ncommand = '/bin/sh'\n")
    monkeypatch.chdir(machine.work)
    assert "evil" not in machine.find()


def test_the_registry_adds_agents_and_knows_newer_versions(machine: Machine) -> None:
    machine.install("npx", "uvx", "claude-agent-acp")
    machine.list_in_registry(
        entry("claude-acp", npx={"package": "@x/claude@9", "env": {"A": "1"}}),
        entry("brandnew", uvx={"package": "brand new", "cmd": "bn", "args": ["-x"]}),
        entry("plain", uvx={"package": "plain==1"}),
        entry("command", npx={"package": "pkg", "cmd": "go"}),
    )
    found = machine.find()
    claude = found["claude"]
    assert (claude.title, claude.version, claude.source) == ("The claude-acp", "1.2.3", "registry")
    assert claude.start == Start((f"{machine.bin}/claude-agent-acp",))
    npx, uvx, home = f"{machine.bin}/npx", f"{machine.bin}/uvx", str(machine.home)
    assert claude.fetch == Start((npx, "--yes", "@x/claude@9"), {"A": "1"}, home)
    assert found["brandnew"].fetch == Start((uvx, "--from", "brand new", "bn", "-x"), cwd=home)
    assert found["brandnew"].install == "uv tool install 'brand new'"
    assert found["plain"].fetch == Start((uvx, "plain==1"), cwd=home)
    assert found["command"].fetch == Start((npx, "--yes", "--package", "pkg", "--", "go"), cwd=home)
    assert "claude-acp" not in found


def test_a_program_for_this_platform_is_used_if_it_is_installed(machine: Machine) -> None:
    machine.install("here", "rm")
    archive = "https://example.org/a.tar.gz"
    machine.list_in_registry(
        entry(
            "here",
            binary={this_platform(): {"archive": archive, "cmd": "./d/here", "args": ["acp"]}},
        ),
        entry("there", binary={this_platform(): {"archive": archive, "cmd": "./there"}}),
        entry(
            "wrong", binary={this_platform(): {"archive": archive, "cmd": "./rm", "args": ["/"]}}
        ),
        entry("other", binary={"amiga-68000": {"archive": archive, "cmd": "./other"}}),
    )
    found = machine.find()
    assert found["here"].start == Start((f"{machine.bin}/here", "acp"))
    assert (found["there"].start, found["there"].install) == (None, f"download {archive}")
    assert found["wrong"].start is None
    assert found["other"].install == f"there is no program for {this_platform()}"


def test_an_agent_is_chosen_by_its_name_or_its_other_name(machine: Machine) -> None:
    found = list(machine.find().values())
    assert choose_agent(found, "claude").name == "claude"
    assert choose_agent(found, "claude-acp").name == "claude"
    with pytest.raises(ConfigError, match="did you mean `gemini`"):
        choose_agent(found, "gemin")
    with pytest.raises(ConfigError, match="hint: `parley agents` lists them"):
        choose_agent(found, "qqqq")


def test_without_files_only_ours_and_the_known_ones_are_found(tmp_path: Path) -> None:
    found = find_agents("", cwd=tmp_path)
    assert len(found) == 1 + len(KNOWN)
    assert os.path.isabs(found[0].start.command[0] if found[0].start else "")
