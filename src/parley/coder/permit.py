"""Whether one prepared call may run: the policy's verdict, and the person's where it asks.

Whatever is not a clear yes is a no. The person is asked about exactly what will run, and not before
everything that led to the question is stored.
"""

import os

from parley.coder.errors import ToolError
from parley.coder.open_session import OpenSession
from parley.coder.permission.policy import Request, Verdict, judge
from parley.coder.permission.question import question_for
from parley.coder.permission.remember import remembered_for
from parley.coder.tools.tool import Prepared, Tool
from parley.session.event import ToolCallChanged
from parley.session.question import Decision, decide

DENIED = "Permission denied."


async def permit(
    session: OpenSession, tool: Tool, prepared: Prepared, change: ToolCallChanged
) -> None:
    """Return if the call may run; `change` is what the client was told of it.

    Raises:
        ToolError: it may not; the text is for the model.
    """
    request = Request(tool.spec.name, tool.category, prepared.access)
    if _settled(_verdict(session, request)):
        return
    async with session.questions:
        # The answer to the question before may hold for this call too.
        verdict = _verdict(session, request)
        if _settled(verdict):
            return
        roots = session.desk.workspace.roots
        question = question_for(request, prepared.title, change, verdict, roots, os.path.realpath)
        await session.log.flush()
        answer = await session.client.ask(session.id, question)
        decision = decide(question.options, answer)
        if decision.always:
            session.append(
                remembered_for(
                    request, allowed=decision.allowed, roots=roots, resolve=os.path.realpath
                )
            )
    if not decision:
        raise ToolError(_refusal(decision))


def _verdict(session: OpenSession, request: Request) -> Verdict:
    return judge(
        request,
        session.chosen.mode,
        session.runtime.rules,
        tuple(session.history.remembered),
        session.desk.workspace.roots,
        os.path.realpath,
    )


def _settled(verdict: Verdict) -> bool:
    """Whether nobody need be asked.

    Raises:
        ToolError: the call is refused.
    """
    if verdict.effect == "deny":
        raise ToolError(f"{DENIED} {verdict.reason}".rstrip())
    return verdict.effect == "allow"


def _refusal(decision: Decision) -> str:
    if decision.dismissed:
        return f"{DENIED} The question was closed without an answer."
    return f"{DENIED} The user refused this call."
