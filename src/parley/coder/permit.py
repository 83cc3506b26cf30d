"""Whether one prepared call may run: the policy's verdict, and the person's where it asks.

Whatever is not a clear yes is a no. The person is asked about exactly what will run, and not before
everything that led to the question is stored.
"""

from msgspec import Struct
from msgspec.structs import replace

from parley.coder.conversation import Conversation
from parley.coder.errors import ToolError
from parley.coder.permission.access import RunsCommand
from parley.coder.permission.policy import Request, Verdict, judge
from parley.coder.permission.question import question_for
from parley.coder.permission.remember import remembered_for
from parley.coder.tools.tool import Prepared, Tool
from parley.coder.workspace.workspace import real_path
from parley.session.event import ToolCallChanged
from parley.session.question import Decision, decide

DENIED = "Permission denied."


class Ground(Struct, frozen=True):
    """Where a command would run, as far as it concerns whoever is asked."""

    confined: bool = True
    """Whether it may run unasked at all."""
    warning: str = ""


async def permit(
    session: Conversation,
    tool: Tool,
    prepared: Prepared,
    change: ToolCallChanged,
    demand: str = "",
) -> None:
    """Return if the call may run; `change` is what the client was told of it.

    `demand` is why the person must be asked, whatever the policy allows.

    Raises:
        ToolError: it may not; the text is for the model.
    """
    request = Request(tool.spec.name, tool.category, prepared.access)
    ground = await _ground(session, request)
    if _settled(_demanded(_verdict(session, request, ground), demand)):
        return
    async with session.questions:
        # The answer to the question before may hold for this call too.
        verdict = _demanded(_verdict(session, request, ground), demand)
        if _settled(verdict):
            return
        roots = session.desk.workspace.roots
        question = question_for(request, prepared.title, change, verdict, roots, real_path)
        await session.log.flush()
        answer = await session.ask(question)
        decision = decide(question.options, answer)
        if decision.always:
            session.append(
                remembered_for(request, allowed=decision.allowed, roots=roots, resolve=real_path)
            )
    if not decision:
        raise ToolError(_refusal(decision))


async def _ground(session: Conversation, request: Request) -> Ground:
    sandbox = session.runtime.sandbox
    commands = any(isinstance(each, RunsCommand) for each in request.access)
    if not commands or sandbox.setting == "off":
        return Ground()
    if session.desk.workspace.terminals is not None:
        return Ground(warning=" The sandbox does not reach a terminal of the client.")
    if not await sandbox.must_ask():
        return Ground()
    if not session.told_unconfined:
        session.told_unconfined = True
        session.notify(
            "No sandbox works on this machine, so you are asked about every command.",
            'Run `parley doctor` to see why, or set `sandbox = "off"` to be asked less.',
        )
    return Ground(confined=False, warning=" Nothing confines it on this machine.")


def _verdict(session: Conversation, request: Request, ground: Ground) -> Verdict:
    verdict = _judged(session, request)
    if verdict.effect == "allow" and not ground.confined:
        return Verdict("ask", ground.warning.strip(), lasting=False)
    if verdict.effect != "ask":
        return verdict
    lasting = verdict.lasting and ground.confined
    return replace(verdict, reason=verdict.reason + ground.warning, lasting=lasting)


def _demanded(verdict: Verdict, demand: str) -> Verdict:
    """A verdict that is no easier than somebody demands, and holds for this call alone."""
    if not demand or verdict.effect == "deny":
        return verdict
    reason = demand if verdict.effect == "allow" else f"{verdict.reason} {demand}"
    return Verdict("ask", reason, lasting=False)


def _judged(session: Conversation, request: Request) -> Verdict:
    return judge(
        request,
        session.chosen.mode,
        session.runtime.rules,
        tuple(session.history.remembered),
        session.desk.workspace.roots,
        real_path,
        session.desk.own,
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
    return f"{DENIED} This call was refused."
