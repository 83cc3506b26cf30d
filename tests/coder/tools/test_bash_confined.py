"""Command lines inside the sandbox: in front, in the background, and with protected paths."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from parley.coder.errors import ToolError
from parley.coder.sandbox.box import Box
from parley.coder.sandbox.sandbox import Sandbox
from parley.coder.tools.bash import Bash
from parley.coder.tools.job import BashOutput
from parley.coder.tools.tool import Desk, Outcome
from parley.coder.workspace.workspace import Workspace
from parley.session.content import ContentItem, Text
from tests.coder.tools.witness import call
from tests.sdk.stage import run

# Mechanisms differ in what they say.
REFUSED = re.compile("Permission denied|Read-only file system")


class Confined:
    """A desk in a sandbox, and whether protected paths were to be kept for each command."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.outside = folder / "outside"
        self.outside.mkdir()
        self.kept: list[bool] = []
        self._sandbox = Sandbox("auto", hidden=(str(self.outside),))
        roots = (str(self.project),)
        environment = {"PATH": os.environ["PATH"]}
        self.desk = Desk("s", Workspace(roots, confine=self._confine), environment=environment)

    async def _confine(self, protected: bool) -> Box | None:
        self.kept.append(protected)
        return await self._sandbox.box(self.desk.workspace.roots, protected=protected)

    def bash(self, command: str, **more: object) -> Outcome:
        found: list[Outcome] = []

        async def scenario() -> None:
            found.append(await call(Bash(), self.desk, {"command": command, **more}))
            if more.get("background"):
                job = {"job_id": "job-1", "wait_seconds": 4}
                found.append(await call(BashOutput(), self.desk, job))

        run(scenario())
        return found[-1]


def test_a_command_writes_inside_and_not_outside(tmp_path: Path) -> None:
    stage = Confined(tmp_path)
    outcome = stage.bash(f"echo 1 > inside && cat inside; echo 2 > {stage.outside}/made")
    assert outcome.text.startswith("Exit code 1\n\n1\n")
    assert REFUSED.search(outcome.text)
    assert not list(stage.outside.iterdir())


def test_a_job_in_the_background_is_confined_too(tmp_path: Path) -> None:
    stage = Confined(tmp_path)
    outcome = stage.bash(f"echo 1 > inside; echo 2 > {stage.outside}/made", background=True)
    assert REFUSED.search(outcome.text)
    assert (stage.project / "inside").exists()
    assert not list(stage.outside.iterdir())


def test_a_change_of_a_protected_path_is_reported_to_everybody(tmp_path: Path) -> None:
    stage = Confined(tmp_path)
    outcome = stage.bash("p=.vsc; mkdir ${p}ode; touch ${p}ode/tasks.json")
    warning = (
        "This command changed `.vscode`, `.vscode/tasks.json`, which can decide what runs later."
    )
    assert outcome.text.endswith(warning)
    assert outcome.content is not None
    assert ContentItem(Text(warning)) in outcome.content
    assert outcome.raw_output["changed_protected_paths"] == [".vscode", ".vscode/tasks.json"]


def test_a_long_list_of_changes_is_shortened(tmp_path: Path) -> None:
    stage = Confined(tmp_path)
    outcome = stage.bash("d=.vsc; mkdir ${d}ode; cd ${d}ode; touch $(seq 20)")
    assert outcome.text.endswith(" and 11 more, which can decide what runs later.")


def test_protected_paths_are_kept_unless_the_command_names_them(tmp_path: Path) -> None:
    stage = Confined(tmp_path)
    stage.bash("echo 1 > a")
    stage.bash("cat .git/config")
    stage.bash("mkdir -p .git/hooks")
    stage.bash("git config core.pager cat")
    assert stage.kept == [True, True, False, False]


def test_a_folder_that_the_model_chooses_does_not_move_the_limits(tmp_path: Path) -> None:
    stage = Confined(tmp_path)
    (stage.project / "link").symlink_to(stage.outside)
    with pytest.raises(ToolError, match="outside the workspace"):
        stage.bash("touch made", cwd=str(stage.outside))
    with pytest.raises(ToolError, match="outside the workspace"):
        stage.bash("touch made", cwd="link")
    (stage.project / "sub").mkdir()
    assert stage.bash("touch ../made", cwd="sub").text.startswith("Exit code 0")


def test_nothing_that_a_model_can_say_concerns_the_sandbox() -> None:
    schema = Bash.spec.schema["properties"]
    assert sorted(schema) == ["background", "command", "cwd", "description", "timeout"]


def test_a_commit_works_in_a_worktree_whose_repository_lies_outside(tmp_path: Path) -> None:
    stage = Confined(tmp_path)
    stage.project.rmdir()
    git = "git -c user.name=a -c user.email=a@example.org"
    make = f"{git} init -q . && {git} commit -q --allow-empty -m one"
    script = f"{make} && git worktree add -q {stage.project}"
    (tmp_path / "main").mkdir()
    subprocess.run(("sh", "-c", script), cwd=tmp_path / "main", check=True, timeout=5)
    outcome = stage.bash(f"echo 1 > a && git add a && {git} commit -q -m two && git log --oneline")
    assert outcome.text.count("\n") == 3, outcome.text


def test_whoever_agrees_to_change_what_is_the_agents_own_may(tmp_path: Path) -> None:
    stage = Confined(tmp_path)
    stage.desk.own = (f"{stage.project}/mine",)
    stage.bash("echo 1 > mine")
    stage.bash("echo 1 > other")
    assert stage.kept == [False, True]


def test_whoever_agrees_to_a_target_that_nobody_can_tell_agreed_to_no_protected_path(
    tmp_path: Path,
) -> None:
    stage = Confined(tmp_path)
    stage.bash("F=made; echo 1 > $F")
    assert stage.kept == [True]
    assert (stage.project / "made").exists()
