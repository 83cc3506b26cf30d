"""What an application may choose about a connection, and what got lost in translation."""

from collections.abc import Callable

from msgspec import Struct

from parley.rpc.connection import DEFAULT_LIMITS, Limits


class Loss(Struct, frozen=True):
    """Something that one version can say and the other cannot."""

    what: str
    """A short stable name, for instance `tool_call.status`."""
    detail: str
    session_id: str | None = None


IAC_CODE = "iac-code"
DIALECTS = frozenset({IAC_CODE})
"""The dialects that can be switched on."""


class Settings(Struct, frozen=True):
    """Defaults are right for most applications.

    Raises:
        ValueError: there is no such dialect.
    """

    versions: tuple[int, ...] = (1, 2)
    unstable: bool = False
    """Whether the unstable part of the protocol is spoken."""
    deadline: float = 60.0
    """Seconds the peer may take to answer what it can answer by itself."""
    question_deadline: float | None = None
    """Seconds a person may take to answer a question; `None` waits until the turn ends."""
    legacy_models: bool = True
    """Whether version 1 also lists models in the older form, which costs nothing (SEE-02)."""
    dialects: frozenset[str] = frozenset()
    """Dialects of older servers that an agent of version 1 answers in: `iac-code`, or none."""
    limits: Limits = DEFAULT_LIMITS
    on_loss: Callable[[Loss], None] | None = None

    def __post_init__(self) -> None:
        strangers = sorted(self.dialects - DIALECTS)
        if strangers:
            known = ", ".join(sorted(DIALECTS))
            raise ValueError(f"there is no dialect {strangers[0]!r}; the dialects are: {known}")

    def lose(self, what: str, detail: str, session_id: str | None = None) -> None:
        """Report a loss to whoever wants to know."""
        if self.on_loss is not None:
            self.on_loss(Loss(what, detail, session_id))


DEFAULT_SETTINGS = Settings()
