"""The arguments of `parley sessions`."""

import argparse
from datetime import timedelta

from parley.frontend.session_list import age

FORMATS = ("markdown", "json", "html")
USAGE = "parley sessions [ACTION] [OPTION...] [-- AGENT...]"
EPILOG = """\
  parley sessions                           those of this folder
  parley sessions show 3kX9                 a part of the id is enough
  parley sessions search "rate limit"
  parley sessions export 3kX9 --format html --output talk.html
  parley sessions prune --older-than 30d

These are the sessions of Parley's own agent. With --agent NAME, or with the command of an agent
behind `--`, they are those of that agent, as far as it lists, loads, forks and deletes them:

  parley sessions --all --agent opencode
  parley sessions show 3kX9 -- some-agent --acp

Sessions can be looked at while an editor has them open. One that is open is not deleted.
"""
_ACTIONS = {
    "list": "list sessions, the latest first (the default)",
    "show": "print a session as a transcript",
    "search": "find sessions with a text in them",
    "export": "write a session as Markdown, JSON or HTML",
    "fork": "copy a session, and print the id of the copy",
    "delete": "delete sessions for good",
    "prune": "delete sessions that are old",
}


def add_session_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = USAGE
    parser.epilog = EPILOG
    _add_shared(parser, default=None)
    _add_list(parser, default=False)
    parser.add_argument("--cwd", metavar="FOLDER", help="those of this folder")
    actions = parser.add_subparsers(
        dest="action", metavar="ACTION", title="actions", prog="parley sessions"
    )
    subs: dict[str, argparse.ArgumentParser] = {}
    for name, summary in _ACTIONS.items():
        subs[name] = actions.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        # What was said before the action must not be forgotten behind it.
        _add_shared(subs[name], default=argparse.SUPPRESS)
    _add_list(subs["list"], default=argparse.SUPPRESS)
    for name in ("list", "search", "prune"):
        subs[name].add_argument(
            "--cwd", metavar="FOLDER", default=argparse.SUPPRESS, help="those of this folder"
        )
    for name in ("show", "export", "fork"):
        subs[name].add_argument("id", metavar="ID", help="the id, or the beginning of it")
    subs["delete"].add_argument("id", metavar="ID", nargs="+", help="the ids, or their beginnings")
    subs["show"].add_argument("--full", action="store_true", help="leave out nothing")
    subs["search"].add_argument("text", metavar="TEXT", help="what to look for, in any case")
    subs["export"].add_argument(
        "--format", choices=FORMATS, default="markdown", help="the format (default: markdown)"
    )
    subs["export"].add_argument("--output", metavar="FILE", help="write to FILE and not to stdout")
    subs["prune"].add_argument(
        "--older-than", metavar="AGE", type=_age, required=True, help="12h, 30d or 2w"
    )
    subs["prune"].add_argument("--yes", action="store_true", help="do not ask")


def _add_shared(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument(
        "--agent", metavar="NAME", default=default, help="an agent that `parley agents` lists"
    )
    parser.add_argument(
        "--data-dir", metavar="FOLDER", default=default, help="where our agent keeps its sessions"
    )


def _add_list(parser: argparse.ArgumentParser, default: bool | str) -> None:
    parser.add_argument("--all", action="store_true", default=default, help="those of all folders")
    parser.add_argument("--json", action="store_true", default=default, help="print them as JSON")


def _age(text: str) -> timedelta:
    try:
        return age(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
