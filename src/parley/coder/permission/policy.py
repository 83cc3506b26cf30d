"""The policy: what a call may do at once, what only after asking, and what not at all.

It judges by what a call would touch and by nothing else: not by titles, kinds or names that a
model wrote. From the strongest to the weakest: a rule or an answer that denies; plan mode, which
only reads; protected paths and rules that ask; rules and answers that allow; the mode. Of several
things that a call touches, the strictest verdict counts.
"""

import posixpath
from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from parley.coder.permission.access import (
    Access,
    CallsServer,
    Category,
    Delegates,
    FetchesUrl,
    ReadsPath,
    RunsCommand,
    TouchesNothing,
    WritesPath,
)
from parley.coder.permission.denied_words import Hit
from parley.coder.permission.guess import pieces
from parley.coder.permission.nested import commands_in
from parley.coder.permission.paths import Scope, inside, relative
from parley.coder.permission.pattern import (
    EveryCall,
    PathPattern,
    covers,
    hits,
    spells_out,
    split_url,
)
from parley.coder.permission.protected import (
    git_settings,
    is_inside_one,
    is_protected,
    protected_word,
    unknown_target,
)
from parley.coder.permission.readonly import impact_of
from parley.coder.permission.rule import EVERY_TOOL, Effect, Rule, rule_of
from parley.coder.permission.shell import CommandLine, parse
from parley.coder.permission.visible import visible
from parley.coder.store.entry import Remembered

Mode = Literal["ask", "auto-edit", "plan", "full-access"]
MODES: tuple[Mode, ...] = ("ask", "auto-edit", "plan", "full-access")


class Request(Struct, frozen=True):
    """A call that wants to run."""

    tool: str
    category: Category
    access: tuple[Access, ...]


class Verdict(Struct, frozen=True):
    effect: Effect
    reason: str
    """For the model if it is denied, for a person if it is asked for."""
    lasting: bool = True
    """Whether an answer for the whole session would hold; if not, it must not be offered."""


def judge(
    request: Request,
    mode: str,
    rules: tuple[Rule, ...],
    remembered: tuple[Remembered, ...],
    roots: tuple[str, ...],
    resolve: Callable[[str], str] = posixpath.normpath,
    own: tuple[str, ...] = (),
) -> Verdict:
    """Decide about a call. A mode nobody knows is `ask`.

    `resolve` follows the symbolic links of an absolute path; without it the paths in a command
    are taken as they are written. `own` are real paths of the agent itself, which are protected.
    """
    # Many rules may look at the same path; it is resolved once, and anew for the next call.
    case = _Case(request, mode, (*rules, *map(rule_of, remembered)), roots, cache(resolve), own)
    verdicts = [case.verdict(access) for access in _touched(request)]
    strictest = min(verdicts, key=lambda verdict: _STRICTEST[verdict.effect])
    lasting = all(verdict.lasting for verdict in verdicts if verdict.effect == strictest.effect)
    return replace(strictest, lasting=lasting)


_STRICTEST = {"deny": 0, "ask": 1, "allow": 2}


def _touched(request: Request) -> tuple[Access | None, ...]:
    """What a call touches; `None` for what it does not say although its category does."""
    changes = WritesPath | RunsCommand | CallsServer | Delegates
    changing = any(isinstance(each, changes) for each in request.access)
    if not request.access or (request.category != "read" and not changing):
        return (*request.access, None)
    return request.access


class _Case(Struct, frozen=True):
    """One request with everything that bears on it."""

    request: Request
    mode: str
    rules: tuple[Rule, ...]
    roots: tuple[str, ...]
    resolve: Callable[[str], str]
    own: tuple[str, ...]

    def verdict(self, access: Access | None) -> Verdict:
        cwd = access.cwd if isinstance(access, RunsCommand) else self.roots[0]
        scope = Scope(self.roots, cwd, self.resolve, self.own)
        denied, rule = self._strongest("deny", access, scope)
        if denied == "yes":
            return Verdict("deny", f"The rule `{visible(rule)}` denies this.")
        if self.mode == "plan" and (refusal := self._plan_refusal(access, scope)):
            return Verdict("deny", refusal)
        if denied == "maybe":
            return Verdict("ask", f"The rule `{visible(rule)}` may concern this.", lasting=False)
        return self._unless_allowed(access, scope)

    def _unless_allowed(self, access: Access | None, scope: Scope) -> Verdict:
        allowed = tuple(
            rule.pattern
            for rule in self.rules
            if rule.effect == "allow" and rule.tool in (self.request.tool, EVERY_TOOL)
        )
        exact = access is not None and spells_out(allowed, access, scope)
        if not exact and (name := _protected(access, scope)):
            return Verdict("ask", f"`{visible(name)}` can decide what runs later.", lasting=False)
        asked, rule = self._strongest("ask", access, scope)
        if asked != "no":
            return Verdict("ask", f"The rule `{visible(rule)}` asks for this.", lasting=False)
        if EveryCall() in allowed if access is None else covers(allowed, access, scope):
            return Verdict("allow", "A rule or an earlier answer allows it.")
        return _default(access, self.mode, scope)

    def _strongest(self, effect: Effect, access: Access | None, scope: Scope) -> tuple[Hit, str]:
        """Whether a rule of an effect concerns an access, and the text of that rule."""
        found: tuple[Hit, str] = ("no", "")
        for rule in self.rules:
            hit = self._hit(rule, access, scope) if rule.effect == effect else "no"
            if hit == "yes":
                return "yes", rule.text
            if hit == "maybe":
                found = ("maybe", rule.text)
        return found

    def _hit(self, rule: Rule, access: Access | None, scope: Scope) -> Hit:
        if rule.tool in (self.request.tool, EVERY_TOOL):
            if access is None:
                return "yes" if isinstance(rule.pattern, EveryCall) else "maybe"
            return hits(rule.pattern, access, scope)
        if isinstance(rule.pattern, PathPattern) and isinstance(access, RunsCommand):
            # A command that names a path may do to it what the rule keeps another tool from.
            return "no" if hits(rule.pattern, access, scope) == "no" else "maybe"
        return "no"

    def _plan_refusal(self, access: Access | None, scope: Scope) -> str | None:
        match access:
            case WritesPath(path=path):
                shown = visible(relative(path, scope.roots) or path)
                return f"Plan mode only reads, so `{shown}` was not changed. {_PLAN}"
            case RunsCommand(command=command) if impact_of(parse(command), scope) == "changes":
                return f"Plan mode only runs commands that are known to only read. {_PLAN}"
            case CallsServer():
                return f"Plan mode only reads, and nobody knows what the server does. {_PLAN}"
            case Delegates(reads_only=False):
                return f"Plan mode only reads: start the sub-agent with the tools `read`. {_PLAN}"
            case None if self.request.category != "read":
                return f"Plan mode only reads, so `{self.request.tool}` did not run. {_PLAN}"
            case _:
                return None


