"""Files that name agents are read, and what is wrong in them is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from parley.client.agent_files import (
    AgentTable,
    Binary,
    Distribution,
    Package,
    RegistryAgent,
    read_agent_tables,
    read_registry,
)
from parley.errors import ConfigError

ENTRY: dict[str, Any] = {
    "id": "some-agent",
    "name": "Some Agent",
    "version": "1.2.3",
    "description": "An agent",
    "authors": ["Somebody"],
    "distribution": {"npx": {"package": "@some/agent@1.2.3", "args": ["--acp"]}},
}


def written(folder: Path, text: str | bytes, name: str = "config.toml") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_agents_of_the_user_are_read(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        [agent]
        mode = "ask"
        [agents.mine]
        command = "my-agent"
        args = ["--acp"]
        env = { QUIET = "1" }
        cwd = "~/there"
        title = "Mine"
        [agents.other]
        command = "/opt/other"
        """,
    )
    assert read_agent_tables(path) == {
        "mine": AgentTable("my-agent", ("--acp",), {"QUIET": "1"}, "~/there", "Mine"),
        "other": AgentTable("/opt/other"),
    }


def test_without_a_file_or_a_table_there_are_no_agents(tmp_path: Path) -> None:
    assert read_agent_tables(tmp_path / "none.toml") == {}
    assert read_agent_tables(written(tmp_path, "[agent]\nmode = 'ask'\n")) == {}


@pytest.mark.parametrize(
    ("text", "key", "problem", "hint"),
    [
        ("agents = 3", "agents", "is not a table", "write `[agents.NAME]`"),
        ("[agents]\nx = 3", "agents.x", "is not a table", "write `[agents.x]`"),
        ("[agents.'a b']\ncommand='x'", "agents.a b", "has a strange name", "use letters"),
        ("[agents.x]\nargs = []", "agents.x.command", "is missing", "my-agent"),
        ("[agents.x]\ncommand = ''", "agents.x.command", "is wrong: Expected `str`", "my-agent"),
        ("[agents.x]\ncommand = ['a']", "agents.x.command", "got `array`", "my-agent"),
        ("[agents.x]\ncommand='a'\nargs = [1]", "agents.x.args[0]", "got `int`", "correct or"),
        ("[agents.x]\ncommand='a'\nenv = {A=1}", "agents.x.env[...]", "got `int`", "correct or"),
        ("[agents.x]\ncommnd='a'", "agents.x.commnd", "is unknown", "did you mean `command`?"),
        ("[agents.x]\nzzz='a'", "agents.x.zzz", "is unknown", "the keys here are: command, args"),
        ("[agents.x", "the file", "is not TOML", "correct that line"),
        (b"x = '\xff'", "the file", "is not UTF-8", "save it as UTF-8"),
        ("#" * (1024 * 1024 + 1), "the file", "is too large", "1024 KiB"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_wrong_with_an_agent_of_the_user_is_named(
    text: str | bytes, key: str, problem: str, hint: str, tmp_path: Path
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as raised:
        read_agent_tables(path)
    assert (raised.value.file, raised.value.key) == (str(path), key)
    assert problem in raised.value.problem
    assert hint in raised.value.hint


def test_a_folder_and_an_unreadable_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a regular file"):
        read_agent_tables(tmp_path)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_agent_tables(tmp_path / "loop")


def test_a_registry_is_read_and_what_is_not_needed_is_ignored(tmp_path: Path) -> None:
    binary = {
        "archive": "https://example.org/a.tar.gz",
        "cmd": "./a",
        "args": ["acp"],
        "sha256": "0" * 64,
    }
    other = ENTRY | {
        "id": "other",
        "distribution": {
            "binary": {"linux-x86_64": binary},
            "uvx": {"package": "other==1", "cmd": "other-acp", "env": {"A": "1"}},
        },
    }
    document = {"version": "1.0.0", "agents": [ENTRY, other], "extensions": []}
    path = written(tmp_path, json.dumps(document), "registry.json")
    first = RegistryAgent(
        "some-agent",
        "Some Agent",
        "1.2.3",
        "An agent",
        Distribution(npx=Package("@some/agent@1.2.3", args=("--acp",))),
    )
    second = Distribution(
        {"linux-x86_64": Binary("https://example.org/a.tar.gz", "./a", ("acp",))},
        uvx=Package("other==1", "other-acp", env={"A": "1"}),
    )
    agents = read_registry(path)
    assert agents[0] == first
    assert (agents[1].id, agents[1].distribution) == ("other", second)


def test_the_file_of_one_agent_is_a_registry_of_one(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(ENTRY), "agent.json")
    assert [each.id for each in read_registry(path)] == ["some-agent"]


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ("", "the file", "is not JSON"),
        ("[" * 200_000, "the file", "is not JSON"),
        ("[]", "agents", "is not a list"),
        ('{"agents": {}}', "agents", "is not a list"),
        ('{"agents": [3]}', "agents[0]", "is wrong: Expected `object`"),
        ('{"id": "x"}', "the agent", "missing required field `name`"),
        (json.dumps({"agents": [ENTRY | {"id": "A b"}]}), "agents[0].id", "is wrong"),
        (
            json.dumps({"agents": [ENTRY, ENTRY | {"distribution": {"npx": {"package": "-c"}}}]}),
            "agents[1].distribution.npx.package",
            "is wrong",
        ),
        (
            json.dumps(ENTRY | {"distribution": {"uvx": {"package": "x", "cmd": "--with"}}}),
            "the agent.distribution.uvx.cmd",
            "is wrong",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_wrong_with_a_registry_is_named(
    text: str, key: str, problem: str, tmp_path: Path
) -> None:
    path = written(tmp_path, text, "registry.json")
    with pytest.raises(ConfigError) as raised:
        read_registry(path)
    assert (raised.value.file, raised.value.key) == (str(path), key)
    assert problem in raised.value.problem
    assert raised.value.hint


def test_a_registry_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        read_registry(tmp_path / "registry.json")
