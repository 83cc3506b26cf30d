"""Who answers an agent's questions for a permission: the user's rules, then a person, then nobody.

Nobody means no. An option is chosen by its kind alone, and a rule never chooses one that allows
more than this once.
"""

import asyncio
import shlex
from collections.abc import Callable

from parley.frontend.headless.keyboard import Keyboard
from parley.frontend.headless.output import Answered, How
from parley.frontend.headless.question_text import (
    about,
    key_lines,
    keys_for,
    question_lines,
    wrapped,
)
from parley.frontend.headless.rules import Asked, Rules, narrowest, of_call
from parley.frontend.headless.screen import Line, Screen
from parley.sdk.conversation import RemoteSession
from parley.session.activity import ToolCall
from parley.session.event import ToolCallChanged
from parley.session.question import (
    Chosen,
    CommandSubject,
    Dismissed,
    PermissionAnswer,
    PermissionQuestion,
    ToolCallSubject,
    decide,
)

_FOR_EVER = "it would hold for ever, so only you can allow it: in a terminal and without --yes"


class Asking:
    """Answers permission questions and remembers what was refused."""

    def __init__(
        self,
        rules: Rules,
        cwd: str,
        screen: Screen,
        keyboard: Keyboard | None,
        report: Callable[[Answered], None],
    ) -> None:
        self._rules = rules
        self._cwd = cwd
        self._screen = screen
        self._keyboard = keyboard
        self._report = report
        # A person answers one question at a time.
        self._one_by_one = asyncio.Lock()
        self.refused = 0
        """Refusals, by whomever."""
        self.denied = 0
        """Refusals that no person made."""

    async def answer(
        self, session: RemoteSession, question: PermissionQuestion
    ) -> PermissionAnswer:
        """Decide. Whatever is not a clear yes is a no."""
        call = _call_of(session, question)
        asked = self._asked(question, call)
        judged = self._rules.judge(asked)
        once = _once(question, "allow_once")
        how: How = "rule"
        because = judged.because
        if judged.verdict == "allow":
            chosen = once
            if not isinstance(once, Chosen):
                because = _FOR_EVER
                chosen = _once(question, "reject_once")
        elif judged.verdict == "ask" and self._keyboard is not None:
            how, because = "person", "the person at the terminal"
            async with self._one_by_one:
                chosen = await self._ask(self._keyboard, question, call)
        else:
            if judged.verdict == "ask":
                how = "nobody"
                because = _advice(asked) if isinstance(once, Chosen) else _FOR_EVER
            chosen = _once(question, "reject_once")
        self._note(session, question, call, chosen, how, because)
        return chosen

    def _note(
        self,
        session: RemoteSession,
        question: PermissionQuestion,
        call: ToolCall | None,
        chosen: PermissionAnswer,
        how: How,
        because: str,
    ) -> None:
        allowed = bool(decide(question.options, chosen))
        if not allowed:
            self.refused += 1
            self.denied += how != "person"
        option = chosen.option_id if isinstance(chosen, Chosen) else None
        self._report(
            Answered(session.id, question, about(question, call), allowed, how, because, option)
        )

    async def _ask(
        self, keyboard: Keyboard, question: PermissionQuestion, call: ToolCall | None
    ) -> PermissionAnswer:
        """Show everything and take one key. What else there is to show waits meanwhile."""
        keys = keys_for(question.options)
        screen = self._screen
        lines: list[Line] = [("", "plain"), *question_lines(question, call), *key_lines(keys)]
        shown: list[Line] = [(wrapped(line, screen.facts.columns), tone) for line, tone in lines]
        async with screen.asking(shown):
            key = await keyboard.key("? ")
        option = keys.get(key)
        return Chosen(option.id) if option is not None else _once(question, "reject_once")

    def _asked(self, question: PermissionQuestion, call: ToolCall | None) -> Asked:
        match question.subject:
            case CommandSubject(command=command, cwd=cwd):
                return Asked("execute", command, (), cwd)
            case _:
                pass
        return Asked("other", cwd=self._cwd) if call is None else of_call(call, self._cwd)


def _call_of(session: RemoteSession, question: PermissionQuestion) -> ToolCall | None:
    """The call that a question is about, as everything that was said of it adds up."""
    match question.subject:
        case ToolCallSubject(tool_call=ToolCallChanged(id=id_)):
            return session.state.tool_calls.get(id_)
        case CommandSubject(tool_call_id=str(id_)):
            return session.state.tool_calls.get(id_)
        case _:
            return None


def _advice(asked: Asked) -> str:
    """Why nobody allows something, and what would."""
    because = "no rule allows it and nobody can be asked"
    rule = narrowest(asked)
    if rule is None:
        return because
    more = ", with all others of its kind" if rule.pattern is None else ""
    return f"{because}; --allow {shlex.quote(rule.text)} would allow it{more}"


def _once(question: PermissionQuestion, kind: str) -> PermissionAnswer:
    option = next((each for each in question.options if each.kind == kind), None)
    return Dismissed() if option is None else Chosen(option.id)
