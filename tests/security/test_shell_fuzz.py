"""No random line that really runs a program gets past the rules about it."""

from pathlib import Path

from tests.security.shell_fuzz import Field, lines, passed


def test_a_line_that_a_shell_runs_is_noticed_by_the_rules(tmp_path: Path) -> None:
    ran, failures = passed(200, 11, tmp_path)
    assert ran > 60
    assert failures == []


def test_the_stand_in_leaves_a_mark(tmp_path: Path) -> None:
    field = Field(tmp_path)
    assert field.runs("touch x")
    assert field.runs("sudo env t'ou'ch x")
    assert not field.runs("echo touch x")


def test_the_same_seed_gives_the_same_lines() -> None:
    assert list(lines(50, 3)) == list(lines(50, 3)) != list(lines(50, 4))
