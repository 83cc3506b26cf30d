"""How a client answers questions: by a policy, or by asking its user.

A policy looks at the kinds of the offered options and at nothing else. What a handler gives is
checked: an answer that is none is an error in the client, and a refusal for the agent.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, cast

from parley.sdk.conversation import RemoteSession
from parley.session.question import (
    Accepted,
    Cancelled,
    Chosen,
    Declined,
    Dismissed,
    Elicitation,
    ElicitationAnswer,
    OtherAnswer,
    PermissionAnswer,
    PermissionOption,
    PermissionQuestion,
)

GivenPermission = PermissionAnswer | PermissionOption | str | bool | None
PermissionHandler = Callable[[RemoteSession, PermissionQuestion], Awaitable[GivenPermission]]
"""Gives yes or no, an option or its id, an answer, or nothing for no answer."""
GivenInput = ElicitationAnswer | dict[str, Any] | None
ElicitationHandler = Callable[[Elicitation], Awaitable[GivenInput]]
"""Gives the values, an answer, or nothing for no answer."""
Policy = Literal["allow", "reject", "dismiss"]

_KINDS = {
    "allow": ("allow_once", "allow_always"),
    "reject": ("reject_once", "reject_always"),
    "dismiss": (),
}


def by_policy(policy: Policy) -> PermissionHandler:
    """Always allow, always reject, or never answer. The narrowest fitting option is chosen.

    Raises:
        ValueError: there is no such policy.
    """
    if policy not in _KINDS:
        raise ValueError(f"there is no policy {policy!r}; the policies are: {', '.join(_KINDS)}")

    async def answer(session: RemoteSession, question: PermissionQuestion) -> PermissionAnswer:
        return _narrowest(question, _KINDS[policy])

    return answer


def permission_answer(question: PermissionQuestion, given: object) -> PermissionAnswer:
    """What a handler gave, as an answer.

    Raises:
        ValueError: it is an option that was not offered.
        TypeError: it is nothing that could be an answer.
    """
    match given:
        case None:
            return Dismissed()
        case bool():
            return _narrowest(question, _KINDS["allow" if given else "reject"])
        case Dismissed() | OtherAnswer():
            return given
        case Chosen():
            _check_offered(question, given.option_id)
            return given
        case PermissionOption():
            _check_offered(question, given.id)
            return Chosen(given.id)
        case str():
            _check_offered(question, given)
            return Chosen(given)
        case _:
            raise TypeError(f"`{type(given).__name__}` is not an answer to a permission question")


def elicitation_answer(given: object) -> ElicitationAnswer:
    """What a handler gave, as an answer.

    Raises:
        TypeError: it is nothing that could be an answer.
    """
    match given:
        case None:
            return Cancelled()
        case dict():
            return Accepted(cast("dict[str, Any]", given))
        case Accepted() | Declined() | Cancelled():
            return given
        case _:
            raise TypeError(f"`{type(given).__name__}` is not an answer to a request for input")


def _narrowest(question: PermissionQuestion, kinds: tuple[str, ...]) -> PermissionAnswer:
    for kind in kinds:
        for option in question.options:
            if option.kind == kind:
                return Chosen(option.id)
    return Dismissed()


def _check_offered(question: PermissionQuestion, option_id: str) -> None:
    offered = [option.id for option in question.options]
    if option_id not in offered:
        names = ", ".join(map(repr, offered))
        raise ValueError(f"there is no option {option_id!r}; the options are: {names}")
