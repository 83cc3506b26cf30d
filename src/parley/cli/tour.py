"""`parley tour`: a real task in a small project of its own, with nothing configured, explained."""

import argparse
import os
import shlex
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from parley.cli import run as runs
from parley.cli.help_text import filled, help_width
from parley.cli.tour_project import FILES
from parley.client.agents import own_agent
from parley.errors import ConfigError
from parley.frontend.headless.exit_code import ExitCode

TASK = (
    "read weather.py then "
    'replace "len(readings) + 1" with "len(readings)" in weather.py then '
    "run python3 -m unittest -q"
)
_BEFORE = """\
A small project with a bug is in {folder}.

The agent gets this task, in the plain commands that it understands without a model:

  {task}

It asks before it changes a file or runs a command. This time the answers are given beforehand:
--allow edit --allow 'bash:python3 -m unittest *'."""
_AFTER = """\
What happened: `parley run` started the agent `parley acp` as an editor would and gave it the task
over the Agent Client Protocol. It read the file, asked for the edit and for the command, and the
tests of the project pass now. The session was kept.

Next:
  {parley} sessions --all   find it again
  {parley} doctor           see how to give the agent a model
  {parley} run "list ."     let it work in your own folder
  {parley} setup zed        use it in an editor"""
_STOPPED = """\
You have stopped it. The project is in {folder}; `{parley} tour` begins with another one."""
_FAILED = """\
This did not work. `{parley} doctor` shows what is missing; the project is in {folder}."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, help="where the project is put; must not exist yet")


def run(options: argparse.Namespace) -> int:
    folder = _project(options.folder)
    _say(_BEFORE.format(folder=folder, task=TASK.replace(" then ", "\n  then ")))
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    given = ["--cwd", str(folder), "--no-stdin"]
    given += ["--allow", "edit", "--allow", "bash:python3 -m unittest *", TASK]
    started = parser.parse_args(given)
    agent = own_agent().start
    assert agent is not None
    started.agent_command = [*agent.command, "--provider", "offline"]
    status = runs.run(started)
    stopped = (ExitCode.CANCELLED, ExitCode.LEFT)
    text = _AFTER if status == 0 else _STOPPED if status in stopped else _FAILED
    _say(text.format(folder=folder, parley=typed(sys.argv[0])))
    return status


def typed(program: str) -> str:
    """What begins a command line of ours here: `parley` if a shell finds it, else what began this.

    After a setup into a folder of its own, only the path leads to it.
    """
    if os.path.basename(program) != "parley" or _is_same(shutil.which("parley"), program):
        return "parley"
    return shlex.quote(program)


def _is_same(found: str | None, program: str) -> bool:
    with suppress(OSError):
        return found is not None and os.path.samefile(found, program)
    return False


def _project(folder: Path | None) -> Path:
    """The project on the disk. It stays there, since somebody may want to look at it."""
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="parley-tour-"))
    else:
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            raise ConfigError(
                "parley tour", "--folder", f"names `{folder}`, which exists", "name a new one"
            ) from None
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return Path(os.path.realpath(folder))


def _say(text: str) -> None:
    """Explain something: on stderr, since it is no output of the task, and as wide as fits."""
    print(filled(text, help_width()), end="\n\n", file=sys.stderr, flush=True)
