"""The hooks around the tool calls of one session: told of each call, and heard.

They see the arguments as the model gave them. Those before a call run before the person is asked,
so that nobody is asked about what a hook stops. Those after it run while its changes to files are
watched, so that what they change can be undone with it.
"""

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from parley.coder.errors import ToolError
from parley.coder.hook import Hook, Hooks
from parley.coder.hooks import verdict
from parley.coder.hooks.run import run_hook
from parley.coder.hooks.verdict import Ended
from parley.coder.permission.access import Access, ReadsPath, WritesPath
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Outcome
from parley.session.content import ContentItem, Text, ToolItem

_LOG = logging.getLogger(__name__)
_LONGEST_REASON = 1_000
"""In a question."""
_FIX = "Repair the hook in your configuration, or remove it; `parley doctor` shows all hooks."


class HookedCall(Struct, frozen=True):
    """A call as hooks are told of it."""

    tool: str
    arguments: Mapping[str, Any]
    access: tuple[Access, ...] = ()

    @property
    def paths(self) -> list[str]:
        """The files that it says it reads or changes. Absolute."""
        return [each.path for each in self.access if isinstance(each, ReadsPath | WritesPath)]


class CallHooks:
    """`notify` tells the person a sentence, and what to do about it.

    `broken` is what the person has been told, by the names of hooks: each cause is told once, until
    the hook works again.
    """

    def __init__(
        self,
        hooks: Hooks,
        *,
        session_id: str,
        roots: tuple[str, ...],
        environment: Mapping[str, str],
        notify: Callable[[str, str], None],
        broken: dict[str, str],
    ) -> None:
        self._hooks = hooks
        self._session_id = session_id
        self._roots = roots
        self._environment = environment
        self._notify = notify
        self._broken = broken

    async def before(self, call: HookedCall) -> str:
        """Why the person must be asked about a call; empty if no hook wants that.

        Raises:
            ToolError: a hook stops the call, or one of them does not work.
        """
        asked: list[str] = []
        for hook in self._hooks.before:
            if not hook.concerns(call.tool):
                continue
            word = verdict.before(await self._run(hook, "before_tool", call))
            if word.problem:
                tool = one_line(call.tool)
                self._complain(hook, word.problem, f"the call of `{tool}` was not run")
                raise ToolError(
                    f"The call was not run: the user's hook `{hook.name}` does not work. The user"
                    " has been told; do not try it another way."
                )
            self._broken.pop(hook.name, None)
            if word.effect == "block":
                raise ToolError(f"A hook of the user stopped this call: {word.reason}")
            if word.effect == "ask":
                reason = one_line(" ".join(word.reason.split()), _LONGEST_REASON)
                asked.append(f"The hook `{hook.name}`: {reason}")
        return " ".join(asked)

    async def after(
        self, call: HookedCall, outcome: Outcome, shown: tuple[ToolItem, ...]
    ) -> Outcome:
        """The outcome with what the hooks add; `shown` is what a person sees of the call now."""
        told = {"text": outcome.text, "failed": outcome.failed}
        added: list[str] = []
        for hook in self._hooks.after:
            if not hook.concerns(call.tool):
                continue
            ended = await self._run(hook, "after_tool", call, outcome=told)
            said, problem = verdict.after(ended)
            if problem:
                self._complain(hook, problem, f"it had no say after `{one_line(call.tool)}`")
            else:
                self._broken.pop(hook.name, None)
            if said:
                added.append(f"The user's hook `{hook.name}` adds:\n{said}")
        if not added:
            return outcome
        text = "\n\n".join(added)
        before = shown if outcome.content is None else outcome.content
        raw = outcome.text if outcome.raw_output is None else outcome.raw_output
        return replace(
            outcome,
            text=f"{outcome.text}\n\n{text}",
            # Without anything else to show, the whole text is shown.
            content=(*before, ContentItem(Text(text))) if before else None,
            raw_output=raw if before else outcome.raw_output,
        )

    async def _run(self, hook: Hook, event: str, call: HookedCall, **more: Any) -> Ended:
        told = {
            "event": event,
            "session_id": self._session_id,
            "cwd": self._roots[0],
            "tool": call.tool,
            "arguments": call.arguments,
            "paths": call.paths,
            **more,
        }
        try:
            # Half characters, which models can write, are escaped.
            text = json.dumps(told, allow_nan=False).encode("ascii")
        except (ValueError, RecursionError):
            return Ended(problem="cannot be told of the arguments, which no JSON can hold")
        return await run_hook(
            hook.command,
            text,
            seconds=hook.seconds,
            environment=self._environment,
            roots=self._roots,
        )

    def _complain(self, hook: Hook, problem: str, so: str) -> None:
        # The log names what happened, never what a program said.
        _LOG.warning("the hook %s does not work", hook.name)
        if self._broken.get(hook.name) == problem:
            return
        self._broken[hook.name] = problem
        line = one_line(hook.line, 100)
        self._notify(f"The hook `{hook.name}` (`{line}`) {problem}, so {so}.", _FIX)
