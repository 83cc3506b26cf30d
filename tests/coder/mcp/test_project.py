"""Servers that a project names are reported."""

import json
import os
from pathlib import Path

import pytest

from parley.coder.mcp.project import project_notice


def notice(folder: Path, text: str) -> str | None:
    (folder / ".mcp.json").write_text(text)
    return project_notice(str(folder))


def test_the_servers_of_a_project_are_named_and_not_started(tmp_path: Path) -> None:
    text = json.dumps({"mcpServers": {"a\x1b[2K": {"command": "touch"}, "b": {}}})
    said = notice(tmp_path, text)
    assert said is not None
    assert "`a\\u001b[2K`, `b`. They are not started." in said
    assert "[mcp.NAME]" in said


def test_a_long_list_is_cut(tmp_path: Path) -> None:
    said = notice(tmp_path, json.dumps({"mcpServers": {f"s{n}": {} for n in range(12)}}))
    assert said is not None
    assert "`s9` and 2 more." in said


@pytest.mark.parametrize(
    "text", ["{", "[" * 100_000, f'{{"mcpServers":{{"{"x" * 100_000}":{{}}}}}}']
)
def test_a_file_that_is_not_understood_is_reported_too(tmp_path: Path, text: str) -> None:
    assert "cannot be read" in (notice(tmp_path, text) or "")


@pytest.mark.parametrize("text", ["{}", "[]", '{"mcpServers": []}', '{"mcpServers": {}}'])
def test_a_file_without_servers_is_not_worth_a_word(tmp_path: Path, text: str) -> None:
    assert notice(tmp_path, text) is None


def test_what_is_no_plain_file_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    assert project_notice(str(tmp_path)) is None
    os.mkfifo(path)
    assert project_notice(str(tmp_path)) is None
    path.unlink()
    (tmp_path / "real").write_text('{"mcpServers": {"a": {}}}')
    path.symlink_to(tmp_path / "real")
    assert project_notice(str(tmp_path)) is None
    path.unlink()
    path.mkdir()
    assert project_notice(str(tmp_path)) is None
