"""The kernel's limits: what a rule set says, for a process that ends with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from parley.coder.sandbox import landlock
from parley.coder.sandbox.box import LandlockBox
from parley.coder.sandbox.policy import Limits


def ran(limits: Limits, script: str, version: int | None = None) -> str:
    box = LandlockBox(limits, version or landlock.abi(), None)
    with box.launch(("sh", "-c", script), "/") as launch:
        done = subprocess.run(
            launch.command, preexec_fn=launch.setup, capture_output=True, text=True, timeout=5
        )
    return done.stdout


def test_this_kernel_is_new_enough_for_what_is_tested_here() -> None:
    assert landlock.abi() >= landlock.LEAST_ABI


def test_a_system_that_is_no_linux_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert landlock.abi() == 0


def test_a_version_handles_the_rights_that_it_knows() -> None:
    assert landlock.handled(3).bit_length() == 15
    assert landlock.handled(5).bit_length() == 16


@pytest.mark.parametrize("version", [3, 4, 5, 6])
def test_every_version_lets_a_command_write_inside_and_not_outside(
    tmp_path: Path, version: int
) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    script = f"cd {inside}; echo 1 > a && mkdir b && mv a b/ && cat b/a; echo 2 > {tmp_path}/c"
    assert ran(Limits((str(inside),)), script, version) == "1\n"
    assert not (tmp_path / "c").exists()


def test_what_is_hidden_cannot_be_read_and_what_lies_beside_it_can(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/key").write_text("secret")
    (tmp_path / "open").write_text("fine")
    (tmp_path / "link").symlink_to(tmp_path / "keys/key")
    limits = Limits((), (str(tmp_path / "keys"),))
    assert ran(limits, f"cd {tmp_path}; cat open link keys/key") == "fine"


def test_a_hidden_file_inside_the_workspace_is_neither_read_nor_written(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("secret")
    (tmp_path / "src").mkdir()
    limits = Limits((str(tmp_path),), (str(tmp_path / "key"),))
    script = f"cd {tmp_path}; cat key; echo x > key; echo 1 > src/a; cat src/a"
    assert ran(limits, script) == "1\n"
    assert (tmp_path / "key").read_text() == "secret"


def test_a_folder_that_is_not_there_needs_no_rule(tmp_path: Path) -> None:
    assert ran(Limits((str(tmp_path / "none"),)), "echo ran") == "ran\n"


def test_a_kernel_that_refuses_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "_CREATE_RULESET", 100_000)
    with pytest.raises(OSError, match="refuses the limits"):
        landlock.ruleset(Limits(()), landlock.abi())
    assert landlock.abi() == 0


def test_a_rule_that_is_refused_leaves_no_descriptor_open(monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(landlock, "_ADD_RULE", 100_000)
    with pytest.raises(OSError, match="refuses a rule"):
        landlock.ruleset(Limits(()), landlock.abi())
    assert len(os.listdir("/proc/self/fd")) == before


def test_nothing_here_confines_the_process_that_asks() -> None:
    status = Path("/proc/self/status").read_text()
    assert "NoNewPrivs:\t0" in status
