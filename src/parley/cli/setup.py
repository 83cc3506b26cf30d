"""`parley setup`: tells an editor about an agent, or shows what to write where."""

import argparse
import os
import sys
from pathlib import Path

from msgspec.structs import replace

from parley.client.agents import OWN, FoundAgent, Start, choose_agent, find_agents, own_agent
from parley.client.editors import EDITORS, Editor, Entry, Place, apply, settings_file
from parley.client.json_edit import NotClear
from parley.client.program_search import is_program
from parley.coder.config import load
from parley.errors import ConfigError
from parley.frontend.visible import one_line, visible

EPILOG = """\
  parley setup zed                 show what to write, and where
  parley setup zed --apply         write it
  parley setup vscode --agent gemini --apply

--apply keeps everything that is in the file, comments too, and keeps a copy of the file beside it.
It changes nothing if the entry is there already. Where it is not sure, it changes nothing and
shows the entry, and the exit status is 1. docs/editors.md has a section for each editor.
"""
_BY_NAME = {editor.name: editor for editor in EDITORS}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("editor", choices=tuple(_BY_NAME), help="the editor")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--print", action="store_true", help="only show the entry (the default)")
    way.add_argument("--apply", action="store_true", help="write the entry into the file")
    parser.add_argument(
        "--agent", metavar="NAME", default=OWN, help="an agent that `parley agents` lists"
    )
    parser.add_argument("--as", dest="shown", metavar="TITLE", help="what the editor calls it")
    parser.add_argument("--file", metavar="FILE", help="the settings of the editor, if elsewhere")


def run(options: argparse.Namespace) -> int:
    editor = _BY_NAME[options.editor]
    agent = _agent(options.agent)
    start = agent.start
    if start is None:
        hint = f"{agent.install}; or name another one: `parley agents` lists them"
        raise ConfigError("the command line", options.agent, "is not installed", hint)
    entry = Entry(options.shown or agent.title, start.command, start.env)
    file = Path(options.file).absolute() if options.file else settings_file(editor.name, _place())
    if start.cwd is not None:
        _say(f"note: an editor starts the agent where it likes, and not in {start.cwd}")
    if options.apply:
        return _apply(editor, entry, file)
    _show(editor, entry, file)
    return 0


def _apply(editor: Editor, entry: Entry, file: Path) -> int:
    try:
        copy = apply(editor, entry, file)
    except FileExistsError:
        _say(f"{file} has {entry.name} already; nothing was changed")
        return 0
    except NotClear as problem:
        _say(f"{file} was not changed: {problem}")
        _show(editor, entry, file)
        return 1
    _say(f"{entry.name} was added to {file}")
    if copy is not None:
        _say(f"what was there before is in {copy}")
    _say(editor.steps)
    return 0


def _show(editor: Editor, entry: Entry, file: Path) -> None:
    if entry.env:
        # A value may be a key, which does not belong on a screen.
        hidden = dict.fromkeys(entry.env, "...")
        entry = replace(entry, env=hidden)
        _say(f"note: write the values of {', '.join(hidden)} yourself")
    _say(f"for {editor.title}, in {file}:")
    print(visible(editor.render(entry)), flush=True)
    _say(editor.steps)


def _agent(name: str) -> FoundAgent:
    if name == OWN:
        return _own()
    config = load(os.environ, {}).folders.config
    return choose_agent(find_agents(os.environ.get("PATH", os.defpath), config), name)


def _own() -> FoundAgent:
    """Our own agent by its program, which is easier to read than a call of the interpreter."""
    agent = own_agent()
    program = Path(sys.executable).with_name("parley")
    return replace(agent, start=Start((str(program), "acp"))) if is_program(str(program)) else agent


def _place() -> Place:
    home = Path(os.path.expanduser("~"))
    named = os.environ.get("XDG_CONFIG_HOME", "")
    return Place(home, Path(named) if os.path.isabs(named) else home / ".config")


def _say(text: str) -> None:
    print(one_line(text), file=sys.stderr)
