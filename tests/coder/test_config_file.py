"""The configuration file: what is read, what is refused, and why."""

import os
from pathlib import Path

import pytest

from parley.coder.config_file import (
    AgentTable,
    ConfigFile,
    ProviderTable,
    checked,
    read_config_file,
)
from parley.errors import ConfigError

WHOLE = """\
rules = ["allow bash:make", "deny read_file:**/.env"]

[agent]
provider = "mine"
model = "mine/large"
mode = "plan"
thought_level = "high"
prompt_size = "small"
budget = 5
max_requests = 7
retry_seconds = 2.5
local_servers = false
log_level = "debug"

[providers.mine]
type = "openai"
base_url = "http://localhost:9999/v1"
key_env = "MINE_KEY"
models = ["large", "small"]
"""


def read(folder: Path, text: str, mode: int = 0o600) -> ConfigFile:
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(mode)
    return read_config_file(path)


def problems(folder: Path, text: str) -> list[tuple[str, str, str]]:
    found = read(folder, text).problems
    assert {each.file for each in found} <= {str(folder / "config.toml")}
    return [(each.key, each.problem, each.hint) for each in found]


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, WHOLE) == ConfigFile(
        str(tmp_path / "config.toml"),
        AgentTable("mine", "mine/large", "plan", "high", "small", 5.0, 7, 2.5, False, "debug"),
        {
            "mine": ProviderTable(
                "openai", "http://localhost:9999/v1", "MINE_KEY", models=("large", "small")
            )
        },
        ("allow bash:make", "deny read_file:**/.env"),
    )


def test_a_missing_file_is_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    assert read_config_file(path) == ConfigFile(str(path))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[agent]\nmoed = 'ask'", ("agent.moed", "is unknown", "did you mean `mode`?")),
        ("agnet = 1", ("agnet", "is unknown", "did you mean `agent`?")),
        (
            "zzz = 1",
            ("zzz", "is unknown", "the keys here are: agent, agents, hooks, mcp, providers, rules"),
        ),
        (
            "[agent]\nmode = 'yolo'",
            (
                "agent.mode",
                "is none of its values",
                "use one of: ask, auto-edit, plan, full-access",
            ),
        ),
        (
            "[agent]\nmax_requests = 'many'",
            (
                "agent.max_requests",
                "has a wrong value: Expected `int | null`, got `str`",
                "correct or remove it",
            ),
        ),
        (
            "[agent]\nbudget = 0",
            ("agent.budget", "has a wrong value: Expected `float` > 0.0", "correct or remove it"),
        ),
        ("agent = 3", ("agent", "is not a table", "write `[agent]`")),
        ("[providers]\nx = 3", ("providers.x", "is not a table", "write `[providers.x]`")),
        (
            "[providers.'a b']\ntype='openai'",
            ("providers.a b", "has a strange name", "use letters, digits, -"),
        ),
        (
            "rules = 'allow'",
            ("rules", "is not a list of texts", 'write `rules = ["allow bash:make"]`'),
        ),
    ],
)
def test_what_is_wrong_is_named_with_a_hint(
    tmp_path: Path, text: str, problem: tuple[str, str, str]
) -> None:
    assert problems(tmp_path, text) == [problem]


def test_the_agents_of_clients_are_none_of_its_business(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[agents.mine]\ncommand = 'mine'\n")
    assert read_config_file(path).problems == ()


def test_one_wrong_value_does_not_spoil_the_others(tmp_path: Path) -> None:
    found = read(tmp_path, "[agent]\nmode = 3\nmodel = 'm'\n")
    assert found.agent == AgentTable(model="m")
    assert len(found.problems) == 1


def test_a_file_that_is_not_toml_names_the_line(tmp_path: Path) -> None:
    ((key, problem, _),) = problems(tmp_path, "model = \n")
    assert key == "the file"
    assert "is not TOML" in problem
    assert "line 1" in problem


def test_files_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "large").write_bytes(b"#" * (1024 * 1024 + 1))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    told = {
        name: read_config_file(tmp_path / name).problems[0].problem
        for name in ("binary", "large", "pipe", ".", "loop")
    }
    assert told.pop("loop").startswith("cannot be read: ")
    assert told == {
        "binary": "is not UTF-8",
        "large": "is too large",
        "pipe": "is not a regular file",
        ".": "is not a regular file",
    }


@pytest.mark.parametrize(
    ("mode", "key", "exposed"),
    [(0o600, "k", True), (0o640, "k", True), (0o644, "", True)],
)
def test_a_key_in_a_file_that_others_can_read_is_seen(
    tmp_path: Path, mode: int, key: str, exposed: bool
) -> None:
    line = "key = 'canary'" if key else ""
    found = read(tmp_path, f"[providers.openai]\n{line}\n", mode)
    assert found.exposed is (exposed and bool(key) and mode != 0o600)
    assert "canary" not in repr(found)


def test_a_word_from_outside_may_stand_for_a_number() -> None:
    assert checked("x", "y", "2.5", AgentTable, "budget", text=True) == 2.5
    assert checked("x", "y", "false", AgentTable, "local_servers", text=True) is False
    with pytest.raises(ConfigError):
        checked("x", "y", "2.5", AgentTable, "budget")
