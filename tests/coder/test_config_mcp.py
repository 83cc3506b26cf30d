"""MCP servers of the user's configuration."""

from pathlib import Path

import pytest

from parley.coder.config import load
from parley.coder.config_file import McpTable
from parley.session.role import HttpServer, StdioServer


def environ(folder: Path, text: str, mode: int = 0o600) -> dict[str, str]:
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(mode)
    return {"HOME": str(folder), "PARLEY_CONFIG": str(path)}


def test_programs_and_addresses_are_read(tmp_path: Path) -> None:
    text = """
        [mcp.files]
        command = "mcp-files"
        args = ["--all"]
        env = {TOKEN = "t"}
        [mcp.plain]
        command = "plain"
        [mcp.web]
        url = "https://mcp.example.org/x"
        headers = {Authorization = "Bearer t"}
    """
    config = load(environ(tmp_path, text))
    assert config.problems == ()
    assert config.mcp_servers == (
        StdioServer("files", "mcp-files", ("--all",), {"TOKEN": "t"}),
        StdioServer("plain", "plain"),
        HttpServer("web", "https://mcp.example.org/x", (("Authorization", "Bearer t"),)),
    )


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ("[mcp.x]", "mcp.x", "needs either `command` or `url`"),
        ("[mcp.x]\ncommand='a'\nurl='https://b'", "mcp.x", "needs either `command` or `url`"),
        ("[mcp.x]\nurl='ftp://b'", "mcp.x.url", "is no address"),
        ("[mcp.x]\nurl='http://[b'", "mcp.x.url", "is no address"),
        ("[mcp.x]\nurl='https://b'\nargs=['a']", "mcp.x", "has values that are for servers"),
        ("[mcp.x]\ncommand='a'\nheaders={}", "mcp.x.headers", "is for servers with a `url`"),
        ("[mcp.'a b']\ncommand='a'", "mcp.a b", "has a strange name"),
        ("[mcp.x]\ncommand='a'\nargs='a'", "mcp.x.args", "has a wrong value"),
        ("mcp = 1", "mcp", "is not a table"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, key: str, problem: str) -> None:
    config = load(environ(tmp_path, text + "\n[mcp.good]\ncommand='c'" if "x]" in text else text))
    (error,) = config.problems
    assert error.key == key
    assert problem in error.problem
    assert all(server.name in ("good", "x") for server in config.mcp_servers)


def test_a_file_with_secrets_of_servers_should_be_private(tmp_path: Path) -> None:
    text = "[mcp.x]\ncommand='a'\nenv={TOKEN='t'}"
    assert load(environ(tmp_path, text)).warnings == ()
    (warning,) = load(environ(tmp_path, text, 0o644)).warnings
    assert "chmod 600" in warning
    assert load(environ(tmp_path, "[mcp.x]\ncommand='a'", 0o644)).warnings == ()


def test_secrets_are_not_shown() -> None:
    table = McpTable("run", env={"TOKEN": "geheim"}, headers={"X": "geheim"})
    assert "geheim" not in repr(table)
