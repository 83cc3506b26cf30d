"""The question that a person is asked: exactly what would run or change, and nothing hidden."""

from msgspec.structs import replace

from parley.coder.permission.access import (
    Access,
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
    cwd: str,
    verdict: Verdict | None = None,
) -> PermissionQuestion:
    """What to ask before a call runs in a session whose folder is `cwd`.

    The description holds the whole command or the real target, never shortened. With the verdict
    it also says why it is asked for, and offers no answer that would not hold.
    """
    shown = visible(title)
    lines = [line for access in request.access for line in _described(access, cwd)]
    if verdict is not None:
        lines.append(visible(verdict.reason))
    return PermissionQuestion(
        title=shown,
        options=options_for(request, lasting=verdict is None or verdict.lasting),
        subject=ToolCallSubject(replace(tool_call, title=shown)),
        description="\n".join(lines) or None,
    )


def _described(access: Access, cwd: str) -> list[str]:
    match access:
        case RunsCommand(command=command, cwd=folder):
            elsewhere = "" if folder == cwd else ", which is not the folder of the session"
            return [f"Run in {visible(folder)}{elsewhere}:", visible_lines(command)]
        case WritesPath(path=path):
            return [f"Write {visible(path)}"]
        case ReadsPath(path=path):
            return [f"Read {visible(path)}"]
        case FetchesUrl(url=url):
            return [f"Fetch {visible(url)}"]
        case TouchesNothing():
            return []
