"""Which exit status an exception deserves, and what is known about it. Pure."""

import re
from typing import Any, cast

from parley.errors import (
    AcpError,
    AuthRequired,
    ConfigError,
    ConnectionClosed,
    ConnectionLost,
    FrameTooLarge,
    LocalProtocolError,
    RemoteProtocolError,
    RequestTimeout,
    RpcError,
)
from parley.frontend.headless.exit_code import ExitCode
from parley.frontend.headless.output import Trouble
from parley.frontend.headless.request import AgentLink
from parley.session.profile import AgentProfile, TerminalLogin


class AgentNotFound(AcpError):
    """The user named an agent that is not here."""


class TimeIsUp(AcpError):
    """The time of the run has passed before there was an agent."""


Stage = str
START, OPEN, TURN = "start", "open", "turn"

_PENDING = re.compile(r"no answer to `([^`]*)`(?:: )?")
_ENDED = re.compile(r"(?:exited with status \d+|was ended by [\w ]+)")
_STDERR = "; its last words on stderr:"
_WHEN = {START: "while it started", OPEN: "while the session was opened", TURN: "during the turn"}
_LONG_WAITS = {START: "initialize", OPEN: "the session", TURN: "the end of the turn"}
_MOST_DETAILS = 300
_STILL_RAN = "it still ran, and was ended"


def code_of(error: AcpError, stage: Stage) -> ExitCode:
    """The exit status for what went wrong, by what it is and when it happened."""
    match error:
        case ConfigError() | LocalProtocolError():
            return ExitCode.USAGE
        case AgentNotFound() | AuthRequired():
            return ExitCode.NO_AGENT
        case TimeIsUp():
            return ExitCode.CANCELLED
        case RemoteProtocolError() | FrameTooLarge():
            return ExitCode.PROTOCOL
        case RequestTimeout():
            return ExitCode.NO_AGENT if stage == START else ExitCode.PROTOCOL
        case ConnectionLost() | ConnectionClosed():
            return ExitCode.NO_AGENT if stage == START else ExitCode.AGENT_DIED
        case RpcError() if stage == START:
            return ExitCode.NO_AGENT
        case _:
            return ExitCode.FAILED


def trouble_of(
    error: AcpError, stage: Stage, link: AgentLink | None, profile: AgentProfile | None = None
) -> Trouble:
    """Everything that is known about what went wrong."""
    code = code_of(error, stage)
    text, _, hint = str(error).partition("\nhint: ")
    if code is ExitCode.USAGE or link is None:
        # Whoever shows it names the command.
        return Trouble(code, text.removeprefix("parley run: "), hint=hint or None)
    pending = _PENDING.search(text)
    ended = _ENDED.search(text)
    return Trouble(
        code,
        _message(error, text, stage),
        agent=link.command,
        ended=ended.group() if ended else _not_ended(error),
        stderr=link.stderr,
        pending=pending.group(1) if pending else _waiting_for(error, stage),
        last_frame=link.last_frame,
        hint=hint or _hint(error, code, link, profile),
    )


def silence_of(what: str, stage: Stage, link: AgentLink) -> Trouble:
    """What is known about an agent that let our time run out."""
    return Trouble(
        ExitCode.CANCELLED,
        what if stage == TURN else f"{what}, {_WHEN[stage]}",
        agent=link.command,
        ended=_STILL_RAN,
        stderr=link.stderr,
        pending=_LONG_WAITS[stage],
        last_frame=link.last_frame,
        hint="run again with a longer --timeout, or with --verbose to see what the agent does",
    )


def _message(error: AcpError, text: str, stage: Stage) -> str:
    first = _PENDING.sub("", text.partition(_STDERR)[0]).strip()
    match error:
        case ConnectionLost() if text.startswith("cannot start"):
            return text
        case ConnectionLost() | ConnectionClosed():
            return f"the agent went away {_WHEN[stage]}: {first}"
        case RequestTimeout():
            return f"the agent did not answer {_WHEN[stage]}: {text}"
        case RemoteProtocolError() | FrameTooLarge():
            return f"the agent broke the protocol {_WHEN[stage]}: {first}"
        case AuthRequired():
            return f"the agent wants a login first: {first}"
        case _:
            return f"the agent answered with an error {_WHEN[stage]}: {first}{_details(error)}"


def _details(error: AcpError) -> str:
    """Many agents say "Internal error", and only beside it what it was."""
    data: Any = error.data if isinstance(error, RpcError) else None
    said: Any = cast("dict[str, Any]", data).get("details") if isinstance(data, dict) else data
    if not isinstance(said, str) or not said.strip():
        return ""
    line = said.strip().splitlines()[0]
    return f": {line if len(line) <= _MOST_DETAILS else line[:_MOST_DETAILS] + '…'}"


def _not_ended(error: AcpError) -> str | None:
    match error:
        case ConnectionClosed() | RequestTimeout():
            return _STILL_RAN
        case _:
            return None


def _waiting_for(error: AcpError, stage: Stage) -> str | None:
    if stage == TURN and isinstance(error, ConnectionLost | ConnectionClosed):
        return _LONG_WAITS[TURN]
    return None


def _hint(error: AcpError, code: ExitCode, link: AgentLink, profile: AgentProfile | None) -> str:
    if isinstance(error, AuthRequired):
        return _login_hint(link, profile)
    if isinstance(error, RequestTimeout) and code is ExitCode.PROTOCOL:
        return "run again with a longer --deadline, or with --record FILE to see every frame"
    match code:
        case ExitCode.NO_AGENT:
            return f"start it by hand and see what it says: {link.command}"
        case ExitCode.PROTOCOL:
            return "run again with --record FILE to see every frame, and tell who makes the agent"
        case ExitCode.AGENT_DIED:
            return (
                "run again with --verbose to see its stderr, or with --record FILE for the frames"
            )
        case _:
            return "run again with --verbose to see what the agent says"


def _login_hint(link: AgentLink, profile: AgentProfile | None) -> str:
    for login in profile.logins if profile is not None else ():
        if isinstance(login, TerminalLogin):
            return " ".join((link.command, *login.args))
    names = ", ".join(login.name for login in profile.logins) if profile is not None else ""
    return "log in with the agent's own program" + (f" ({names})" if names else "")
