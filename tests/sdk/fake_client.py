"""A client that only writes down what an agent reports, for tests without a wire."""

from typing import Any

from parley.session.event import Event
from parley.session.profile import ClientProfile
from parley.session.question import (
    Cancelled,
    Dismissed,
    Elicitation,
    ElicitationAnswer,
    PermissionAnswer,
    PermissionQuestion,
)


class NotingClient:
    """A `ClientRole` that keeps the events, and answers with what it was told to."""

    profile = ClientProfile()
    files = None
    terminals = None

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.questions: list[PermissionQuestion | Elicitation] = []
        self.answer: PermissionAnswer = Dismissed()
        self.input: ElicitationAnswer = Cancelled()
        self.blocked = False
        self.drains = 0

    def emit(self, session_id: str, event: Event) -> None:
        self.events.append(event)

    async def drain(self) -> None:
        self.drains += 1

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        self.questions.append(question)
        return self.answer

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        self.questions.append(question)
        return self.input

    def complete_elicitation(self, elicitation_id: str) -> None: ...

    async def call(self, method: str, params: Any) -> Any: ...

    def tell(self, method: str, params: Any) -> None: ...
