"""Where the reports of a turn go: to the client, and after its end nowhere."""

from typing import NoReturn, Protocol

from parley.errors import LocalProtocolError
from parley.session.event import Event
from parley.session.question import PermissionAnswer, PermissionQuestion


class Outlet(Protocol):
    """The part of a client that takes reports and questions."""

    def emit(self, session_id: str, event: Event) -> None: ...

    @property
    def blocked(self) -> bool: ...

    async def drain(self) -> None: ...

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer: ...


class TurnOver:
    """Stands in the place of the client once a turn is over, so that the hot path asks nothing."""

    blocked = False

    def emit(self, session_id: str, event: Event) -> NoReturn:
        raise LocalProtocolError(
            "the turn is over\nhint: what goes on behind a turn is reported on `turn.session`"
        )

    async def drain(self) -> None: ...

    async def ask(self, session_id: str, question: PermissionQuestion) -> NoReturn:
        raise LocalProtocolError("the turn is over, so nobody can be asked")
