"""The answer to one event: which single thing looks different now."""

from typing import Literal

from msgspec import Struct

ChangeKind = Literal[
    "message",
    "tool_call",
    "terminal",
    "plan",
    "commands",
    "options",
    "info",
    "usage",
    "state",
    "notice",
    "compaction",
    "subagent",
    "session_message",
    "other",
]


class Change(Struct, frozen=True):
    """Names one thing of a session, so that a front end redraws that thing alone.

    `kind` and `id` together are unique in a session. A message is named by its `key`, everything
    else that comes in numbers by its id; what a session has once has the id "".
    """

    kind: ChangeKind
    id: str = ""
    created: bool = False
    """Whether it was not there before."""
