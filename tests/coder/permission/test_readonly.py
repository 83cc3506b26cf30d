"""Only commands that are known to read inside the workspace count as reading."""

import pytest

from parley.coder.permission.paths import Scope
from parley.coder.permission.readonly import impact_of, impacts_of
from parley.coder.permission.shell import parse
from tests.coder.permission.shell_argument_strings import UNRULED
from tests.coder.permission.shell_strings import READING, lines

SCOPE = Scope(("/w", "/second"), "/w")


@pytest.mark.parametrize("line", lines(READING))
def test_a_harmless_command_reads(line: str) -> None:
    assert impact_of(parse(line), SCOPE) == "reads"


@pytest.mark.parametrize("line", lines(UNRULED))
def test_a_command_that_could_do_more_does_not_only_read(line: str) -> None:
    assert impact_of(parse(line), SCOPE) != "reads"


@pytest.mark.parametrize(
    "line",
    [
        "git status",
        "git status --short",
        "git --no-pager log -5",
        "git log -p src/a.py",
        "git diff HEAD~1 -- src",
        "git show HEAD:src/a.py",
        "git blame src/a.py",
        "git branch",
        "git branch -vv",
        "git remote -v",
        "git stash list",
        "ls && git status | head",
    ],
)
def test_a_look_at_a_repository_inspects(line: str) -> None:
    assert impact_of(parse(line), SCOPE) == "inspects"


@pytest.mark.parametrize(
    "line",
    [
        "git",
        "git push",
        "git branch x",
        "git tag x",
        "git -c a=b status",
        "git diff --output=x",
        "git diff --no-index /etc/passwd x",
        "git log --ext-diff",
        "git stash",
        "git status > x",
        "git status && rm x",
    ],
)
def test_what_changes_a_repository_or_starts_programs_changes(line: str) -> None:
    assert impact_of(parse(line), SCOPE) == "changes"


def test_every_root_of_the_workspace_may_be_read() -> None:
    assert impact_of(parse("cat /second/x"), SCOPE) == "reads"
    assert impact_of(parse("cat /third/x"), SCOPE) == "changes"


def test_going_up_inside_the_workspace_is_fine() -> None:
    below = Scope(("/w",), "/w/a/b")
    assert impact_of(parse("cat ../x ../../y"), below) == "reads"
    assert impact_of(parse("cat ../../../x"), below) == "changes"


def test_nothing_reads_from_a_folder_outside_of_the_workspace() -> None:
    assert impact_of(parse("ls"), Scope(("/w",), "/etc")) == "changes"


def test_a_link_that_leads_out_is_not_read() -> None:
    links = {"/w/link": "/etc/passwd", "/w/out": "/etc", "/w/out/x": "/etc/x"}
    scope = Scope(("/w",), "/w", lambda path: links.get(path, path))
    assert impact_of(parse("cat link"), scope) == "changes"
    assert impact_of(parse("cd out && ls"), scope) == "changes"
    assert impact_of(parse("cat file"), scope) == "reads"


def test_behind_a_change_of_folder_both_places_must_do() -> None:
    assert impact_of(parse("cd a && cat ../x"), SCOPE) == "changes"
    assert impact_of(parse("cd a && cat ../x"), Scope(("/w",), "/w/b")) == "reads"


def test_behind_a_folder_that_is_left_nothing_is_known() -> None:
    assert impacts_of(parse("ls; cd /etc; ls"), SCOPE) == ("reads", "changes", "changes")


def test_too_many_changes_of_folder_are_not_followed() -> None:
    assert impact_of(parse("; ".join(["cd a"] * 3 + ["ls"])), SCOPE) == "reads"
    assert impact_of(parse("; ".join(["cd a"] * 30 + ["ls"])), SCOPE) == "changes"


def test_a_line_that_is_not_plain_has_no_impacts() -> None:
    assert impacts_of(parse("ls > x"), SCOPE) == ()
