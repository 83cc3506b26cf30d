"""What "always" means: the rule that an answer for the whole session leaves behind.

For a tool on files it is every call of that tool; protected paths ask nevertheless. For a command
it is never the tool: it is the words that say what the command does (`git commit`, `npm test`),
and for everything that could run something else it is the exact line. The options say so in
their names, so that nobody gives more away than is written there.
"""

import posixpath
from collections.abc import Callable

from parley.coder.permission.access import RunsCommand
from parley.coder.permission.paths import Scope
from parley.coder.permission.policy import Request
from parley.coder.permission.programs import leaves_free, naming_words
from parley.coder.permission.readonly import impacts_of
from parley.coder.permission.shell import parse
from parley.coder.permission.visible import visible
from parley.coder.store.entry import Remembered
from parley.session.question import PermissionOption


def remembered_for(
    request: Request,
    *,
    allowed: bool,
    roots: tuple[str, ...],
    resolve: Callable[[str], str] = posixpath.normpath,
) -> Remembered:
    """What to keep of an answer for the whole session."""
    commands = [access for access in request.access if isinstance(access, RunsCommand)]
    if not commands:
        return Remembered(allowed, request.tool)
    # A call that runs several lines is remembered by its first; the others ask again.
    scope = Scope(roots, commands[0].cwd, resolve)
    return Remembered(allowed, request.tool, _pattern(commands[0].command, scope))


def options_for(
    request: Request,
    *,
    roots: tuple[str, ...],
    lasting: bool = True,
    resolve: Callable[[str], str] = posixpath.normpath,
) -> tuple[PermissionOption, ...]:
    """The answers to choose from. `lasting` is that of the verdict: false offers no such yes."""
    remembered = remembered_for(request, allowed=True, roots=roots, resolve=resolve)
    covered = _covered(remembered)
    options = (
        PermissionOption("allow_once", "Allow once", "allow_once"),
        PermissionOption("allow_always", f"Always allow {covered} in this session", "allow_always"),
        PermissionOption("reject_once", "Reject once", "reject_once"),
        PermissionOption(
            "reject_always", f"Always reject {covered} in this session", "reject_always"
        ),
    )
    return tuple(option for option in options if lasting or option.kind != "allow_always")


def _covered(remembered: Remembered) -> str:
    if not remembered.pattern:
        return f"every `{visible(remembered.tool)}` call"
    if remembered.pattern.startswith("="):
        return "exactly this command"
    return f"`{remembered.pattern} …`"


def _pattern(command: str, scope: Scope) -> str:
    line = parse(command)
    others = [
        part.argv
        for part, impact in zip(line.commands, impacts_of(line, scope), strict=False)
        if impact != "reads"
    ]
    if len(others) == 1:
        count = naming_words(others[0])
        if count is not None and leaves_free(others[0], count):
            return " ".join(others[0][:count])
    return f"={command}"
