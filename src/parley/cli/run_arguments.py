"""The arguments of `parley run`."""

import argparse

from parley.frontend.headless.output import OUTPUTS

USAGE = "parley run [OPTION...] [PROMPT...] [-- AGENT...]"
EPILOG = """\
Without an AGENT it is Parley's own; `--agent NAME` is one that `parley agents` lists.

  parley run "what does this project do?"
  git diff | parley run "review this" --output final
  parley run --allow edit --allow 'bash:pytest *' "make the tests pass"
  parley run --agent gemini --timeout 300 "..."
  parley run "..." -- some-agent --acp

What is said goes to stdout as it comes; tool calls and notices are short lines on stderr. With
--output json stdout has one event per line, with --output final only the answer.

A permission is decided by --deny, then --allow, then --yes or --no, then by you if there is a
terminal. Nobody to ask means no. A rule is a kind (read, edit, delete, move, search, execute,
fetch, other), a kind with a path (edit:src/*), or a command (bash:pytest *). Rules judge by what
the agent says about its calls.

Exit status: 0 done, 1 failed, 2 wrong usage, 3 refused by the model, 4 a limit was reached,
5 cancelled, 6 a permission was denied, 7 the agent was not found or did not start, 8 it died,
9 it broke the protocol or did not answer, 130 left by Ctrl-C. docs/run.md has the whole story.
"""
_REPEATED = (
    ("file", "FILE", "send a file along; repeat for more"),
    ("image", "FILE", "send an image along; repeat for more"),
    ("add-dir", "FOLDER", "another folder that the session may use"),
    ("allow", "RULE", "allow this without asking, such as edit or 'bash:pytest *'"),
    ("deny", "RULE", "refuse this, whatever else is allowed, such as 'bash:rm *'"),
)
_VALUES = (
    ("prompts", "FILE", "several prompts: one per line, or JSON lines; `-` is stdin"),
    ("agent", "NAME", "an agent that `parley agents` lists"),
    ("cwd", "FOLDER", "where the session works; here by default"),
    ("session", "ID", "go on with a stored session"),
    ("model", "MODEL", "the model of the session; of our agent it is provider/model"),
    ("mode", "MODE", "the mode of the session; of our agent: ask, auto-edit, plan, full-access"),
    ("permissions", "FILE", "rules in a file: allow, deny, otherwise; JSON or TOML"),
    ("mcp", "FILE", "MCP servers for the session: JSON with mcpServers"),
    ("record", "FILE", "write every frame to FILE, as lines of JSON"),
)


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = USAGE
    parser.epilog = EPILOG
    parser.add_argument("prompt", nargs="*", metavar="PROMPT", help="what to do")
    parser.add_argument(
        "--output", choices=OUTPUTS, default="text", help="what stdout gets (default: text)"
    )
    for name, metavar, meaning in _VALUES:
        parser.add_argument(f"--{name}", metavar=metavar, help=meaning)
    for name, metavar, meaning in _REPEATED:
        parser.add_argument(f"--{name}", metavar=metavar, action="append", default=[], help=meaning)
    for name, meaning in (("set", "set an option of the session"), ("answer", "answer a form")):
        parser.add_argument(
            f"--{name}",
            metavar="NAME=VALUE",
            type=assignment,
            action="append",
            default=[],
            help=f"{meaning}; repeat for more",
        )
    _add_switches(parser)
    parser.add_argument("--timeout", metavar="SECONDS", type=seconds, help="cancel after so long")
    parser.add_argument(
        "--grace",
        metavar="SECONDS",
        type=seconds,
        default=5.0,
        help="how long the agent may take to end a turn that was cancelled (default: 5)",
    )
    parser.add_argument(
        "--deadline",
        metavar="SECONDS",
        type=seconds,
        default=60.0,
        help="how long the agent may take to answer a request that is no prompt (default: 60)",
    )


def assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(
            f"`{text}` has no name and value\nhint: write NAME=VALUE, the name of the option first"
        )
    return name, value


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(
            f"`{text}` is no number of seconds\nhint: write for instance 30 or 0.5"
        )
    return value


def _add_switches(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--continue", dest="latest", action="store_true", help="go on with the last session here"
    )
    otherwise = parser.add_mutually_exclusive_group()
    otherwise.add_argument("--yes", action="store_true", help="allow what no rule forbids")
    otherwise.add_argument("--no", action="store_true", help="refuse what no rule allows")
    talk = parser.add_mutually_exclusive_group()
    talk.add_argument("--verbose", action="store_true", help="say more, the agent's stderr too")
    talk.add_argument("--quiet", action="store_true", help="say only what went wrong")
    parser.add_argument("--no-stdin", action="store_true", help="do not read stdin as context")
    parser.add_argument("--no-color", action="store_true", help="no colours; NO_COLOR does it too")
