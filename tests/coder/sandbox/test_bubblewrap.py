"""Bubblewrap: where the program is found, and what it is told."""

import os
from pathlib import Path

import pytest

from parley.coder.sandbox.bubblewrap import BubblewrapBox, arguments, find
from parley.coder.sandbox.policy import Limits, protected_in


def told(limits: Limits, word: str) -> list[str]:
    """The paths that a word of the command line is followed by."""
    words = arguments(limits)
    return [words[at + 1] for at, each in enumerate(words) if each == word]


def test_a_program_inside_the_workspace_is_not_used(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert find((), (str(tmp_path),)) == str(program)
    assert find((str(tmp_path),), (str(tmp_path),)) is None
    assert find((), ()) is None


def test_the_whole_system_is_read_only_and_the_workspace_is_laid_over_it(tmp_path: Path) -> None:
    words = arguments(Limits((str(tmp_path), str(tmp_path / "none"))))
    assert words[:3] == ("--ro-bind", "/", "/")
    assert told(Limits((str(tmp_path), str(tmp_path / "none"))), "--bind") == [str(tmp_path)]
    assert "--unshare-net" not in words
    assert "--unshare-net" in arguments(Limits((), network=False))


def test_protected_paths_that_exist_are_read_only_and_cannot_be_moved(tmp_path: Path) -> None:
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / ".git/config").touch()
    (tmp_path / ".vscode").symlink_to(tmp_path)
    limits = Limits((str(tmp_path),), protected=protected_in(str(tmp_path)))
    git = str(tmp_path / ".git")
    assert told(limits, "--bind") == [str(tmp_path), git]
    assert told(limits, "--ro-bind") == ["/", f"{git}/config", f"{git}/hooks"]


def test_the_folders_around_hidden_and_own_paths_cannot_be_moved(tmp_path: Path) -> None:
    for name in (".config/gh", ".config/parley/skills"):
        (tmp_path / name).mkdir(parents=True)
    config = str(tmp_path / ".config")
    limits = Limits((str(tmp_path),), (f"{config}/gh",), own=(f"{config}/parley",))
    assert told(limits, "--bind") == [str(tmp_path), config]
    assert told(limits, "--ro-bind") == ["/", f"{config}/parley"]


def test_hidden_folders_are_empty_and_hidden_files_too(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    hidden = tuple(str(tmp_path / name) for name in ("folder", "file", "absent"))
    limits = Limits((), hidden)
    assert told(limits, "--tmpfs") == [hidden[0]]
    assert told(limits, "--remount-ro") == ["/proc", hidden[0]]
    words = arguments(limits)
    assert words[words.index(hidden[1]) - 1] == os.devnull
    assert hidden[2] not in words


def test_only_root_has_capabilities_to_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "--cap-add" not in arguments(Limits(()))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "CAP_DAC_OVERRIDE" in arguments(Limits(()))
    assert "CAP_SYS_ADMIN" not in arguments(Limits(()))


def test_the_filter_is_handed_over_in_a_descriptor(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    box = BubblewrapBox(Limits((str(tmp_path),)), "/usr/bin/bwrap", b"filter")
    with box.launch(("sh", "-c", "true"), str(tmp_path)) as launch:
        assert launch.command[0] == "/usr/bin/bwrap"
        assert launch.command[-4:] == ("--", "sh", "-c", "true")
        (descriptor,) = launch.keep
        assert launch.command[launch.command.index("--seccomp") + 1] == str(descriptor)
        assert os.read(descriptor, 100) == b"filter"
    assert len(os.listdir("/proc/self/fd")) == before
