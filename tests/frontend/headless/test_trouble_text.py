"""What a person sees when a run fails."""

from parley.frontend.headless.exit_code import ExitCode
from parley.frontend.headless.output import Trouble
from parley.frontend.headless.trouble_text import lines_of


def test_every_fact_has_its_line() -> None:
    trouble = Trouble(
        ExitCode.AGENT_DIED,
        "the agent went away\nreally",
        agent="agent --acp",
        ended="exited with status 3",
        stderr=tuple(f"line {number}" for number in range(20)),
        pending="session/prompt",
        last_frame="from the agent: an answer, 3 bytes",
        hint="try again",
    )
    lines = [line for line, _ in lines_of(trouble)]
    assert lines[:7] == [
        "parley run: the agent went away",
        "  really",
        "  agent:       agent --acp",
        "  ended:       exited with status 3",
        "  waiting for: session/prompt",
        "  last frame:  from the agent: an answer, 3 bytes",
        "  its stderr:",
    ]
    assert lines[7:-1] == [f"    | line {number}" for number in range(10, 20)]
    assert lines[-1] == "  try:         try again"


def test_nothing_of_an_agent_reaches_the_terminal_raw() -> None:
    nasty = "\x1b]0;title\x07\u202e\r"
    trouble = Trouble(ExitCode.FAILED, nasty, nasty, nasty, (nasty,), nasty, nasty, nasty)
    assert all(line.isprintable() for line, _ in lines_of(trouble))


def test_without_facts_the_fix_is_a_line_like_that_of_every_command() -> None:
    trouble = Trouble(ExitCode.USAGE, "`--cwd` is no folder: x", hint="name one that exists")
    assert [line for line, _ in lines_of(trouble)] == [
        "parley run: `--cwd` is no folder: x",
        "try: name one that exists",
    ]
