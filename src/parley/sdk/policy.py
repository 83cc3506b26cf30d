"""How a client answers questions: by a policy, or by asking its user.

A policy looks at the kinds of the offered options and at nothing else.
"""

from collections.abc import Awaitable, Callable
from typing import Literal

from parley.session.question import (
    Cancelled,
    Chosen,
    Dismissed,
    Elicitation,
    ElicitationAnswer,
    PermissionAnswer,
    PermissionOption,
    PermissionQuestion,
)

PermissionHandler = Callable[
    [str, PermissionQuestion], Awaitable["PermissionAnswer | PermissionOption | str | None"]
]
"""Takes the session id and the question; gives an answer, an option, its id, or nothing."""
ElicitationHandler = Callable[[Elicitation], Awaitable[ElicitationAnswer | None]]
Policy = Literal["allow", "reject", "dismiss"]

_KINDS = {
    "allow": ("allow_once", "allow_always"),
    "reject": ("reject_once", "reject_always"),
    "dismiss": (),
}


def by_policy(policy: Policy) -> PermissionHandler:
    """Always allow, always reject, or never answer. The narrowest fitting option is chosen."""
    kinds = _KINDS[policy]

    async def answer(session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        for kind in kinds:
            for option in question.options:
                if option.kind == kind:
                    return Chosen(option.id)
        return Dismissed()

    return answer


def permission_answer(
    question: PermissionQuestion, given: PermissionAnswer | PermissionOption | str | None
) -> PermissionAnswer:
    """What a handler gave, as an answer. An option that was not offered is no answer."""
    match given:
        case PermissionOption():
            option_id = given.id
        case str():
            option_id = given
        case None:
            return Dismissed()
        case _:
            return given
    offered = {option.id for option in question.options}
    return Chosen(option_id) if option_id in offered else Dismissed()


async def no_input(question: Elicitation) -> ElicitationAnswer:
    """The answer of a client that asks nobody."""
    return Cancelled()
