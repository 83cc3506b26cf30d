"""What commands see of the environment."""

import os

import pytest

from parley.cli.tool_environment import tool_environment

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
    assert tool_environment() == {"HOME": "/home/me", "VIRTUAL_ENV": "/venv", "LC_ALL": "C"}


def test_the_search_path_has_nothing_of_the_folder_a_command_runs_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin::.:bin:node_modules/.bin:/bin")
    assert tool_environment() == {"PATH": "/usr/bin:/bin"}


def test_what_the_user_names_gets_through() -> None:
    assert tool_environment(("GH_TOKEN", "NONE")) == {"GH_TOKEN": "c3"}