_PLAN = "Describe what you would do instead, and let the user choose another mode."


def changes_protected(access: RunsCommand, scope: Scope) -> bool:
    """Whether a command names a protected path that it may change: it never runs unasked then.

    Where nobody can tell what it names, it is asked for too, but no path was agreed to.
    """
    return _protected(access, scope, in_doubt=False) is not None


def _protected(access: Access | None, scope: Scope, *, in_doubt: bool = True) -> str | None:
    """What an access would change that decides what runs later."""
    match access:
        case WritesPath(path=path):
            name = relative(path, scope.roots) or path
            return name if is_protected(name) or _is_within(path, scope) else None
        case RunsCommand(command=command):
            if impact_of(parse(command), scope) != "changes":
                return None
            if _is_within(scope.resolve(scope.cwd), scope):
                return scope.cwd
            commands = commands_in(command)
            if word := _own_word(commands.names, scope):
                return word
            named = protected_word(commands.names) or git_settings(commands.found)
            return named or (unknown_target(commands.written) if in_doubt else None)
        case _:
            return None


def _is_within(path: str, scope: Scope) -> bool:
    """Whether a path is the agent's own, or the session was opened where everything decides."""
    opened = (root for root in scope.roots if inside(path, (root,)))
    return inside(path, scope.own) or any(map(is_inside_one, opened))


def _own_word(words: Iterable[str], scope: Scope) -> str | None:
    """A word of a command that names something of the agent, as a whole or as a value."""
    for word in words if scope.own else ():
        places = (posixpath.join(scope.cwd, piece) for piece in pieces(word))
        if any(inside(scope.resolve(place), scope.own) for place in places):
            return word
    return None


def _default(access: Access | None, mode: str, scope: Scope) -> Verdict:
    """What the mode says where no rule does."""
    free = mode == "full-access"
    match access:
        case TouchesNothing():
            return Verdict("allow", "It touches nothing.")
        case ReadsPath(path=path):
            within = inside(path, scope.roots)
            return _unless(free or within, "It reads outside of the workspace.", lasting=within)
        case WritesPath(path=path):
            within = inside(path, scope.roots)
            reason = "It changes a file." if within else "It writes outside of the workspace."
            return _unless(free or (within and mode == "auto-edit"), reason, lasting=within)
        case FetchesUrl(url=url):
            clear = split_url(url) is not None
            return _unless(free or clear, "The address is not clear.", lasting=clear)
        case RunsCommand(command=command):
            return _default_for_command(parse(command), scope, free=free)
        case CallsServer():
            return _unless(free, "A tool of an MCP server can do anything.", lasting=True)
        case Delegates():
            return _unless(free, "A sub-agent asks for its calls as usual.", lasting=True)
        case None:
            return _unless(free, "What it touches is not known.", lasting=True)


def _default_for_command(line: CommandLine, scope: Scope, *, free: bool) -> Verdict:
    if free or impact_of(line, scope) == "reads":
        return Verdict("allow", "It only reads, or the mode allows everything.")
    if not inside(scope.resolve(scope.cwd), scope.roots):
        return Verdict("ask", "It runs outside of the workspace.", lasting=False)
    if line.facts:
        return Verdict("ask", f"There is {min(line.facts)} in it, so it is not fully understood.")
    return Verdict("ask", "It may change something, or look outside of the workspace.")


def _unless(allowed: bool, reason: str, *, lasting: bool) -> Verdict:
    if allowed:
        return Verdict("allow", "The mode allows it.")
    return Verdict("ask", reason, lasting)
