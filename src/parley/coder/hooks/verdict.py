"""What a hook that has run means for the call. Pure.

A hook can make a call harder and never easier. One that fails has perhaps not seen what it should
have stopped, so doubt means no: only a hook that ends well lets a call pass.
"""

from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from parley.coder.tools.title import one_line
from parley.coder.workspace.output import clean

BLOCKS = 2
"""The exit status of a hook that stops a call on purpose."""
_MEMBERS = frozenset(("decision", "reason"))
MOST_CHARACTERS = 8_000
"""Of what one hook says to the model."""


class Ended(Struct, frozen=True):
    """A hook that ran, or could not."""

    status: int | None = None
    stdout: str = ""
    stderr: str = ""
    problem: str = ""
    """What went wrong with it, as the end of a sentence that begins with its name."""


class Verdict(Struct, frozen=True):
    effect: Literal["pass", "ask", "block"]
    reason: str = ""
    """For the model if it blocks, for the person if it asks."""
    problem: str = ""
    """What is wrong with the hook; it blocks then."""


def before(ended: Ended) -> Verdict:
    """What becomes of a call that has not run yet."""
    if ended.problem:
        return Verdict("block", problem=ended.problem)
    if ended.status == BLOCKS:
        return Verdict("block", _said(ended.stderr) or "it gave no reason")
    if ended.status != 0:
        return Verdict("block", problem=_failed(ended))
    return _decided(ended.stdout.strip().removeprefix("\ufeff"))


def after(ended: Ended) -> tuple[str, str]:
    """What a hook says to the model after a call, and what is wrong with the hook."""
    if ended.problem:
        return "", ended.problem
    match ended.status:
        case 0:
            return _said(ended.stdout), ""
        case 2:
            return _said(ended.stderr), ""
        case _:
            return "", _failed(ended)


def _decided(text: str) -> Verdict:
    try:
        answer: Any = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        if "{" in text:
            return Verdict("block", problem="wrote something with JSON in it that is not all of it")
        # A word of the program for nobody in particular.
        return Verdict("pass")
    if not isinstance(answer, dict):
        return Verdict("block", problem="wrote JSON that is no object")
    given = cast("dict[str, Any]", answer)
    # A member with another name could have meant a no.
    if strange := sorted(given.keys() - _MEMBERS):
        problem = f"wrote the member `{one_line(strange[0], 40)}`, which means nothing here"
        return Verdict("block", problem=problem)
    decision, reason = given.get("decision"), given.get("reason")
    if decision is None and reason is not None:
        return Verdict("block", problem="gave a `reason` without a `decision`")
    said = _said(reason) if isinstance(reason, str) else ""
    match decision:
        case "deny":
            return Verdict("block", said or "it gave no reason")
        case "ask":
            return Verdict("ask", said or "A hook wants you to decide.")
        case None | "allow":
            # Nothing is allowed by it; what else holds for the call decides.
            return Verdict("pass")
        case _:
            return Verdict("block", problem="gave a `decision` that is neither `deny` nor `ask`")


def _failed(ended: Ended) -> str:
    said = _said(ended.stderr).rpartition("\n")[2]
    return f"ended with status {ended.status}" + (f": {said[:300]}" if said else "")


def _said(text: str) -> str:
    text = clean(text).strip()
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n[… it said more …]"
