"""What commands see of the environment."""

import os
import subprocess
from pathlib import Path

import pytest

from parley.cli.tool_environment import tool_environment

ALWAYS = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
}

SECRETS = {
    "OPENAI_API_KEY": "c1",
    "AWS_SECRET_ACCESS_KEY": "c2",
    "GH_TOKEN": "c3",
    "PGPASSWORD": "c4",
    "GOOGLE_APPLICATION_CREDENTIALS": "c5",
    "SSH_PASSPHRASE": "c6",
    "DATABASE_URL": "postgres://u:c7@h/db",
    "STRIPE": "sk-c8",
    "XDG_SESSION_TOKEN": "c9",
    "LC_API_KEY": "c10",
    "HTTPS_PROXY": "http://u:c11@proxy",
    "RUSTFLAGS": "--cfg sk-c12",
    "PARLEY_MODEL": "c13",
    "UNKNOWN": "c14",
}


@pytest.fixture(autouse=True)
def _environ(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        monkeypatch.delenv(name)
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


def test_no_secret_gets_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("VIRTUAL_ENV", "/venv")
    monkeypatch.setenv("LC_ALL", "C")
    expected = {"HOME": "/home/me", "VIRTUAL_ENV": "/venv", "LC_ALL": "C"}
    assert tool_environment() == ALWAYS | expected


def test_the_search_path_has_nothing_of_the_folder_a_command_runs_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin::.:bin:node_modules/.bin:/bin")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/usr/lib:")
    expected = {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": "/usr/lib"}
    assert tool_environment() == ALWAYS | expected


def test_what_the_user_names_gets_through() -> None:
    assert tool_environment(("GH_TOKEN", "NONE")) == ALWAYS | {"GH_TOKEN": "c3"}


def test_git_does_not_run_what_a_repository_names_as_its_monitor(tmp_path: Path) -> None:
    def git(*arguments: str, env: dict[str, str]) -> None:
        env = {**env, "PATH": os.defpath, "HOME": str(tmp_path)}
        subprocess.run(("git", "-C", tmp_path, *arguments), env=env, check=True, timeout=20)

    mark = tmp_path / "mark"
    git("init", "-q", env={})
    git("config", "core.fsmonitor", f"touch {mark}; false", env={})
    git("status", "-s", env=tool_environment())
    assert not mark.exists()
    git("status", "-s", env={})
    assert mark.exists()
