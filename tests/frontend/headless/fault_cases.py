"""The fault matrix of `parley run` as data: what an agent does, and what its user sees."""

from dataclasses import dataclass

from tests.frontend.headless.many_runs import Case

HELLO = "hello\n"
WRONG = "noticed: the peer sent something wrong"
_SOON = ("--deadline", "3")
_TIMED = ("--timeout", "1", "--grace", "1")


@dataclass(frozen=True)
class Row:
    """A case, and everything that is expected of it."""

    case: Case
    code: int
    out: str = ""
    says: tuple[str, ...] = ()
    """Parts of stderr, in this order; without any, stderr must be empty."""

    def __str__(self) -> str:
        return self.case.name


def habit(words: str, *says: str, out: str = HELLO) -> Row:
    """A habit that costs nothing."""
    return Row(Case(words), 0, out, says)


def fault(words: str, code: int, *says: str, out: str = "", options: tuple[str, ...] = ()) -> Row:
    return Row(Case(words, options), code, out, says)


HABITS = [
    habit(""),
    habit("v2"),
    *(habit(name) for name in ("chatter_at_start", "chatter_in_turn", "early_updates", "batch")),
    *(habit(name) for name in ("string_ids", "not_advertised", "outside", "other_session")),
    *(habit(name) for name in ("answer_twice", "extra_members", "in_pieces", "complains")),
    *(habit(name) for name in ("late_update", "forks", "odd_capabilities")),
    habit("long_line", out="x" * (5 << 20) + HELLO),
    habit("malformed_updates", "plan: 0 of 0 done"),
    habit("unknown_updates", out="[smell]\n\nhello\n"),
    habit("unknown_tool_call", "✓ Ghost"),
    habit("unknown_tool_words", "✓ T"),
    habit("duplicates", "✓ Twice"),
    # What was tolerated is told to who wants to know everything.
    Row(Case("chatter_in_turn", ("--verbose",)), 0, HELLO, (f"{WRONG} (1 times): not JSON",)),
    Row(Case("unknown_updates", ("--verbose",)), 0, "[smell]\n\nhello\n", ("kind: horoscope",)),
    Row(Case("complains", ("--verbose",)), 0, HELLO, ("agent: warning: deprecated",)),
]

# When it dies, what had not been answered by then, and with which status the run ends.
STAGES = {
    "start": (7, "while it started", "initialize"),
    "initialize": (7, "while it started", "initialize"),
    "initialized": (8, "while the session was opened", "session/new"),
    "session/new": (8, "while the session was opened", "session/new"),
    "opened": (8, "during the turn", "session/prompt"),
    "session/prompt": (8, "during the turn", "session/prompt"),
    "midturn": (8, "during the turn", "session/prompt"),
    "asking": (8, "during the turn", "session/prompt"),
}
# How it ends, and the words for it.
ENDS = {
    "exit0": "exited with status 0",
    "exit70": "exited with status 70",
    "kill": "was ended by SIGKILL",
    "abort": "was ended by SIGABRT",
    "fork_and_exit": "exited with status 1",
    "close_stdout": "it still ran, and was ended",
}
LAST_WORDS = ("its stderr:", "| first complaint", "| fatal: the hamster is tired \\u001b[31m")


def _death(stage: str, way: str) -> Row:
    code, when, pending = STAGES[stage]
    refused = ("✗ refused (no rule allows it",) if stage == "asking" else ()
    report = (f"the agent went away {when}", "agent: ", f"ended:       {ENDS[way]}")
    facts = (f"waiting for: {pending}", "last frame:  ", *LAST_WORDS, "try: ")
    return fault(f"{stage}:{way}", code, *refused, *report, *facts)


_SOME_STAGES = ("start", "session/new", "midturn")
DEATHS = [
    *(_death(stage, "exit70") for stage in STAGES),
    *(_death(stage, "kill") for stage in STAGES),
    *(
        _death(stage, way)
        for stage in _SOME_STAGES
        for way in ENDS
        if way not in ("exit70", "kill")
    ),
    *(fault(f"{each}:half_a_frame", STAGES[each][0], "status 1") for each in _SOME_STAGES),
    *(fault(f"{each}:close_stdin", STAGES[each][0], "closed its end") for each in _SOME_STAGES),
    *(fault(f"{stage}:close_all", STAGES[stage][0], "went away") for stage in ("start", "midturn")),
    fault("v2 midturn:exit70", 8, "exited with status 70", "waiting for: the end of the turn"),
    # What it said before stays, on a line of its own.
    fault("says midturn:exit70", 8, "exited with status 70", out="so far\n"),
    # It had done its work by then.
    *(fault(f"ended:{way}", 0, out=HELLO) for way in (*ENDS, "hang", "close_all", "half_a_frame")),
]

