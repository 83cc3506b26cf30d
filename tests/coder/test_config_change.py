"""A key is added to the configuration file, and nothing else changes in it."""

import os
import stat
from pathlib import Path

import pytest

from parley.coder.config_change import store_in_file, with_provider_key
from parley.coder.config_file import read_config_file
from parley.errors import ConfigError

COMMENTED = """\
# My settings.
[providers.openai]  # at work
key = "old"
models = ["a"]  # the good one

[agent]
mode = "plan"
"""


def test_a_key_is_changed_and_everything_else_stays() -> None:
    assert with_provider_key(COMMENTED, "openai", "key", "new") == COMMENTED.replace("old", "new")
    assert with_provider_key(COMMENTED, "groq", "keyring", True) == (
        COMMENTED + "\n[providers.groq]\nkeyring = true\n"
    )
    assert with_provider_key("", "groq", "key", "k") == '[providers.groq]\nkey = "k"\n'


@pytest.mark.parametrize(
    "text",
    [
        'providers.openai.key = "x"\n',
        'providers = {openai = {key = "x"}}\n',
        '[a]\nx = """\n[providers.openai]\n"""\n',
    ],
)
def test_a_file_in_a_strange_form_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="cannot be added"):
        store_in_file(path, "openai", {"key": "new"})
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_a_stored_key_lies_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    before = os.umask(0)
    try:
        store_in_file(path, "openai", {"key": "canary", "base_url": "http://x"})
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert read_config_file(path).providers["openai"].key == "canary"


def test_a_linked_file_stays_linked(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "config.toml"
    real.write_text("# mine\n")
    link.symlink_to(real)
    store_in_file(link, "openai", {"key": "k"})
    assert link.is_symlink()
    assert real.read_text() == '# mine\n\n[providers.openai]\nkey = "k"\n'


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot be written"):
        store_in_file(tmp_path / "file" / "config.toml", "openai", {"key": "k"})
