"""Agents are installed once, and what the installer says against it is told."""

from pathlib import Path

import pytest

from tests.others.installing import CannotInstall, install
from tests.others.strangers import Stranger

AGENT = Stranger("agent", "npm", ("agent@1.2.3", "zod@4.1.12"), lambda folder: [])


def test_packages_are_installed_once_and_by_exact_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _npm(tmp_path, monkeypatch, 'echo "$@" >> asked')
    folder = install(AGENT, tmp_path / "cache")
    assert install(AGENT, tmp_path / "cache") == folder == tmp_path / "cache" / "agent-1.2.3"
    [asked] = (folder / "asked").read_text().splitlines()
    assert asked.endswith("agent@1.2.3 zod@4.1.12")
    assert "--ignore-scripts" in asked
    assert (folder / "agent.mjs").exists()


def test_what_npm_says_last_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _npm(tmp_path, monkeypatch, "echo first; echo no network >&2; exit 1")
    with pytest.raises(CannotInstall, match=r"^no network$"):
        install(AGENT, tmp_path / "cache")


def test_an_installation_that_failed_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _npm(tmp_path, monkeypatch, "exit 1")
    with pytest.raises(CannotInstall, match="said nothing"):
        install(AGENT, tmp_path / "cache")
    _npm(tmp_path, monkeypatch, "touch done")
    assert (install(AGENT, tmp_path / "cache") / "done").exists()


def test_without_npm_that_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotInstall, match="there is no `npm` on the path"):
        install(AGENT, tmp_path / "cache")


def _npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str) -> None:
    program = tmp_path / "bin" / "npm"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