HANGS = [
    fault("start:hang", 7, "no answer to `initialize` within 3 s", *LAST_WORDS, options=_SOON),
    fault("initialize:stop", 7, "within 3 s", "ended:       it still ran", options=_SOON),
    fault("initialize:endless_line", 7, "within 3 s", "try: ", options=_SOON),
    fault(
        *(
            "session/new:hang",
            9,
            "no answer to `session/new` within 3 s",
            "waiting for: session/new",
        ),
        *("to the agent: the request `session/new`", *LAST_WORDS, "longer --deadline"),
        options=_SOON,
    ),
    fault("session/new:hang", 5, "gave up after 1 s", *LAST_WORDS, "--timeout", options=_TIMED),
    fault(
        *("session/prompt:hang", 5, "cancelled after 1 s", "did not end the turn within 1 s"),
        *("waiting for: the end of the turn", *LAST_WORDS, "try: "),
        options=_TIMED,
    ),
    fault("says midturn:stop", 5, "did not end the turn", out="so far\n", options=_TIMED),
    fault("asking:hang", 5, "✗ refused", "did not end the turn", options=_TIMED),
    fault("midturn:endless_line", 5, "did not end the turn", options=_TIMED),
    fault("midturn:flood_stderr", 5, "did not end the turn", "| eee", options=_TIMED),
    fault("midturn:read_on", 5, "cancelled after 1 s", out=HELLO, options=_TIMED),
    fault("midturn:read_on session/cancel:exit1", 5, "cancelled after 1 s", options=_TIMED),
    fault("midturn:read_on session/cancel:hang", 5, "did not end the turn", options=_TIMED),
    fault("v2 midturn:hang", 5, "did not end the turn", options=_TIMED),
]

ANSWERS = [
    fault("initialize:error", 7, "the hamster is tired \\u001b[31m (-32603)", "start it by hand"),
    *(fault(f"initialize:{each}", 9, "not an object", "try: ") for each in ("null", "text")),
    *(fault(f"initialize:{each}", 9, "unknown version") for each in ("future", "words", "empty")),
    fault("session/new:error", 1, "while the session was opened: the hamster is tired \\u001b[31m"),
    fault("session/new:login", 7, "the agent wants a login first", "try: "),
    fault("session/prompt:login", 7, "could not go on: log in", out=HELLO),
    *(fault(f"session/new:{each}", 9, "`sessionId` is missing") for each in ("null", "empty")),
    fault("session/new:text", 9, "broke the protocol while the session was opened", "try: "),
    fault("chatter_at_start session/new:null", 9, "try: ", f"{WRONG} (2 times): not JSON"),
    fault("session/prompt:error", 1, "could not go on: the hamster is tired \\u001b[31m"),
    *(
        fault(f"session/prompt:{each}", 9, "broke the protocol during the turn", out=HELLO)
        for each in ("null", "text", "empty")
    ),
    fault("midturn:shrug", 1, "a reason that is not known here: shrug \\u001b[31m", out=HELLO),
    fault("v2 midturn:shrug", 1, "not known here: shrug \\u001b[31m", out=HELLO),
    fault("midturn:number", 9, "`stopReason` expected `str`, got `int`", out=HELLO),
]

_CHOSE = '{{"outcome": {{"outcome": "selected", "optionId": "{}"}}}}\n'
STATUSES = [
    fault("midturn:refusal", 3, "the model refused to go on", out=HELLO),
    fault("midturn:max_tokens", 4, "limit of tokens", out=HELLO),
    fault("midturn:max_turn_requests", 4, "limit of requests", out=HELLO),
    fault("midturn:cancelled", 5, "cancelled", out=HELLO),
    fault("midturn:ask", 6, "✗ refused", "Delete everything", out=_CHOSE.format("reject_once")),
    fault("midturn:ask", 0, out=_CHOSE.format("allow_once"), options=("--yes",)),
    fault("", 2, "is no folder", "try: ", options=("--cwd", "missing")),
    fault("", 2, "--continue", "try: ", options=("--continue",)),
    fault("", 2, "--model", "try: ", options=("--model", "large")),
    Row(Case("", command=("no-such-agent",)), 7, says=("no program `no-such-agent`", "try: ")),
    Row(Case("", command=("/dev/null",)), 7, says=("is not executable", "try: ")),
    fault("midturn:interrupt", 5, "cancelling the turn", out="begun\n", options=_SOON),
    fault("midturn:interrupt_twice", 130, "cancelling the turn", out="begun\n"),
    fault("midturn:terminate", 143, "did not end", out="begun\n", options=("--grace", "1")),
    fault("midturn:hang_up", 129, "did not end", out="begun\n", options=("--grace", "1")),
    Row(Case("midturn:flood", stdout="closed"), 141),
    Row(Case("midturn:flood", ("--grace", "0.5"), "/dev/full"), 1, says=("No space left",)),
]

ROWS = [*HABITS, *DEATHS, *HANGS, *ANSWERS, *STATUSES]

# Whatever happens, stdout has the chosen output and nothing else.
AS_JSON = [
    Case(row.case.habits, (*row.case.options, "--output", "json"))
    for row in [*HABITS[2:-4:5], *DEATHS[:8:2], *HANGS[4:6], *ANSWERS[::4], *STATUSES[:6]]
]
AS_FINAL = [
    Row(Case(words, ("--output", "final")), code, out)
    for words, code, out in (
        ("chatter_in_turn complains", 0, HELLO),
        ("unknown_tool_call", 0, HELLO),
        ("says midturn:exit70", 8, ""),
        ("midturn:shrug", 1, HELLO),
        ("start:exit70", 7, ""),
    )
]
