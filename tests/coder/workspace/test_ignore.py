"""Ignore files say what is left out, the deeper and the more special one winning."""

import os
import sys
from pathlib import Path

import pytest

from parley.coder.workspace.ignore import NOTHING_IGNORED, Ignores, ignores_above, rules_in


def _entered(ignores: Ignores, steps: tuple[str, ...], git: bool = False, **found: str) -> Ignores:
    return ignores.entered(steps, {f".{kind}": text for kind, text in found.items()}, git=git)


def test_without_rules_nothing_is_said() -> None:
    assert NOTHING_IGNORED.verdict(("a", "b"), folder=False) is None
    assert NOTHING_IGNORED.entered(("a",), {}, git=False) is NOTHING_IGNORED


def test_a_rule_counts_from_its_own_folder() -> None:
    ignores = _entered(NOTHING_IGNORED, ("r",), gitignore="/build/\n*.log\n!keep.log\n")
    assert ignores.verdict(("r", "build"), folder=True) is True
    assert ignores.verdict(("r", "build"), folder=False) is None
    assert ignores.verdict(("r", "sub", "build"), folder=True) is None
    assert ignores.verdict(("r", "sub", "x.log"), folder=False) is True
    assert ignores.verdict(("r", "sub", "keep.log"), folder=False) is False


def test_a_rule_of_a_deeper_folder_wins() -> None:
    ignores = _entered(NOTHING_IGNORED, ("r",), gitignore="*.log")
    deeper = _entered(ignores, ("r", "sub"), gitignore="!*.log")
    assert deeper.verdict(("r", "sub", "x.log"), folder=False) is False
    assert ignores.verdict(("r", "x.log"), folder=False) is True


def test_a_more_special_file_wins_at_any_depth() -> None:
    ignores = _entered(NOTHING_IGNORED, ("r",), ignore="!*.log")
    deeper = _entered(ignores, ("r", "sub"), gitignore="*.log")
    assert deeper.verdict(("r", "sub", "x.log"), folder=False) is False
    special = _entered(deeper, ("r", "sub", "sub"), rgignore="*.log")
    assert special.verdict(("r", "sub", "sub", "x.log"), folder=False) is True


def test_a_repository_does_not_obey_the_git_rules_above_it() -> None:
    ignores = _entered(NOTHING_IGNORED, ("r",), gitignore="*.log", ignore="*.tmp")
    inner = _entered(ignores, ("r", "repo"), git=True)
    assert inner.verdict(("r", "repo", "x.log"), folder=False) is None
    assert inner.verdict(("r", "repo", "x.tmp"), folder=False) is True


def test_a_line_that_is_no_pattern_does_not_spoil_the_others() -> None:
    ignores = _entered(NOTHING_IGNORED, ("r",), gitignore="!\n*.log\n")
    assert ignores.verdict(("r", "x.log"), folder=False) is True


def test_without_the_package_for_patterns_nothing_is_ignored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pathspec", None)
    ignores = _entered(NOTHING_IGNORED, ("r",), gitignore="*.log")
    assert ignores.verdict(("r", "x.log"), folder=False) is None


def test_the_rules_above_a_folder_are_found(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log")
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / ".ignore").write_text("*.tmp")
    (tmp_path / "repo" / "sub").mkdir()
    above = ignores_above(str(tmp_path / "repo" / "sub"))
    steps = (*tmp_path.parts[1:], "repo", "sub")
    assert above.verdict((*steps, "x.tmp"), folder=False) is True
    assert above.verdict((*steps, "x.log"), folder=False) is None
    assert ignores_above(str(tmp_path / "other")).verdict(
        (*tmp_path.parts[1:], "other", "x.log"), folder=False
    )
    assert ignores_above("/") == NOTHING_IGNORED


def test_a_folder_above_that_is_gone_says_nothing(tmp_path: Path) -> None:
    gone = tmp_path / "gone" / "deep"
    assert ignores_above(str(gone)) == ignores_above(str(tmp_path / "x"))


def test_an_ignore_file_that_is_no_plain_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("*")
    (tmp_path / ".gitignore").symlink_to("rules")
    os.mkfifo(tmp_path / ".ignore")
    (tmp_path / ".rgignore").write_bytes(b"\xff*.log\n")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        assert rules_in(folder) == {".rgignore": "\ufffd*.log\n"}
    finally:
        os.close(folder)
