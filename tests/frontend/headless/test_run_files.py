"""Files of prompts, permissions and MCP servers."""

import json
from pathlib import Path
from typing import Any

import pytest

from parley.errors import ConfigError
from parley.frontend.headless.rules import Rule, Rules
from parley.frontend.headless.run_files import prompts_of, rules_of, servers_of
from parley.session.role import HttpServer, StdioServer


def test_prompts_are_lines_of_text_or_of_json() -> None:
    text = 'fix it\n\n{"prompt": "a\\nb"}\n"c"\n"not json\n'
    assert prompts_of(text, "f") == ["fix it", "a\nb", "c", '"not json']


@pytest.mark.parametrize("text", ["", "\n", "{x", "{}", '{"prompt": ""}', '{"prompt": 3}'])
def test_what_holds_no_prompt_is_an_error(text: str) -> None:
    with pytest.raises(ConfigError):
        prompts_of(text, "f")


def test_rules_are_read_from_json_and_from_toml(tmp_path: Path) -> None:
    wanted = Rules((Rule("edit"),), (Rule("bash", "rm *"),), "refuse")
    data = {"allow": ["edit"], "deny": ["bash:rm *"], "otherwise": "refuse"}
    (tmp_path / "r.json").write_text(json.dumps(data))
    (tmp_path / "r.toml").write_text('allow=["edit"]\ndeny=["bash:rm *"]\notherwise="refuse"')
    assert rules_of(str(tmp_path / "r.json")) == wanted
    assert rules_of(str(tmp_path / "r.toml")) == wanted


@pytest.mark.parametrize(
    "data",
    [[], {"alow": []}, {"allow": "edit"}, {"allow": [3]}, {"allow": ["x"]}, {"otherwise": "yes"}],
)
def test_rules_that_are_wrong_are_an_error_that_names_the_file(tmp_path: Path, data: Any) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ConfigError, match=r"r\.json"):
        rules_of(str(path))


def test_a_file_that_is_missing_or_unreadable_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text("[[")
    for name in ("r.toml", "none.json"):
        with pytest.raises(ConfigError, match=name):
            rules_of(str(tmp_path / name))


def test_servers_are_read_in_the_usual_form(tmp_path: Path) -> None:
    servers = {
        "files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}},
        "web": {"url": "https://x", "headers": {"H": "v"}},
        "old": {"type": "sse", "url": "https://y"},
    }
    (tmp_path / "m.json").write_text(json.dumps({"mcpServers": servers}))
    assert servers_of(str(tmp_path / "m.json")) == [
        StdioServer("files", "npx", ("-y", "x"), {"A": "1"}),
        HttpServer("web", "https://x", (("H", "v"),)),
        HttpServer("old", "https://y", sse=True),
    ]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"mcpServers": []},
        {"mcpServers": {"a": {}}},
        {"mcpServers": {"a": {"command": "x", "args": "y"}}},
        {"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}},
    ],
)
def test_servers_that_are_wrong_are_an_error(tmp_path: Path, data: Any) -> None:
    (tmp_path / "m.json").write_text(json.dumps(data))
    with pytest.raises(ConfigError):
        servers_of(str(tmp_path / "m.json"))
