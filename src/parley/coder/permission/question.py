"""The question that a person is asked: exactly what would run or change, and nothing hidden."""

import posixpath
from collections.abc import Callable

from msgspec.structs import replace

from parley.coder.permission.access import (
    Access,
    CallsServer,
    Delegates,
    FetchesUrl,
    ReadsPath,
    RunsCommand,
    TouchesNothing,
    WritesPath,
)
from parley.coder.permission.policy import Request, Verdict
from parley.coder.permission.remember import options_for
from parley.coder.permission.visible import visible, visible_lines
from parley.session.event import ToolCallChanged
from parley.session.question import PermissionQuestion, ToolCallSubject


def question_for(
    request: Request,
    title: str,
    tool_call: ToolCallChanged,
    verdict: Verdict,
    roots: tuple[str, ...],
    resolve: Callable[[str], str] = posixpath.normpath,
) -> PermissionQuestion:
    """What to ask before a call runs. The whole of it is in the description, never shortened."""
    shown = visible(title)
    lines = [line for access in request.access for line in _described(access, roots)]
    return PermissionQuestion(
        title=shown,
        options=options_for(request, roots=roots, lasting=verdict.lasting, resolve=resolve),
        subject=ToolCallSubject(replace(tool_call, title=shown)),
        description="\n".join([*lines, visible(verdict.reason)]),
    )


def _described(access: Access, roots: tuple[str, ...]) -> list[str]:
    match access:
        case RunsCommand(command=command, cwd=cwd):
            elsewhere = "" if cwd == roots[0] else ", which is not the folder of the session"
            return [f"Run in {visible(cwd)}{elsewhere}:", visible_lines(command)]
        case WritesPath(path=path):
            return [f"Write {visible(path)}"]
        case ReadsPath(path=path):
            return [f"Read {visible(path)}"]
        case FetchesUrl(url=url):
            return [f"Fetch {visible(url)}"]
        case CallsServer(server=server, tool=tool, arguments=arguments):
            shown = f"Call `{visible(tool)}` of the MCP server `{visible(server)}` with:"
            return [shown, visible_lines(arguments)]
        case Delegates(task=task, tools=tools):
            named = ", ".join(f"`{visible(tool)}`" for tool in tools)
            return [f"Start a sub-agent that may use {named}, for this task:", visible_lines(task)]
        case TouchesNothing():
            return []
