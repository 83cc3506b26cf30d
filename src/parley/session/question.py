"""What an agent asks the person at the other end, and how an answer is judged.

`decide` is the only place that turns an answer into a permission. It looks at the kind of the
option that was *offered* and at nothing else: not at titles, names, ids or `meta`.
"""

from typing import Any, Literal

from msgspec import Struct

from parley.session.content import Meta
from parley.session.event import ToolCallChanged

OptionKind = Literal["allow_once", "allow_always", "reject_once", "reject_always"] | str


class PermissionOption(Struct, frozen=True, omit_defaults=True):
    id: str
    name: str
    kind: OptionKind
    meta: Meta | None = None


class ToolCallSubject(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="tool_call"):
    """The permission is for a tool call; what it says of the call is part of the session."""

    tool_call: ToolCallChanged
    meta: Meta | None = None


class CommandSubject(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="command"):
    """The permission is for a command line."""

    command: str
    cwd: str
    tool_call_id: str | None = None
    terminal_id: str | None = None
    meta: Meta | None = None


class OtherSubject(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="other"):
    kind: str
    raw: dict[str, Any]


Subject = ToolCallSubject | CommandSubject | OtherSubject


class PermissionQuestion(Struct, frozen=True, omit_defaults=True):
    title: str
    options: tuple[PermissionOption, ...]
    subject: Subject | None = None
    description: str | None = None
    meta: Meta | None = None


class Chosen(Struct, frozen=True, omit_defaults=True):
    """The person picked one of the options."""

    option_id: str
    meta: Meta | None = None


class Dismissed(Struct, frozen=True, omit_defaults=True):
    """The person, or the client for them, gave no answer: cancelled, closed, timed out."""

    meta: Meta | None = None


class OtherAnswer(Struct, frozen=True, omit_defaults=True):
    """An outcome nobody here knows. It never counts as approval."""

    kind: str
    raw: dict[str, Any]


PermissionAnswer = Chosen | Dismissed | OtherAnswer


class Decision(Struct, frozen=True):
    """What an answer means. `option` is the offered option it named, if it named one."""

    allowed: bool
    always: bool = False
    option: PermissionOption | None = None
    dismissed: bool = False
    """There was no answer at all, as opposed to a refusal."""

    def __bool__(self) -> bool:
        # Without this `if decision:` would be true for a refusal.
        return self.allowed


REFUSED = Decision(allowed=False)
DISMISSED = Decision(allowed=False, dismissed=True)

_MEANING = {
    "allow_once": (True, False),
    "allow_always": (True, True),
    "reject_once": (False, False),
    "reject_always": (False, True),
}


def decide(offered: tuple[PermissionOption, ...], answer: PermissionAnswer | None) -> Decision:
    """What an answer allows. Whatever is not a clear yes is a no."""
    match answer:
        case Chosen(option_id=option_id):
            named = [option for option in offered if option.id == option_id]
            # Two options with one id cannot be told apart, so neither can allow anything.
            if len(named) != 1 or named[0].kind not in _MEANING:
                return REFUSED
            allowed, always = _MEANING[named[0].kind]
            return Decision(allowed, always, named[0])
        case Dismissed():
            return DISMISSED
        case _:
            return REFUSED


class SessionScope(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="session"):
    session_id: str
    tool_call_id: str | None = None


class RequestScope(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="request"):
    """The question belongs to a request of the client, for instance to a login."""

    request_id: int | str | None


Scope = SessionScope | RequestScope


class FormQuestion(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="form"):
    """Asks for values. `schema` is the JSON schema of a flat object, as the protocol defines it."""

    message: str
    schema: dict[str, Any]
    scope: Scope
    meta: Meta | None = None


class UrlQuestion(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="url"):
    """Asks the person to visit an address; `ElicitationCompleted` may follow later."""

    message: str
    url: str
    elicitation_id: str
    scope: Scope
    meta: Meta | None = None


class OtherQuestion(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="other"):
    message: str
    mode: str
    raw: dict[str, Any]
    scope: Scope | None = None


Elicitation = FormQuestion | UrlQuestion | OtherQuestion


class Accepted(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="accepted"):
    content: dict[str, Any] | None = None
    meta: Meta | None = None


class Declined(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="declined"):
    meta: Meta | None = None


class Cancelled(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="cancelled"):
    """Also stands for every answer nobody here knows."""

    meta: Meta | None = None


ElicitationAnswer = Accepted | Declined | Cancelled
