"""The exit statuses of a run, and which one the end of a turn deserves. Pure.

They are part of the interface: `docs/run.md` lists them, and scripts depend on them.
"""

from enum import IntEnum

from parley.errors import AuthRequired


class ExitCode(IntEnum):
    DONE = 0
    FAILED = 1
    """Anything that has no status of its own: the agent answered with an error, a disk is full."""
    USAGE = 2
    REFUSED = 3
    """The model refused to go on."""
    LIMIT = 4
    """A limit of tokens or of requests was reached."""
    CANCELLED = 5
    """By `--timeout`, by Ctrl-C, or by the agent."""
    DENIED = 6
    """A permission was refused without asking a person, and the turn ended."""
    NO_AGENT = 7
    """The agent was not found, did not start, or wants a login first."""
    AGENT_DIED = 8
    PROTOCOL = 9
    """The agent broke the protocol, or did not answer in time."""
    HUNG_UP = 129
    """The terminal went away."""
    LEFT = 130
    """Ctrl-C, and nothing was waited for."""
    BROKEN_PIPE = 141
    """Nobody reads the output any more."""

    TERMINATED = 143
    """SIGTERM."""

    @property
    def outcome(self) -> str:
        """The name of the status in JSON."""
        return self.name.lower()


_BY_REASON = {
    "end_turn": ExitCode.DONE,
    "refusal": ExitCode.REFUSED,
    "max_tokens": ExitCode.LIMIT,
    "max_turn_requests": ExitCode.LIMIT,
    "cancelled": ExitCode.CANCELLED,
    "error": ExitCode.FAILED,
}


def of_turn(
    stop_reason: str, *, cancelled: bool, denied: bool, failure: int | None = None
) -> ExitCode:
    """The status for a turn that ended; `cancelled` and `denied` are what was done here.

    `failure` is the code of the error, if it ended with one: many agents begin a session and want
    a login only when they are to work.

    A reason nobody knows is not a success. A turn that ended well after a refusal may lack just
    what was refused, so it is no success either.
    """
    if cancelled:
        # Agents exist that call a cancelled turn finished, or failed.
        return ExitCode.CANCELLED
    if failure == AuthRequired.CODE:
        return ExitCode.NO_AGENT
    code = _BY_REASON.get(stop_reason, ExitCode.FAILED)
    if denied and code in (ExitCode.DONE, ExitCode.CANCELLED):
        return ExitCode.DENIED
    return code
