"""The tool that runs command lines, in front of the person or in the background."""

import os
import re
from collections.abc import Mapping
from typing import Any

from parley.coder.errors import ToolError
from parley.coder.permission.access import RunsCommand
from parley.coder.permission.paths import Scope
from parley.coder.permission.policy import changes_protected
from parley.coder.permission.readonly import impact_of
from parley.coder.permission.shell import parse
from parley.coder.providers.provider import ToolSpec
from parley.coder.sandbox.changes import changed, look
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.scripts import check_unchanged, marks_of
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.coder.workspace.outside import environment_outside
from parley.coder.workspace.shell import Ran, run_line
from parley.coder.workspace.workspace import Workspace, real_path
from parley.session.content import ContentItem, Text, ToolItem
from parley.session.event import ExitStatus, ToolKind

DEFAULT_SECONDS = 120
MOST_SECONDS = 600

_TITLE_CHARACTERS = 200
_MOST_NAMED = 10


class Bash:
    """`bash`: run a command line, live output included."""

    spec = ToolSpec(
        "bash",
        "Run a command line in a shell and return its exit code and output. Every call is a new "
        "shell: variables and `cd` do not carry over; use `cwd` or `cd dir && ...`. The command "
        "has no terminal and reads no input, so give flags like `--yes` and messages like "
        "`git commit -m`. Of a long output the beginning and the end are returned. Use "
        "`read_file`, `grep`, `glob` and `edit_file` for files; they are faster and need no "
        "permission to read. Commands may be confined: then they can write only in the workspace "
        "and the temp folder, and cannot read keys; do not try to get around that. "
        "For servers, watchers and anything that takes minutes set "
        "`background`, then look at it with `bash_output` and end it with `stop_job`.",
        {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line."},
                "timeout": {
                    "type": "integer",
                    "description": f"Seconds until it is stopped; {DEFAULT_SECONDS} unless given, "
                    f"at most {MOST_SECONDS}.",
                },
                "cwd": {
                    "type": "string",
                    "description": "The folder to run in, inside the workspace; the session's "
                    "folder unless given.",
                },
                "background": {
                    "type": "boolean",
                    "description": "Return a job id at once and let the command run on.",
                },
                "description": {
                    "type": "string",
                    "description": "What it is for, in a few words, for the person who is asked.",
                },
            },
            "required": ["command"],
        },
    )
    kind: ToolKind = "execute"
    category: Category = "execute"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        line = given.text("command")
        seconds = given.optional_integer("timeout", least=1, most=MOST_SECONDS) or DEFAULT_SECONDS
        cwd = folder_of(desk.workspace, given.optional_text("cwd"))
        background = given.flag("background")
        purpose = given.optional_text("description")
        given.done()
        if "\0" in line:
            raise ToolError("`command` has a zero byte in it, which no command line can have")
        preview = _preview(line, purpose)
        access = RunsCommand(line, cwd)
        scripts = marks_of(line, cwd)

        async def run(progress: Progress) -> Outcome:
            # Between the question and the answer somebody may have put a link there.
            if folder_of(desk.workspace, cwd) != cwd:
                raise ToolError(f"`{cwd}` is no longer the folder it was; try again")
            check_unchanged(line, cwd, scripts)
            roots = desk.workspace.roots
            # Whoever is asked about such a command sees the path and agrees to the change.
            scope = Scope(roots, cwd, real_path, desk.own)
            agreed = changes_protected(access, scope)
            box = await desk.workspace.confine(not agreed)
            environment, search = desk.environment, None
            if impact_of(parse(line), scope) != "changes":
                # It may run unasked for what its programs do, so they must be the ones meant.
                environment = environment_outside(roots, environment)
                search = environment["PATH"]
            if background:
                job = desk.jobs.start(line, cwd, environment, box)
                return _begun(job.id)
            before = look(roots)
            ran = await run_line(
                desk.workspace,
                environment,
                line,
                cwd=cwd,
                seconds=seconds,
                screen=progress,
                above=preview,
                box=box,
                search=search,
            )
            paths = changed(before, look(roots))
            return _outcome(ran, seconds, preview, tuple(map(desk.workspace.shown, paths)))

        where = "" if cwd == folder_of(desk.workspace, None) else f" in {one_line(cwd)}"
        how = "Start" if background else "Run"
        title = f"{how} `{one_line(line, _TITLE_CHARACTERS)}`{where}"
        return Prepared(title, (access,), run, preview=preview)


def folder_of(workspace: Workspace, cwd: str | None) -> str:
    """Where a command starts, with all links resolved.

    Raises:
        ToolError: there is no such folder inside the roots.
    """
    place = workspace.place(cwd or os.curdir)
    if not os.path.isdir(place.path):
        raise ToolError(f"there is no folder `{one_line(cwd or place.path)}`")
    return place.path


def ending(status: ExitStatus) -> str:
    """How a command ended, in words."""
    if status.signal is not None:
        return f"Ended by {status.signal}"
    return "Exit code unknown" if status.code is None else f"Exit code {status.code}"


def fenced(text: str) -> str:
    """The text as a block of code, whatever is in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _preview(line: str, purpose: str | None) -> tuple[ToolItem, ...]:
    """The whole command where the title does not show it, every character visible."""
    shown: list[str] = []
    if "\n" in line or one_line(line, _TITLE_CHARACTERS) != line:
        # An escape is at most ten characters long, so nothing is cut here.
        lines = [one_line(each, 10 * len(each) + 1) for each in line.split("\n")]
        shown.append(fenced("\n".join(lines)))
    if purpose is not None:
        shown.append(one_line(purpose))
    return tuple(ContentItem(Text(each)) for each in shown)


def _begun(job_id: str) -> Outcome:
    return Outcome(
        f"Started as `{job_id}`. Read its output with `bash_output`, end it with `stop_job`.",
        raw_output={"job_id": job_id},
    )


def _outcome(
    ran: Ran, seconds: int, preview: tuple[ToolItem, ...], touched: tuple[str, ...] = ()
) -> Outcome:
    said = ending(ran.exit)
    if ran.timed_out:
        said = (
            f"Timed out after {seconds} seconds and was stopped. Give a longer `timeout`, or set "
            "`background` for what does not end by itself. It wrote until then:"
        )
    output = ran.output.strip("\n")
    text = f"{said}\n\n{output}" if output else f"{said}\n\n(no output)"
    raw: dict[str, Any] = {
        "exit_code": ran.exit.code,
        "output": ran.output,
        "timed_out": ran.timed_out,
    }
    if ran.exit.signal is not None:
        raw["signal"] = ran.exit.signal
    item = ran.item or ContentItem(Text(f"{fenced(output)}\n{said}"))
    failed = ran.timed_out or ran.exit.code != 0
    warning = _warning(touched)
    if warning:
        text = f"{text}\n\n{warning}"
        preview = (*preview, ContentItem(Text(warning)))
        raw["changed_protected_paths"] = list(touched)
    return Outcome(text, (*preview, item), raw, failed)


def _warning(touched: tuple[str, ...]) -> str:
    """What a person should know of paths that decide what runs later."""
    if not touched:
        return ""
    named = ", ".join(f"`{one_line(path)}`" for path in touched[:_MOST_NAMED])
    more = f" and {len(touched) - _MOST_NAMED} more" if len(touched) > _MOST_NAMED else ""
    return f"This command changed {named}{more}, which can decide what runs later."
