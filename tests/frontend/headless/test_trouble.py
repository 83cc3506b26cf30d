"""Exceptions as exit statuses and reports."""

import pytest

from parley.errors import (
    AcpError,
    AuthRequired,
    ConfigError,
    ConnectionClosed,
    ConnectionLost,
    FrameTooLarge,
    InternalError,
    LocalProtocolError,
    RemoteProtocolError,
    RequestTimeout,
)
from parley.frontend.headless.trouble import (
    OPEN,
    START,
    TURN,
    AgentNotFound,
    TimeIsUp,
    code_of,
    silence_of,
    trouble_of,
)
from parley.session.profile import AgentLogin, AgentProfile, TerminalLogin
from tests.frontend.headless.staging import PairLink

LINK = PairLink.__new__(PairLink)
DEATH = ConnectionLost(
    "no answer to `session/prompt`: `agent` exited with status 3; its last words on stderr:\nhelp"
)


@pytest.mark.parametrize(
    ("error", "stage", "code"),
    [
        (ConfigError("f", "k", "p", "h"), START, 2),
        (LocalProtocolError("x"), OPEN, 2),
        (AgentNotFound("x"), START, 7),
        (TimeIsUp("x"), START, 5),
        (ConnectionLost("x"), START, 7),
        (RequestTimeout("x"), START, 7),
        (InternalError("x"), START, 7),
        (RemoteProtocolError("x"), START, 9),
        (ConnectionLost("x"), OPEN, 8),
        (ConnectionClosed("x"), TURN, 8),
        (RequestTimeout("x"), OPEN, 9),
        (FrameTooLarge("x"), TURN, 9),
        (InternalError("x"), OPEN, 1),
        (AuthRequired("x"), OPEN, 7),
        (AuthRequired("x"), TURN, 7),
        (AcpError("x"), TURN, 1),
    ],
)
def test_each_error_has_its_status(error: AcpError, stage: str, code: int) -> None:
    assert code_of(error, stage) == code
    assert trouble_of(error, stage, LINK).code == code


def test_a_death_is_reported_with_everything_that_is_known() -> None:
    trouble = trouble_of(DEATH, TURN, LINK)
    assert trouble.message == "the agent went away during the turn: `agent` exited with status 3"
    assert trouble.ended == "exited with status 3"
    assert trouble.pending == "session/prompt"
    assert trouble.stderr == ("first words", "last words")
    assert trouble.last_frame == "from the agent: an answer, 12 bytes"
    assert trouble.agent == "an-agent --acp"
    assert "--verbose" in (trouble.hint or "")


def test_a_death_without_a_pending_request_waited_for_the_end_of_the_turn() -> None:
    trouble = trouble_of(ConnectionLost("`agent` was ended by SIGKILL"), TURN, LINK)
    assert (trouble.pending, trouble.ended) == ("the end of the turn", "was ended by SIGKILL")


def test_an_agent_that_hangs_is_said_to_have_been_ended_by_us() -> None:
    trouble = trouble_of(RequestTimeout("no answer to `session/new` within 1 s"), OPEN, LINK)
    assert trouble.ended == "it still ran, and was ended"
    assert trouble.pending == "session/new"
    assert "--deadline" in (trouble.hint or "")


def test_a_program_that_is_not_there_says_so_and_keeps_its_hint() -> None:
    error = ConnectionLost("cannot start `x`: there is no program `x`\nhint: is it installed?")
    trouble = trouble_of(error, START, LINK)
    assert trouble.message == "cannot start `x`: there is no program `x`"
    assert trouble.hint == "is it installed?"


def test_a_wrong_use_needs_no_facts_about_the_agent() -> None:
    trouble = trouble_of(ConfigError("f", "k", "is wrong", "do this"), START, LINK)
    assert (trouble.message, trouble.hint, trouble.agent) == ("f: `k` is wrong", "do this", None)


def test_a_login_is_named_by_the_way_it_is_done() -> None:
    terminal = AgentProfile(logins=(TerminalLogin("t", "Log in", args=("--login",)),))
    agent = AgentProfile(logins=(AgentLogin("a", "API key"),))
    error = AuthRequired()
    assert trouble_of(error, OPEN, LINK, terminal).hint == "an-agent --acp --login"
    assert "API key" in (trouble_of(error, OPEN, LINK, agent).hint or "")
    assert trouble_of(error, OPEN, LINK).hint == "log in with the agent's own program"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (AuthRequired("key"), "wants a login"),
        (RemoteProtocolError("odd"), "broke the protocol"),
        (InternalError("oops"), "answered with an error"),
    ],
)
def test_the_message_says_what_kind_of_trouble_it_is(error: AcpError, words: str) -> None:
    assert words in trouble_of(error, OPEN, LINK).message


@pytest.mark.parametrize(
    ("stage", "message", "pending"),
    [
        (START, "gave up, while it started", "initialize"),
        (OPEN, "gave up, while the session was opened", "the session"),
        (TURN, "gave up", "the end of the turn"),
    ],
)
def test_an_agent_that_lets_our_time_run_out_is_described(
    stage: str, message: str, pending: str
) -> None:
    told = silence_of("gave up", stage, LINK)
    assert (told.code, told.message, told.pending) == (5, message, pending)
    assert (told.ended, told.stderr) == ("it still ran, and was ended", LINK.stderr)
    assert "--timeout" in (told.hint or "")


def test_the_name_of_the_command_is_left_to_who_shows_it() -> None:
    error = ConfigError("parley run", "PROMPT", "is missing", "say something")
    assert trouble_of(error, START, None).message == "`PROMPT` is missing"


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({"details": "the disk is full\nat line 1"}, ": the disk is full"),
        ("the disk is full", ": the disk is full"),
        ({"details": "x" * 400}, ": " + "x" * 300 + "…"),
        ({"details": 1}, ""),
        ({"details": " "}, ""),
        (None, ""),
    ],
)
def test_what_an_error_says_beside_its_message_is_shown(data: object, shown: str) -> None:
    trouble = trouble_of(InternalError("Internal error", data), OPEN, LINK)
    assert trouble.message.endswith(f": Internal error (-32603){shown}")
