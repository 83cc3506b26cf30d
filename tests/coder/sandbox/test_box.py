"""The calls that confine a child, made by real ones."""

import os
import subprocess
from pathlib import Path

import pytest

from parley.coder.sandbox import landlock
from parley.coder.sandbox.box import LandlockBox, kind_of
from parley.coder.sandbox.policy import Limits
from parley.coder.sandbox.seccomp import program


def test_a_confined_program_has_no_new_privileges_a_filter_and_few_capabilities() -> None:
    box = LandlockBox(Limits(()), landlock.abi(), program(os.uname().machine, network=True))
    with box.launch(("cat", "/proc/self/status"), "/") as launch:
        status = subprocess.check_output(
            launch.command, preexec_fn=launch.setup, text=True, timeout=5
        )
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"
    # To own files of others and to become somebody else, and nothing that concerns the system.
    assert int(fields["CapEff"], 16) & ~0b10011111011 == 0


def test_a_child_that_cannot_be_confined_does_not_run(tmp_path: Path) -> None:
    box = LandlockBox(Limits(()), landlock.abi(), b"no filter at all")
    with (
        box.launch(("touch", str(tmp_path / "ran")), "/") as launch,
        pytest.raises(subprocess.SubprocessError),
    ):
        subprocess.run(launch.command, preexec_fn=launch.setup, timeout=5)
    assert not (tmp_path / "ran").exists()


def test_the_rule_set_is_closed_at_the_end() -> None:
    before = len(os.listdir("/proc/self/fd"))
    with LandlockBox(Limits(()), landlock.abi(), None).launch(("true",), "/"):
        assert len(os.listdir("/proc/self/fd")) == before + 1
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_link_is_nothing_that_could_be_mounted_over(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    kinds = [kind_of(str(tmp_path / name)) for name in (".", "file", "link", "pipe", "none")]
    assert kinds == ["folder", "file", None, None, None]
